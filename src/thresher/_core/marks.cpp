#include "marks.hpp"

#include <algorithm>

#include "simd.hpp"

namespace thresher {

template <class T>
const std::vector<Mark>& Marks<T>::find(const NodeRows& node, std::size_t feature) {
  marks_.clear();
  mark(rare_part(sample_, node), feature, Slot::rare_values);
  if (std::ranges::find(slots_, Slot::every_value) != slots_.end())
    mark(other_part(sample_, node), feature, Slot::every_value);
  merge_equal();
  if (std::ranges::find(slots_, Slot::rare_values) != slots_.end())
    count_between(other_part(sample_, node), feature);
  return marks_;
}

template <class T>
void Marks<T>::mark(ClassPart part, std::size_t feature, Slot least) {
  for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
    const std::uint8_t code = part.rows.at(i)[feature];
    if (slots_[code] < least) continue;
    const std::uint32_t row = part.rows.row[i];
    const std::int64_t weight = sample_.weight_of(row);
    marks_.push_back({sample_.value(row, code, feature), code,
                      part.positive ? Mix{0, weight} : Mix{weight, 0}, Mix{}});
  }
}

template <class T>
void Marks<T>::merge_equal() {
  std::ranges::sort(marks_, {}, &Mark::value);
  std::size_t kept = 0;
  for (const Mark& mark : marks_) {
    if (kept > 0 && marks_[kept - 1].value == mark.value)
      marks_[kept - 1].at = marks_[kept - 1].at + mark.at;
    else
      marks_[kept++] = mark;
  }
  marks_.resize(kept);
}

// Deals the rows of the more frequent class to the marks and the gaps before them.
template <class T>
void Marks<T>::count_between(ClassPart other, std::size_t feature) {
  if (others_.size() < other.range.size()) others_.resize(other.range.size());
  std::size_t n = 0;
  for (std::uint32_t i = other.range.begin; i < other.range.end;
       ++i) {  // no branch depends on the data
    const std::uint8_t code = other.rows.at(i)[feature];
    others_[n] = {other.rows.row[i], code};
    n += slots_[code] == Slot::rare_values;
  }
  other_values_.resize(n);
  constexpr std::size_t ahead = 24;  // reads under way at once
  for (std::size_t i = 0; i < n; ++i) {
    if (i + ahead < n) prefetch(sample_.table.address(others_[i + ahead].row, feature));
    other_values_[i] = sample_.value(others_[i].row, others_[i].code, feature);
  }
  mark_values_.clear();
  for (const Mark& mark : marks_) mark_values_.push_back(mark.value);
  const Boundaries<double, std::uint32_t> boundaries(mark_values_, n);
  ranks_.resize(n);
  boundaries.count_below(other_values_.data(), n, ranks_.data());
  for (std::size_t i = 0; i < n; ++i) {
    const auto rank = static_cast<std::size_t>(ranks_[i]);
    // Rows above their code's last mark are not needed: no cut that matters follows them.
    if (rank == marks_.size() || marks_[rank].code != others_[i].code) continue;
    Mix& mix = marks_[rank].value == other_values_[i] ? marks_[rank].at : marks_[rank].before;
    (other.positive ? mix.pos : mix.neg) += sample_.weight_of(others_[i].row);
  }
}

template class Marks<float>;
template class Marks<double>;

}  // namespace thresher
