#include "search/few_rows.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace thresher {
namespace {

constexpr std::size_t kTogether = 8;  // values compared at once; what pads them has no say

template <class T>
THRESHER_KERNEL void rank_values(const T* values, std::size_t n, std::int32_t* rank) {
  const std::size_t padded = (n + kTogether - 1) / kTogether * kTogether;
  std::fill(rank, rank + padded, 0);
  for (std::size_t j = 0; j < n; ++j) {
    const T value = values[j];
    for (std::size_t i = 0; i < padded; i += kTogether)
      for (std::size_t k = i; k < i + kTogether; ++k) rank[k] += value < values[k];
  }
}
template <class T>
THRESHER_WIDE void rank_values_wide(const T* values, std::size_t n, std::int32_t* rank) {
  rank_values(values, n, rank);
}

}  // namespace

template <class T>
void FewRows<T>::enter(const NodeRows& node) {
  n_rows_ = 0;
  add({sample_.neg, node.neg, false});
  add({sample_.pos, node.pos, true});
}

template <class T>
void FewRows<T>::add(ClassPart part) {
  for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
    const std::uint32_t row = part.rows.row[i];
    const T* values = sample_.table().address(row, 0);
    prefetch(values);
    const std::int64_t weight = sample_.weight_of(row, part.rows.drawn(i));
    rows_[n_rows_++] = {values, part.rows.at(i), part.positive ? Mix{0, weight} : Mix{weight, 0}};
  }
}

// The values of the rows that have one; levels are their codes.
template <class T>
Mix FewRows<T>::read(std::size_t feature) {
  const bool category = sample_.category(feature);
  const std::ptrdiff_t place =
      static_cast<std::ptrdiff_t>(feature) * sample_.table().feature_stride;
  Mix missing;
  bool any_odd = false;
  n_ = 0;
  for (std::size_t i = 0; i < n_rows_; ++i) {
    const Row& row = rows_[i];
    const std::uint8_t code = row.codes[feature];
    if (code == kMissing) {
      missing = missing + row.mix;
      continue;
    }
    const T value = category ? static_cast<T>(code) : row.values[place];
    any_odd |= value - value != T{0};
    present_[n_] = static_cast<std::uint8_t>(i);
    values_[n_++] = value;
  }
  if (any_odd) throw TableChanged{};  // neither NaN nor infinity was given a code
  return missing;
}

template <class T>
Mix FewRows<T>::follow(std::size_t feature, std::vector<Step>& steps) {
  const Mix missing = read(feature);
  const auto rank = wide_available() ? rank_values_wide<T> : rank_values<T>;
  rank(values_.data(), n_, rank_.data());
  std::fill(by_rank_.begin(), by_rank_.begin() + n_, Step{});
  for (std::size_t i = 0; i < n_; ++i) {
    const Row& row = rows_[present_[i]];
    Step& step = by_rank_[static_cast<std::size_t>(rank_[i])];
    step.mix = step.mix + row.mix;
    step.first = step.last = row.codes[feature];
    step.value = static_cast<double>(values_[i]);
  }
  steps.clear();
  for (std::size_t i = 0; i < n_; ++i)
    if (by_rank_[i].mix.total() > 0) steps.push_back(by_rank_[i]);
  return missing;
}

template <class T>
bool FewRows<T>::any_missing(std::size_t feature) const {
  return std::any_of(rows_.begin(), rows_.begin() + n_rows_,
                     [&](const Row& row) { return row.codes[feature] == kMissing; });
}

template class FewRows<float>;
template class FewRows<double>;

}  // namespace thresher
