#include "forest/bags.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"

namespace thresher {

void Bags::draw(std::uint64_t tree, Bag& bag) const {
  const std::uint32_t at_first = bootstrap_ == Bootstrap::none ? 1 : 0;
  bag.neg.assign(n_neg_, at_first);
  bag.pos.assign(n_pos_, at_first);
  Stream random(tree_seed(seed_, tree));
  const auto draw_from = [&](std::vector<std::uint32_t>& times, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) ++times[random.below(times.size())];
  };
  switch (bootstrap_) {
    case Bootstrap::none:
      break;
    case Bootstrap::stratified:
      draw_from(bag.neg, n_neg_);
      draw_from(bag.pos, n_pos_);
      break;
    case Bootstrap::balanced:
      draw_from(bag.neg, std::min(n_neg_, n_pos_));
      draw_from(bag.pos, std::min(n_neg_, n_pos_));
      break;
    default:
      for (std::size_t i = 0; i < n_neg_ + n_pos_; ++i) {
        const std::size_t row = random.below(n_neg_ + n_pos_);
        ++(row < n_neg_ ? bag.neg[row] : bag.pos[row - n_neg_]);
      }
  }
}

std::uint64_t tree_seed(std::uint64_t seed, std::uint64_t tree) {
  return scramble(scramble(seed) + tree);
}

// Every row is written where the next one goes, and stays there if it was drawn: which rows were
// cannot be foreseen, so that no branch asks.
void take_drawn(const ClassRows& rows, const std::vector<std::uint32_t>& times, ClassRows& drawn) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint8_t>::max();
  std::size_t count = 0;
  for (const std::uint32_t n : times) count += (n + most - 1) / most;
  drawn.width = rows.width;
  drawn.resize(count + 1);
  std::size_t next = 0;
  const auto write = [&](std::size_t i, std::uint32_t n) {
    drawn.row[next] = rows.row[i];
    drawn.times[next] = static_cast<std::uint8_t>(n);
    copy_codes(rows.at(i), drawn.at(next), rows.width);
    next += n > 0;
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::uint32_t n = times[i];
    for (; n > most; n -= most) write(i, most);
    write(i, n);
  }
  drawn.resize(count);
}

}  // namespace thresher
