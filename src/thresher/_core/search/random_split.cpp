#include "search/random_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/simd.hpp"

namespace thresher {
namespace {

// The number at this share of the way from low to high, below high; no way is too long for it.
double between(double low, double high, double share) {
  const double cut = std::max(low, low * (1.0 - share) + high * share);
  return (cut < high ? cut : low) + 0.0;  // one sign of zero, whichever row came first
}

}  // namespace

template <class T>
std::optional<Split> RandomSearch<T>::best(const NodeRows& node, const Scorer& scorer,
                                           std::uint64_t path,
                                           std::span<const std::int32_t> features) {
  node_ = node;
  enter_node(node.mix, scorer);
  if (criterion_.gain_ratio)  // one cut of each feature: there is no choice to charge for
    search_by_ratio(
        features, [&](std::int32_t feature) { search(feature, path); },
        [](std::int32_t) { return 0.0; });
  else
    for (const std::int32_t feature : features) search(feature, path);
  if (!found()) return std::nullopt;
  return finish();
}

template <class T>
void RandomSearch<T>::search(std::int32_t feature, std::uint64_t path) {
  const auto f = static_cast<std::size_t>(feature);
  const double share = uniform(seed_, path, f);
  if (sample_.category(f))
    draw_levels(feature, share);
  else
    draw_number(feature, share);
}

template <class T>
void RandomSearch<T>::draw_number(std::int32_t feature, double share) {
  read_values(static_cast<std::size_t>(feature));
  if (!(low_ <= high_)) return;
  Cut cut;
  cut.feature = feature;
  // Equal values are told from missing ones alone.
  cut.value = low_ < high_ ? between(low_, high_, share) : std::numeric_limits<double>::max();
  consider_both_sides(cut, weight_where([&](double value) { return value <= cut.value; }));
}

// So many levels of the lowest positive rates go left, at least one and not all of them.
template <class T>
void RandomSearch<T>::draw_levels(std::int32_t feature, double share) {
  count_levels(static_cast<std::size_t>(feature));
  if (steps_.empty()) return;
  const std::size_t choices = std::max<std::size_t>(steps_.size(), 2) - 1;
  const std::size_t count = 1 + static_cast<std::size_t>(share * static_cast<double>(choices));
  Mix left;
  for (std::size_t i = 0; i < count; ++i) left = left + steps_[i].mix;
  Cut cut;
  cut.feature = feature;
  consider_both_sides(cut, left);
}

// Missing values go where they score better.
template <class T>
void RandomSearch<T>::consider_both_sides(Cut cut, Mix present_left) {
  cut.order = present_left.total();
  for (const bool missing_left : {false, true}) {
    if (missing_left && missing_.total() == 0) continue;
    cut.missing_left = missing_left;
    consider(cut, missing_left ? present_left + missing_ : present_left);
  }
}

template <class T>
std::array<ClassPart, 2> RandomSearch<T>::parts() const {
  return {rare_part(sample_, node_), other_part(sample_, node_)};
}

template <class T>
void RandomSearch<T>::read_values(std::size_t feature) {
  constexpr std::size_t ahead = 24;  // reads under way at once
  values_.clear();
  for (const ClassPart& part : parts()) {
    for (std::size_t i = part.range.begin; i < part.range.end; ++i) {
      if (i + ahead < part.range.end)
        prefetch(sample_.table().address(part.rows.row[i + ahead], feature));
      values_.push_back(sample_.value(part.rows.row[i], feature));
    }
  }
  low_ = std::numeric_limits<double>::infinity();
  high_ = -low_;
  for (const double value : values_) {  // missing ones are neither
    low_ = value < low_ ? value : low_;
    high_ = value > high_ ? value : high_;
  }
  if (std::isinf(low_) != std::isinf(high_) || (std::isinf(low_) && !(low_ > high_)))
    throw TableChanged{};  // there was no infinity when codes were given
  missing_ = weight_where([](double value) { return std::isnan(value); });
}

// The weight of the rows whose value of the feature read last is so.
template <class T>
template <class Is>
Mix RandomSearch<T>::weight_where(Is is) const {
  Mix mix;
  const double* value = values_.data();
  for (const ClassPart& part : parts()) {
    std::int64_t sum = 0;
    for (std::uint32_t i = part.range.begin; i < part.range.end; ++i)
      sum += is(*value++) ? sample_.weight_of(part.rows.row[i], part.rows.drawn(i)) : 0;
    (part.positive ? mix.pos : mix.neg) = sum;
  }
  return mix;
}

template <class T>
void RandomSearch<T>::count_levels(std::size_t feature) {
  std::array<Mix, kCells> mixes{};
  for (const ClassPart& part : parts()) {
    for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
      Mix& mix = mixes[part.rows.at(i)[feature]];
      (part.positive ? mix.pos : mix.neg) +=
          sample_.weight_of(part.rows.row[i], part.rows.drawn(i));
    }
  }
  missing_ = mixes[kMissing];
  steps_.clear();
  for (std::int16_t code = 0; code < kMissing; ++code) {
    const Mix mix = mixes[static_cast<std::size_t>(code)];
    if (mix.total() > 0) steps_.push_back({mix, code, code, false});
  }
  sort_by_positive_rate(steps_);
}

template <class T>
Split RandomSearch<T>::finish() {
  const auto feature = static_cast<std::size_t>(best_.feature);
  const bool category = sample_.category(feature);
  if (category)
    count_levels(feature);
  else
    read_values(feature);
  Split split = CutSearch::finish(steps_, missing_.total() > 0, category);
  if (category) return split;
  split.value = split.cut = best_.value;
  split.left_code = -1;  // the value decides for every code
  split.right_code = kMissing;
  return split;
}

template class RandomSearch<float>;
template class RandomSearch<double>;

}  // namespace thresher
