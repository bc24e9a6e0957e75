#include "forest/unpack.hpp"

#include <utility>

#include "base/fixed_point.hpp"
#include "codes/level_set.hpp"

namespace thresher {
namespace {

class Unpacker {
 public:
  Unpacker(const PackedTree& packed, const std::uint32_t* rows, const double* weight,
           const std::uint8_t* levels_seen, const Criterion& criterion)
      : packed_(packed),
        rows_(rows),
        weight_(weight),
        levels_seen_(levels_seen),
        criterion_(criterion),
        fixed_point_(FixedPoint::of_sums(weight_of(0, 0) + weight_of(0, 1))) {}

  GrownTree unpack() {
    std::vector<std::pair<std::size_t, std::int32_t>> stack{{0, -1}};  // place, parent if right
    while (!stack.empty()) {
      const auto [place, parent] = stack.back();
      stack.pop_back();
      const auto node = static_cast<std::int32_t>(tree_.feature.size());
      if (parent >= 0) tree_.right[static_cast<std::size_t>(parent)] = node;
      add(place);
      const std::size_t left = packed_.nodes[place].left;
      if (left == place) continue;
      tree_.left.back() = node + 1;
      stack.emplace_back(left + 1, node);
      stack.emplace_back(left, -1);
    }
    return std::move(tree_);
  }

 private:
  double weight_of(std::size_t place, std::size_t c) const {
    return weight_ ? weight_[2 * place + c] : rows_[2 * place + c];
  }
  Mix mix_of(std::size_t place) const {
    return {fixed_point_.integer(weight_of(place, 0)), fixed_point_.integer(weight_of(place, 1))};
  }

  void add(std::size_t place) {
    const PackedNode& node = packed_.nodes[place];
    const bool leaf = node.left == place;
    const Mix mix = mix_of(place);
    const Scorer scorer(criterion_, mix);
    tree_.feature.push_back(leaf ? -1 : static_cast<std::int32_t>(node.column()));
    tree_.cut.push_back(leaf || node.category() ? 0.0 : node.cut);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.missing_left.push_back(!leaf && node.missing_left());
    add_levels(node);
    for (const std::size_t c : {0, 1}) {
      tree_.rows.push_back(rows_[2 * place + c]);
      tree_.weight.push_back(weight_of(place, c));
    }
    tree_.alpha.push_back(scorer.alpha());
    tree_.impurity.push_back(scorer.impurity());
    tree_.gain.push_back(leaf ? 0.0 : gain(scorer, mix, mix_of(node.left)));
  }

  static double gain(const Scorer& scorer, Mix mix, Mix left) {
    return scorer.gain(
        scorer.score(static_cast<double>(left.neg), static_cast<double>(left.pos), mix));
  }

  void add_levels(const PackedNode& node) {
    const auto next = static_cast<std::int32_t>(tree_.levels_left.size() / kLevelBytes);
    tree_.category.push_back(node.category() ? next : -1);
    if (!node.category()) return;
    const auto first = static_cast<std::size_t>(node.cut) * kLevelBytes;
    tree_.levels_left.insert(tree_.levels_left.end(), packed_.levels_left + first,
                             packed_.levels_left + first + kLevelBytes);
    tree_.levels_seen.insert(tree_.levels_seen.end(), levels_seen_ + first,
                             levels_seen_ + first + kLevelBytes);
  }

  const PackedTree& packed_;
  const std::uint32_t* rows_;
  const double* weight_;  // null: the rows
  const std::uint8_t* levels_seen_;
  const Criterion& criterion_;
  FixedPoint fixed_point_;
  GrownTree tree_;
};

}  // namespace

GrownTree unpack(const PackedTree& tree, const std::uint32_t* rows, const double* weight,
                 const std::uint8_t* levels_seen, const Criterion& criterion) {
  return Unpacker(tree, rows, weight, levels_seen, criterion).unpack();
}

}  // namespace thresher
