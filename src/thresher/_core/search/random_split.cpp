#include "search/random_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/simd.hpp"

namespace thresher {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The number at this share of the way from low to high, below high; no way is too long for it.
double between(double low, double high, double share) {
  const double cut = std::max(low, low * (1.0 - share) + high * share);
  return (cut < high ? cut : low) + 0.0;  // one sign of zero, whichever row came first
}

}  // namespace

DrawnCut DrawnCut::of_missing(Mix present, Mix missing) {
  return {std::numeric_limits<double>::max(), kMissing - 1, kMissing, present, missing};
}

// ---- values ----

template <class T>
std::optional<DrawnCut> NodeValues<T>::draw(std::size_t feature, double share) {
  read_codes(feature);
  int first = kMissing, last = -1;  // codes of present values
  for (const std::uint8_t code : codes_) {
    first = std::min<int>(first, code);
    last = std::max<int>(last, code == kMissing ? -1 : code);
  }
  if (last < 0) return std::nullopt;
  double low = kInfinity, high = -kInfinity;
  for_each_of(first, feature, [&](double value) { low = value < low ? value : low; });
  for_each_of(last, feature, [&](double value) { high = value > high ? value : high; });
  if (!(low <= high) || std::isinf(low) || std::isinf(high)) throw TableChanged{};
  const Mix missing = weight_where([](std::uint8_t code, auto) { return code == kMissing; });
  if (!(low < high)) return DrawnCut::of_missing(node_.mix - missing, missing);

  DrawnCut cut;
  cut.value = between(low, high, share);
  cut.missing = missing;
  const T reached = at_most<T>(cut.value);  // the largest value on the left there can be
  const int code = sample_.coding().code_of(feature, reached);
  const bool one_value = code % 2 != 0;
  cut.left_code = static_cast<std::int16_t>(one_value ? code : code - 1);
  cut.right_code = static_cast<std::int16_t>(code + 1);
  const auto goes_left = [&](std::uint8_t its_code, std::uint32_t row) {
    return its_code < code ||
           (its_code == code && (one_value || sample_.value(row, feature) <= cut.value));
  };
  cut.left = weight_where(goes_left);
  return cut;
}

template <class T>
std::array<Mix, kCells> NodeValues<T>::levels(std::size_t feature) const {
  std::array<Mix, kCells> mixes{};
  for (const ClassPart& part : parts()) {
    for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
      Mix& mix = mixes[part.rows.at(i)[feature]];
      (part.positive ? mix.pos : mix.neg) +=
          sample_.weight_of(part.rows.row[i], part.rows.drawn(i));
    }
  }
  return mixes;
}

template <class T>
std::array<ClassPart, 2> NodeValues<T>::parts() const {
  return {rare_part(sample_, node_), other_part(sample_, node_)};
}

template <class T>
void NodeValues<T>::read_codes(std::size_t feature) {
  codes_.resize(node_.size());
  std::uint8_t* to = codes_.data();
  for (const ClassPart& part : parts()) {
    const std::uint8_t* code = part.rows.at(part.range.begin) + feature;
    for (std::uint32_t i = part.range.begin; i < part.range.end; ++i, code += part.rows.width)
      *to++ = *code;
  }
}

// visit(value) for the rows of a code; an odd one holds one value.
template <class T>
template <class Visit>
void NodeValues<T>::for_each_of(int code, std::size_t feature, Visit visit) const {
  const std::uint8_t* its_code = codes_.data();
  for (const ClassPart& part : parts()) {
    for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
      if (*its_code++ != code) continue;
      visit(sample_.value(part.rows.row[i], feature));
      if (code % 2 != 0) return;
    }
  }
}

// The weight of the rows for which is(code, row).
template <class T>
template <class Is>
Mix NodeValues<T>::weight_where(Is is) const {
  Mix mix;
  const std::uint8_t* code = codes_.data();
  for (const ClassPart& part : parts()) {
    std::int64_t sum = 0;
    for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
      const std::uint32_t row = part.rows.row[i];
      sum += is(*code++, row) ? sample_.weight_of(row, part.rows.drawn(i)) : 0;
    }
    (part.positive ? mix.pos : mix.neg) = sum;
  }
  return mix;
}

// ---- bins ----

template <class Cell>
std::optional<DrawnCut> NodeBins<Cell>::draw(std::size_t feature, double share) const {
  const std::vector<double>& edges = edges_[feature];
  const auto has_rows = [&](std::size_t code) { return mix_at(feature, code).total() > 0; };
  std::size_t first = 0, last = edges.size();
  while (first < last && !has_rows(first)) ++first;
  while (last > first && !has_rows(last)) --last;
  if (!has_rows(last)) return std::nullopt;
  const Mix missing = mix_at(feature, kMissing);
  if (first == last) return DrawnCut::of_missing(mix_at(feature, last), missing);
  DrawnCut cut;
  const std::size_t code =
      first + static_cast<std::size_t>(share * static_cast<double>(last - first));
  cut.value = edges[code];
  cut.left_code = static_cast<std::int16_t>(code);
  cut.right_code = static_cast<std::int16_t>(code + 1);
  cut.missing = missing;
  for (std::size_t i = first; i <= code; ++i) cut.left = cut.left + mix_at(feature, i);
  return cut;
}

template <class Cell>
std::array<Mix, kCells> NodeBins<Cell>::levels(std::size_t feature) const {
  std::array<Mix, kCells> mixes;
  for (std::size_t code = 0; code < kCells; ++code) mixes[code] = mix_at(feature, code);
  return mixes;
}

// ---- the best of the cuts ----

void RandomSearch::consider_drawn(std::int32_t feature, const DrawnCut& drawn) {
  Cut cut;
  cut.feature = feature;
  cut.value = drawn.value;
  cut.left_code = drawn.left_code;
  cut.right_code = drawn.right_code;
  consider_both_sides(cut, drawn.left, drawn.missing);
}

// So many levels of the lowest positive rates go left, at least one and not all of them.
void RandomSearch::draw_levels(std::int32_t feature, double share,
                               const std::array<Mix, kCells>& mixes) {
  follow(mixes);
  if (steps_.empty()) return;
  const std::size_t choices = std::max<std::size_t>(steps_.size(), 2) - 1;
  const std::size_t count = 1 + static_cast<std::size_t>(share * static_cast<double>(choices));
  Mix left;
  for (std::size_t i = 0; i < count; ++i) left = left + steps_[i].mix;
  Cut cut;
  cut.feature = feature;
  consider_both_sides(cut, left, mixes[kMissing]);
}

void RandomSearch::follow(const std::array<Mix, kCells>& mixes) {
  steps_.clear();
  for (std::int16_t code = 0; code < kMissing; ++code) {
    const Mix mix = mixes[static_cast<std::size_t>(code)];
    if (mix.total() > 0) steps_.push_back({mix, code, code, false});
  }
  sort_by_positive_rate(steps_);
}

// Missing values go where they score better.
void RandomSearch::consider_both_sides(Cut cut, Mix present_left, Mix missing) {
  const auto f = static_cast<std::size_t>(cut.feature);
  if (any_missing_.size() <= f) any_missing_.resize(f + 1);
  any_missing_[f] = missing.total() > 0;
  cut.order = present_left.total();
  for (const bool missing_left : {false, true}) {
    if (missing_left && missing.total() == 0) continue;
    cut.missing_left = missing_left;
    consider(cut, missing_left ? present_left + missing : present_left);
  }
}

template class NodeValues<float>;
template class NodeValues<double>;
template class NodeBins<std::uint32_t>;
template class NodeBins<std::int64_t>;

}  // namespace thresher
