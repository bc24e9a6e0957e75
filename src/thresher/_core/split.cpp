#include "split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thresher {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void set_bit(std::array<std::uint8_t, 32>& bits, int level) {
  bits[static_cast<std::size_t>(level) / 8] |= static_cast<std::uint8_t>(1U << (level % 8));
}

double positive_rate(Mix mix) {
  return static_cast<double>(mix.pos) / static_cast<double>(mix.total());
}

// Between two neighbouring values: a <= cut < b always, also where the midpoint rounds to b or overflows.
double between(double a, double b) {
  const double middle = a / 2 + b / 2;
  return a <= middle && middle < b ? middle : a;
}

}  // namespace

template <class T, class Cell>
SplitSearch<T, Cell>::SplitSearch(const Sample<T>& sample, const Criterion& criterion,
                                  SplitLimits limits)
    : sample_(sample), criterion_(criterion), limits_(limits), scorer_(criterion, Mix{1, 1}) {}

template <class T, class Cell>
std::optional<Split> SplitSearch<T, Cell>::best(const NodeRows& node,
                                                const Histogram<Cell>& histogram,
                                                std::span<const std::int32_t> features) {
  node_ = node;
  histogram_ = &histogram;
  scorer_ = Scorer(criterion_, node.mix);
  best_ = Point{};
  best_.score = kInfinity;
  if (criterion_.gain_ratio)
    search_by_ratio(features, histogram);
  else
    search(features, histogram);
  if (best_.feature < 0) return std::nullopt;
  const double gain = scorer_.gain(best_.score);
  if (!(gain > kNoGain && gain >= limits_.min_gain)) return std::nullopt;
  return finish(best_);
}

template <class T, class Cell>
void SplitSearch<T, Cell>::search(std::span<const std::int32_t> features,
                                  const Histogram<Cell>& histogram) {
  hull_.reset(node_.mix);
  hidden_.clear();
  for (const std::int32_t feature : features) {
    collect_steps(feature, histogram);
    for (const bool missing_left : {false, true}) {
      if (missing_left && missing_.total() == 0) continue;
      if (scorer_.concave())
        walk(feature, missing_left);
      else
        scan_every_cut(feature, missing_left);
    }
  }
  consider_corners();
  open_hidden();
}

// C4.5: each feature's cut of best gain, then the best ratio among features of at least average gain.
template <class T, class Cell>
void SplitSearch<T, Cell>::search_by_ratio(std::span<const std::int32_t> features,
                                           const Histogram<Cell>& histogram) {
  struct Candidate {
    Point point;
    double gain;
  };
  std::vector<Candidate> candidates;
  double sum = 0.0;
  for (const std::int32_t& feature : features) {
    best_ = Point{};
    best_.score = kInfinity;
    search(std::span(&feature, 1), histogram);
    if (best_.feature < 0) continue;
    candidates.push_back({best_, scorer_.gain(best_.score) - charge(feature)});
    sum += candidates.back().gain;
  }
  const double average = sum / static_cast<double>(candidates.size());
  best_ = Point{};
  double best_ratio = 0.0;
  for (const Candidate& candidate : candidates) {
    if (candidate.gain <= kNoGain || candidate.gain < average - kNoGain) continue;
    const Mix left{static_cast<std::int64_t>(candidate.point.neg),
                   static_cast<std::int64_t>(candidate.point.pos)};
    const double ratio = candidate.gain / scorer_.split_information(left);
    if (ratio > best_ratio) {
      best_ratio = ratio;
      best_ = candidate.point;
    }
  }
}

// C4.5's charge for choosing among the cuts of a numeric feature: log2(cuts) / n.
template <class T, class Cell>
double SplitSearch<T, Cell>::charge(std::int32_t feature) {
  if (!criterion_.mdl || categorical(feature)) return 0.0;
  gather(feature, 0, kMissing - 1);
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < values_.size(); ++i)
    distinct += i == 0 || values_[i].value != values_[i - 1].value;
  if (distinct < 2) return 0.0;
  return std::log2(static_cast<double>(distinct - 1)) / static_cast<double>(node_.size());
}

template <class T, class Cell>
void SplitSearch<T, Cell>::collect_steps(std::int32_t feature, const Histogram<Cell>& histogram) {
  const Cell* neg = histogram.neg(static_cast<std::size_t>(feature));
  const Cell* pos = histogram.pos(static_cast<std::size_t>(feature));
  const bool category = categorical(feature);
  steps_.clear();
  for (int code = 0; code < kMissing; ++code) {
    if (neg[code] == 0 && pos[code] == 0) continue;
    const bool open = !category && sample_.exact() && code % 2 == 0;
    steps_.push_back({{static_cast<std::int64_t>(neg[code]), static_cast<std::int64_t>(pos[code])},
                      static_cast<std::uint8_t>(code),
                      open});
  }
  missing_ = {static_cast<std::int64_t>(neg[kMissing]), static_cast<std::int64_t>(pos[kMissing])};
  if (category) {
    std::stable_sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      return positive_rate(a.mix) < positive_rate(b.mix);
    });
  }
}

template <class T, class Cell>
bool SplitSearch<T, Cell>::allowed(Mix left) const {
  return left.total() >= limits_.min_leaf &&
         node_.mix.total() - left.total() >= limits_.min_leaf;
}

// Cuts inside a step matter if it mixes the classes, or if the first or the last allowed cut lies inside.
template <class T, class Cell>
bool SplitSearch<T, Cell>::hides_cut(Mix before, Mix after) const {
  const std::int64_t first = limits_.min_leaf;
  const std::int64_t last = node_.mix.total() - limits_.min_leaf;
  const std::int64_t from = before.total();
  const std::int64_t to = after.total();
  if (to <= first || from >= last) return false;
  const bool mixed = after.neg > before.neg && after.pos > before.pos;
  return mixed || from < first || to > last;
}

// Follows the cuts of a feature from left to right into the hull.
template <class T, class Cell>
void SplitSearch<T, Cell>::walk(std::int32_t feature, bool missing_left) {
  const bool missing_alone = missing_.total() > 0 && !missing_left;
  Mix left = missing_left ? missing_ : Mix{};
  std::int64_t order = 0;
  Point point;
  point.feature = feature;
  point.missing_left = missing_left;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const Mix after = left + step.mix;
    if (step.open && hides_cut(left, after))
      hidden_.push_back({feature, step.code, missing_left, left, after, order, 0.0});
    left = after;
    order += step.mix.total();
    if (!allowed(left) || (i + 1 == steps_.size() && !missing_alone)) continue;
    point.neg = static_cast<double>(left.neg);
    point.pos = static_cast<double>(left.pos);
    point.order = order;
    point.open_first = static_cast<std::int16_t>(step.code + 1);
    point.open_last = static_cast<std::int16_t>(step.code);
    hull_.add(point);
  }
  hull_.end_sequence();
}

template <class T, class Cell>
void SplitSearch<T, Cell>::consider_corners() {
  for (Point& corner : hull_.corners()) {
    if (corner.feature < 0) continue;
    if (std::isnan(corner.score)) corner.score = scorer_.score(corner.neg, corner.pos, node_.mix);
    if (corner.better_than(best_)) best_ = corner;
  }
}

// Above order 2 the score is not concave and any cut may win.
template <class T, class Cell>
void SplitSearch<T, Cell>::scan_every_cut(std::int32_t feature, bool missing_left) {
  values_.clear();
  if (categorical(feature) || !sample_.exact()) {
    for (const Step& step : steps_) values_.push_back({double(step.code), step.mix.neg, step.mix.pos});
  } else {
    gather(feature, 0, kMissing - 1);
  }
  const bool missing_alone = missing_.total() > 0 && !missing_left;
  Mix left = missing_left ? missing_ : Mix{};
  Point point;
  point.feature = feature;
  point.missing_left = missing_left;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    left = left + Mix{values_[i].neg, values_[i].pos};
    point.order += values_[i].neg + values_[i].pos;
    const bool last = i + 1 == values_.size();
    if ((!last && values_[i].value == values_[i + 1].value) || (last && !missing_alone)) continue;
    if (!allowed(left)) continue;
    point.neg = static_cast<double>(left.neg);
    point.pos = static_cast<double>(left.pos);
    if (categorical(feature) || !sample_.exact()) {
      point.open_first = static_cast<std::int16_t>(values_[i].value + 1);
      point.open_last = static_cast<std::int16_t>(values_[i].value);
    } else {
      point.value = values_[i].value;
      point.open_first = 0;
      point.open_last = kMissing - 1;
    }
    point.score = scorer_.score(point.neg, point.pos, node_.mix);
    if (point.better_than(best_)) best_ = point;
  }
}

// No cut inside the step scores less: it lies in the rectangle between the step's two ends, where both children
// are large enough, and a concave score is least at a corner of that region.
template <class T, class Cell>
double SplitSearch<T, Cell>::bound(const Hidden& hidden) const {
  const double neg[2] = {double(hidden.before.neg), double(hidden.after.neg)};
  const double pos[2] = {double(hidden.before.pos), double(hidden.after.pos)};
  const double limit[2] = {double(limits_.min_leaf),
                           double(node_.mix.total() - limits_.min_leaf)};
  double least = kInfinity;
  const auto consider = [&](double x, double y) {
    if (x < neg[0] || x > neg[1] || y < pos[0] || y > pos[1]) return;
    if (x + y < limit[0] || x + y > limit[1] || !hull_.reaches(x, y)) return;
    least = std::min(least, scorer_.score(x, y, node_.mix));
  };
  consider(neg[0], pos[1]);
  consider(neg[1], pos[0]);
  for (const double total : limit) {
    for (const double x : neg) consider(x, total - x);
    for (const double y : pos) consider(total - y, y);
  }
  return least;
}

template <class T, class Cell>
void SplitSearch<T, Cell>::open_hidden() {
  for (Hidden& hidden : hidden_) hidden.bound = bound(hidden);
  std::erase_if(hidden_, [this](const Hidden& hidden) { return hidden.bound > best_.score; });
  std::sort(hidden_.begin(), hidden_.end(), [](const Hidden& a, const Hidden& b) {
    return std::tuple(a.bound, a.feature, a.code, a.missing_left) <
           std::tuple(b.bound, b.feature, b.code, b.missing_left);
  });
  for (const Hidden& hidden : hidden_) {
    if (hidden.bound > best_.score) break;
    open(hidden);
  }
}

// Follows the cuts inside one step by its true values.
template <class T, class Cell>
void SplitSearch<T, Cell>::open(const Hidden& hidden) {
  gather(hidden.feature, hidden.code, hidden.code);
  Mix left = hidden.before;
  Point point;
  point.feature = hidden.feature;
  point.missing_left = hidden.missing_left;
  point.order = hidden.order;
  point.open_first = hidden.code;
  point.open_last = hidden.code;
  for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
    left = left + Mix{values_[i].neg, values_[i].pos};
    point.order += values_[i].neg + values_[i].pos;
    if (values_[i].value == values_[i + 1].value || !allowed(left)) continue;
    point.neg = static_cast<double>(left.neg);
    point.pos = static_cast<double>(left.pos);
    point.value = values_[i].value;
    hull_.add(point);
  }
  hull_.end_sequence();
  consider_corners();
}

template <class T, class Cell>
template <class Visit>
void SplitSearch<T, Cell>::for_each_row(Visit visit) const {
  for (std::uint32_t i = node_.neg.begin; i < node_.neg.end; ++i)
    visit(sample_.neg.at(i), sample_.neg.row[i], false);
  for (std::uint32_t i = node_.pos.begin; i < node_.pos.end; ++i)
    visit(sample_.pos.at(i), sample_.pos.row[i], true);
}

// The node's true values of a feature within a range of codes, sorted.
template <class T, class Cell>
void SplitSearch<T, Cell>::gather(std::int32_t feature, int first_code, int last_code) {
  const auto f = static_cast<std::size_t>(feature);
  values_.clear();
  for_each_row([&](const std::uint8_t* codes, std::uint32_t row, bool positive) {
    if (codes[f] < first_code || codes[f] > last_code) return;
    const std::int64_t weight = sample_.weight_of(row);
    values_.push_back({static_cast<double>(sample_.table(row, f)), positive ? 0 : weight,
                       positive ? weight : 0});
  });
  std::sort(values_.begin(), values_.end(),
            [](const Cell1& a, const Cell1& b) { return a.value < b.value; });
}

template <class T, class Cell>
Split SplitSearch<T, Cell>::finish(const Point& winner) {
  Split split;
  split.feature = winner.feature;
  split.missing_left = winner.missing_left;
  split.gain = scorer_.gain(winner.score);
  const Mix counts{static_cast<std::int64_t>(winner.neg), static_cast<std::int64_t>(winner.pos)};
  split.left = winner.mirrored ? node_.mix - counts : counts;
  collect_steps(winner.feature, *histogram_);
  if (missing_.total() == 0) split.missing_left = split.left.total() * 2 >= node_.mix.total();
  if (categorical(winner.feature))
    finish_category(winner, split);
  else
    finish_numeric(winner, split);
  split.side[kMissing] = split.missing_left ? Side::left : Side::right;
  return split;
}

template <class T, class Cell>
void SplitSearch<T, Cell>::finish_numeric(const Point& winner, Split& split) const {
  for (int code = 0; code < kMissing; ++code) {
    split.side[static_cast<std::size_t>(code)] = code < winner.open_first  ? Side::left
                                                 : code > winner.open_last ? Side::right
                                                                           : Side::look;
  }
  split.value = winner.value;
  split.cut = midpoint(winner);
}

// The cut as a value: halfway between the neighbours on its two sides.
template <class T, class Cell>
double SplitSearch<T, Cell>::midpoint(const Point& winner) const {
  const auto f = static_cast<std::size_t>(winner.feature);
  int last_left = -1, first_right = kMissing;  // codes next to the cut, open codes aside
  for_each_row([&](const std::uint8_t* codes, std::uint32_t, bool) {
    const int code = codes[f];
    if (code == kMissing) return;
    if (code < winner.open_first) last_left = std::max(last_left, code);
    if (code > winner.open_last) first_right = std::min(first_right, code);
  });
  constexpr double against_missing = std::numeric_limits<double>::max();  // every present value goes left
  if (!sample_.exact()) {
    if (first_right == kMissing) return against_missing;
    return static_cast<double>(sample_.coding.boundaries[f][static_cast<std::size_t>(winner.open_last)]);
  }
  double below = -kInfinity, above = kInfinity;
  for_each_row([&](const std::uint8_t* codes, std::uint32_t row, bool) {
    const int code = codes[f];
    const bool open = code >= winner.open_first && code <= winner.open_last;
    if (code == kMissing || (!open && code != last_left && code != first_right)) return;
    const auto value = static_cast<double>(sample_.table(row, f));
    const bool left = open ? value <= winner.value : code == last_left;
    if (left)
      below = std::max(below, value);
    else
      above = std::min(above, value);
  });
  return above == kInfinity ? against_missing : between(below, above);
}

template <class T, class Cell>
void SplitSearch<T, Cell>::finish_category(const Point& winner, Split& split) {
  split.category = true;
  const bool unseen_left = split.left.total() * 2 >= node_.mix.total();
  split.side.fill(unseen_left ? Side::left : Side::right);
  std::int64_t order = 0;
  for (const Step& step : steps_) {
    split.side[step.code] = order < winner.order ? Side::left : Side::right;
    set_bit(split.levels_seen, step.code);
    order += step.mix.total();
  }
  for (int level = 0; level < kMissing; ++level)
    if (split.side[static_cast<std::size_t>(level)] == Side::left) set_bit(split.levels_left, level);
}

template class SplitSearch<float, std::uint32_t>;
template class SplitSearch<float, std::int64_t>;
template class SplitSearch<double, std::uint32_t>;
template class SplitSearch<double, std::int64_t>;

}  // namespace thresher
