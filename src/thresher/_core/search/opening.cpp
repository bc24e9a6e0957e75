#include "search/opening.hpp"

#include "base/simd.hpp"

namespace thresher {

template <class T>
void Opening<T>::gather(const NodeRows& node, std::size_t feature) {
  n_found_ = 0;
  find(rare_part(sample_, node), feature);
  find(other_part(sample_, node), feature);
  begin_.assign(n_slots_ + 1, 0);
  for (std::size_t i = 0; i < n_found_; ++i) ++begin_[slot_[found_[i].code] + std::size_t{1}];
  for (std::size_t slot = 0; slot < n_slots_; ++slot) begin_[slot + 1] += begin_[slot];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  entries_.resize(n_found_);
  bool any_odd = false;
  constexpr std::size_t ahead = 24;  // reads under way at once
  for (std::size_t i = 0; i < n_found_; ++i) {
    if (i + ahead < n_found_) prefetch(sample_.table().address(found_[i + ahead].row, feature));
    const auto [row, code, times, positive] = found_[i];
    const double value = sample_.value(row, feature);
    any_odd |= value - value != 0.0;  // NaN and infinity
    entries_[next[slot_[code]]++] = {value, row, times, positive};
  }
  if (any_odd) throw TableChanged{};  // there was none, or no code of this step was given to it
}

template <class T>
void Opening<T>::find(ClassPart part, std::size_t feature) {
  const std::size_t room = n_found_ + part.range.size();
  if (found_.size() < room) found_.resize(room);
  for (std::uint32_t i = part.range.begin; i < part.range.end;
       ++i) {  // no branch depends on the data
    const std::uint8_t code = part.rows.at(i)[feature];
    found_[n_found_] = {part.rows.row[i], code, part.rows.drawn(i), part.positive};
    n_found_ += slot_[code] != kClosed;
  }
}

template class Opening<float>;
template class Opening<double>;

}  // namespace thresher
