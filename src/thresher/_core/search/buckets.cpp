#include "search/buckets.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/distinct.hpp"
#include "codes/anchors.hpp"
#include "codes/codes.hpp"

namespace thresher {

Buckets::Buckets(std::span<const Entry> entries, const std::int64_t* weight, Anchors anchors)
    : all_(entries) {
  choose_anchors(anchors);
  count(weight);
}

// The rows seldom stand in the order of their values, so evenly spaced ones are a fair sample.
void Buckets::choose_anchors(Anchors anchors) {
  std::vector<double> neg, pos;
  for (const Entry& entry : all_) (entry.positive ? pos : neg).push_back(entry.value);
  std::vector<double>& rare = pos.size() <= neg.size() ? pos : neg;
  std::vector<double>& other = pos.size() <= neg.size() ? neg : pos;
  if (anchors == Anchors::quantiles) {
    anchors_ = quantile_anchors(std::move(rare), std::move(other));
    return;
  }
  anchors_ = rare;
  if (rare.empty() || rare.size() > kMaxAnchors) {
    anchors_ = spaced(rare, kMaxAnchors / 2);
    const std::vector<double> more = spaced(other, kMaxAnchors - anchors_.size());
    anchors_.insert(anchors_.end(), more.begin(), more.end());
  }
  keep_distinct(anchors_);
}

void Buckets::count(const std::int64_t* weight) {
  values_.resize(all_.size());
  std::ranges::transform(all_, values_.begin(), &Entry::value);
  const Boundaries<double> boundaries(anchors_, all_.size());
  bucket_.resize(all_.size());
  boundaries.count_below(values_.data(), values_.size(), bucket_.data());
  mixes_.assign(2 * anchors_.size() + 1, Mix{});
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto below = static_cast<std::size_t>(bucket_[i]);
    const std::size_t bucket = 2 * below + (boundaries[below] == values_[i]);
    bucket_[i] = static_cast<std::int32_t>(bucket);
    Mix& mix = mixes_[bucket];
    (all_[i].positive ? mix.pos : mix.neg) +=
        weight ? weight[all_[i].row] * all_[i].times : all_[i].times;
  }
}

double Buckets::last_value(std::size_t bucket) const {
  const double anchor = anchors_[std::min(bucket / 2, anchors_.size() - 1)];
  if (!open(bucket)) return anchor;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return bucket + 1 < size() ? std::nextafter(anchor, -infinity) : infinity;
}

void Buckets::sort() {
  begin_.assign(size() + 1, 0);
  for (const std::int32_t bucket : bucket_) ++begin_[static_cast<std::size_t>(bucket) + 1];
  for (std::size_t b = 0; b < size(); ++b) begin_[b + 1] += begin_[b];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  sorted_.resize(all_.size());
  for (std::size_t i = 0; i < all_.size(); ++i)
    sorted_[next[static_cast<std::size_t>(bucket_[i])]++] = all_[i];
}

}  // namespace thresher
