#include "split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thresher {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void set_bit(std::array<std::uint8_t, 32>& bits, std::size_t level) {
  bits[level / 8] |= static_cast<std::uint8_t>(1U << (level % 8));
}

// By insertion: the rows of a small node are few.
void sort_few(std::vector<std::uint32_t>& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::uint32_t value = values[i];
    std::size_t j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

double positive_rate(Mix mix) {
  return static_cast<double>(mix.pos) / static_cast<double>(mix.total());
}

}  // namespace

template <class T, class Cell>
SplitSearch<T, Cell>::SplitSearch(const Sample<T>& sample, const Criterion& criterion,
                                  SplitLimits limits)
    : sample_(sample),
      criterion_(criterion),
      limits_(limits),
      any_category_(std::ranges::any_of(sample.coding.categorical, [](auto c) { return c != 0; })),
      scorer_(criterion, Mix{1, 1}) {}

// Comparing costs rare * other, a histogram rows plus its cells; weights and categories need the histogram.
template <class T, class Cell>
bool SplitSearch<T, Cell>::prefers_comparisons(const NodeRows& node) const {
  constexpr std::size_t rows_worth_of_cells = 600;
  const std::size_t rare = std::min(node.neg.size(), node.pos.size());
  const std::size_t other = std::max(node.neg.size(), node.pos.size());
  return sample_.weight.empty() && !any_category_ && rare <= kMaxAnchors &&
         rare * other <= 8 * (other + rows_worth_of_cells);
}

template <class T, class Cell>
std::optional<Split> SplitSearch<T, Cell>::best(const NodeRows& node,
                                                const Histogram<Cell>* histogram,
                                                std::span<const std::int32_t> features) {
  node_ = node;
  histogram_ = histogram;
  if (!histogram) {
    const bool pos_is_rare = node.pos.size() <= node.neg.size();
    if (pos_is_rare)
      comparisons_.count(sample_.pos, node.pos, sample_.neg, node.neg);
    else
      comparisons_.count(sample_.neg, node.neg, sample_.pos, node.pos);
  }
  scorer_ = Scorer(criterion_, node.mix);
  best_ = Cut{};
  best_.score = kInfinity;
  if (criterion_.gain_ratio)
    search_by_ratio(features);
  else
    search(features);
  if (best_.feature < 0) return std::nullopt;
  const double gain = scorer_.gain(best_.score);
  if (!(gain > kNoGain && gain >= limits_.min_gain)) return std::nullopt;
  return finish(best_);
}

template <class T, class Cell>
void SplitSearch<T, Cell>::search(std::span<const std::int32_t> features) {
  hull_.reset(node_.mix);
  hidden_.clear();
  for (const std::int32_t feature : features) {
    collect_steps(feature);
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
void SplitSearch<T, Cell>::search_by_ratio(std::span<const std::int32_t> features) {
  struct Candidate {
    Cut cut;
    double gain;
  };
  std::vector<Candidate> candidates;
  double sum = 0.0;
  for (const std::int32_t& feature : features) {
    best_ = Cut{};
    best_.score = kInfinity;
    any_cut_ = false;
    search(std::span(&feature, 1));
    if (!any_cut_) continue;
    const double gain = best_.feature < 0 ? 0.0 : scorer_.gain(best_.score);
    candidates.push_back({best_, gain - charge(feature)});
    sum += candidates.back().gain;
  }
  const double average = sum / static_cast<double>(candidates.size());
  best_ = Cut{};
  double best_ratio = 0.0;
  for (const auto& [cut, gain] : candidates) {
    if (gain <= kNoGain || gain < average - kNoGain) continue;
    const Mix left{static_cast<std::int64_t>(cut.neg), static_cast<std::int64_t>(cut.pos)};
    const double ratio = gain / scorer_.split_information(left);
    if (ratio > best_ratio) {
      best_ratio = ratio;
      best_ = cut;
    }
  }
}

// C4.5's charge for choosing among the cuts of a numeric feature: log2(cuts) / n.
template <class T, class Cell>
double SplitSearch<T, Cell>::charge(std::int32_t feature) {
  if (!criterion_.mdl || categorical(feature)) return 0.0;
  std::vector<double> values;
  const auto f = static_cast<std::size_t>(feature);
  for_each_row([&](const std::uint8_t* codes, std::uint32_t row, bool) {
    if (codes[f] != kMissing) values.push_back(sample_.value(row, codes, f));
  });
  keep_distinct(values);
  if (values.size() < 2) return 0.0;
  return elementary::log(static_cast<double>(values.size() - 1)) / elementary::kLn2 /
         static_cast<double>(node_.size());
}

// ---- the path of a feature's cuts -------------------------------------------------------------------------------

template <class T, class Cell>
void SplitSearch<T, Cell>::collect_steps(std::int32_t feature) {
  steps_.clear();
  if (histogram_)
    steps_from_histogram(static_cast<std::size_t>(feature));
  else
    steps_from_comparisons(static_cast<std::size_t>(feature));
  if (categorical(feature)) sort_levels_by_rate();
}

// Codes of the rarer class one by one, and between them runs of the other class: no cut inside a run of one class
// can win, but for the first and the last allowed one. Each level of a category stands alone.
template <class T, class Cell>
void SplitSearch<T, Cell>::steps_from_histogram(std::size_t feature) {
  const Cell* neg = histogram_->neg(feature);
  const Cell* pos = histogram_->pos(feature);
  const Cell* rare = node_.pos.size() <= node_.neg.size() ? pos : neg;
  const bool category = sample_.coding.categorical[feature] != 0;
  Step run;  // being collected
  for (int code = 0; code < kMissing; ++code) {
    if ((neg[code] | pos[code]) == 0) continue;
    const Mix mix{static_cast<std::int64_t>(neg[code]), static_cast<std::int64_t>(pos[code])};
    const auto place = static_cast<std::int16_t>(code);
    if (rare[code] == 0 && !category) {
      if (run.mix.total() == 0) run.first = place;
      run.mix = run.mix + mix;
      run.last = place;
      continue;
    }
    if (run.mix.total() > 0) steps_.push_back({run.mix, run.first, run.last, true});
    run.mix = Mix{};
    steps_.push_back({mix, place, place, sample_.exact() && !category && code % 2 == 0});
  }
  if (run.mix.total() > 0) steps_.push_back({run.mix, run.first, run.last, true});
  missing_ = {static_cast<std::int64_t>(neg[kMissing]), static_cast<std::int64_t>(pos[kMissing])};
}

// The codes of the rare rows in order, and between them runs of the other class.
template <class T, class Cell>
void SplitSearch<T, Cell>::steps_from_comparisons(std::size_t feature) {
  const bool pos_is_rare = node_.pos.size() <= node_.neg.size();
  const ClassRows& rows = pos_is_rare ? sample_.pos : sample_.neg;
  const Range range = pos_is_rare ? node_.pos : node_.neg;
  const auto mix = [pos_is_rare](std::int64_t rare, std::int64_t other) {
    return pos_is_rare ? Mix{other, rare} : Mix{rare, other};
  };
  rare_order_.resize(range.size());
  for (std::uint32_t i = 0; i < range.size(); ++i)
    rare_order_[i] = std::uint32_t{rows.at(range.begin + i)[feature]} << 16 | i;
  sort_few(rare_order_);
  std::uint32_t seen = 0;  // rows of the other class up to the last step
  int next_code = 0;
  std::size_t i = 0;
  const auto add_run = [&](std::uint32_t up_to, int last) {
    if (up_to > seen)
      steps_.push_back({mix(0, up_to - seen), static_cast<std::int16_t>(next_code),
                        static_cast<std::int16_t>(last), true});
    seen = up_to;
  };
  const auto code_at = [this](std::size_t at) { return static_cast<int>(rare_order_[at] >> 16); };
  while (i < rare_order_.size() && code_at(i) != kMissing) {
    const int code = code_at(i);
    const std::size_t row = rare_order_[i] & 0xffff;
    std::int64_t rare = 0;
    for (; i < rare_order_.size() && code_at(i) == code; ++i) ++rare;
    add_run(comparisons_.below(row, feature), code - 1);
    const std::uint32_t up_to = comparisons_.up_to(row, feature);
    const auto place = static_cast<std::int16_t>(code);
    steps_.push_back({mix(rare, up_to - seen), place, place, sample_.exact() && code % 2 == 0});
    seen = up_to;
    next_code = code + 1;
  }
  const std::uint32_t present = comparisons_.present(feature);
  add_run(present, kMissing - 1);
  const auto others = static_cast<std::int64_t>(std::max(node_.neg.size(), node_.pos.size()));
  missing_ = mix(static_cast<std::int64_t>(rare_order_.size() - i), others - present);
}

template <class T, class Cell>
void SplitSearch<T, Cell>::sort_levels_by_rate() {
  std::stable_sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
    return positive_rate(a.mix) < positive_rate(b.mix);
  });
}

template <class T, class Cell>
bool SplitSearch<T, Cell>::large_enough(Mix child) const {
  return child.total() >= limits_.min_leaf &&
         (limits_.min_leaf_share <= 0.0 || scorer_.weighted(child) >= limits_.min_leaf_share);
}

template <class T, class Cell>
bool SplitSearch<T, Cell>::allowed(Mix left) const {
  return large_enough(left) && large_enough(node_.mix - left);
}

// Whether the first or the last allowed cut lies inside a step.
template <class T, class Cell>
bool SplitSearch<T, Cell>::limit_inside(Mix before, Mix after) const {
  return large_enough(before) != large_enough(after) ||
         large_enough(node_.mix - before) != large_enough(node_.mix - after);
}

// Cuts inside a step matter if it mixes the classes, or if the first or the last allowed cut is among them.
template <class T, class Cell>
bool SplitSearch<T, Cell>::hides_cut(Mix before, Mix after) const {
  if (after.total() <= limits_.min_leaf) return false;
  if (before.total() >= node_.mix.total() - limits_.min_leaf) return false;
  const bool mixed = after.neg > before.neg && after.pos > before.pos;
  if (mixed) return true;
  // On the straight way to an end of the hull nothing beats the allowed cut at the other end of the step.
  if (before.total() == 0 && allowed(after)) return false;
  if (after == node_.mix && allowed(before)) return false;
  return limit_inside(before, after);
}

// Follows the cuts of a feature from left to right into the hull.
template <class T, class Cell>
void SplitSearch<T, Cell>::walk(std::int32_t feature, bool missing_left) {
  const bool missing_alone = missing_.total() > 0 && !missing_left;
  const std::size_t n_cuts = steps_.size() - (missing_alone || steps_.empty() ? 0 : 1);
  const Mix offset = missing_left ? missing_ : Mix{};
  Mix left = offset;
  bool was_allowed = false;  // the cut before the step
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const Mix after = left + step.mix;
    const std::int64_t order = after.total() - offset.total();
    const bool is_allowed = i < n_cuts && allowed(after);
    any_cut_ |= is_allowed;
    const bool plain = step.mix.pure() && was_allowed && is_allowed;  // nothing can be hidden inside
    if (step.open && !plain && hides_cut(left, after))
      hidden_.push_back({feature, step.first, step.last, missing_left, left, after,
                         order - step.mix.total(), 0.0});
    if (is_allowed)
      hull_.add(static_cast<double>(after.neg), static_cast<double>(after.pos), order,
                static_cast<std::int32_t>(i));
    left = after;
    was_allowed = is_allowed;
  }
  hull_.end_sequence(feature, missing_left, [this](std::int32_t i, Cut& cut) {
    const auto next = static_cast<std::size_t>(i) + 1;
    cut.left_code = steps_[next - 1].last;
    cut.right_code = next < steps_.size() ? steps_[next].first : static_cast<std::int16_t>(kMissing);
  });
}

template <class T, class Cell>
void SplitSearch<T, Cell>::consider_corners() {
  for (Cut& corner : hull_.corners()) {
    if (corner.feature < 0) continue;
    if (std::isnan(corner.score)) corner.score = scorer_.score(corner.neg, corner.pos, node_.mix);
    if (corner.better_than(best_)) best_ = corner;
  }
}

// ---- cuts hidden inside steps -----------------------------------------------------------------------------------

// No cut inside the step scores less: it lies in the rectangle between the step's two ends, where both children
// are large enough, and a concave score is least at a corner of that region.
template <class T, class Cell>
double SplitSearch<T, Cell>::bound(const Hidden& hidden) const {
  const double neg[2] = {double(hidden.before.neg), double(hidden.after.neg)};
  const double pos[2] = {double(hidden.before.pos), double(hidden.after.pos)};
  const double limit[2] = {double(limits_.min_leaf), double(node_.mix.total() - limits_.min_leaf)};
  double least = kInfinity;
  const auto consider = [&](double x, double y) {
    if (x < neg[0] || x > neg[1] || y < pos[0] || y > pos[1]) return;
    if (hull_.reaches(x, y)) least = std::min(least, scorer_.score(x, y, node_.mix));
  };
  const auto consider_if_large = [&](double x, double y) {
    if (x + y >= limit[0] && x + y <= limit[1]) consider(x, y);
  };
  if (limits_.min_leaf_share > 0.0) {  // rarely used: the whole rectangle will do
    for (const double x : neg)
      for (const double y : pos) consider(x, y);
    return least;
  }
  consider_if_large(neg[0], pos[1]);
  consider_if_large(neg[1], pos[0]);
  if (!limit_inside(hidden.before, hidden.after)) return least;
  for (const double total : limit) {
    for (const double x : neg) consider_if_large(x, total - x);
    for (const double y : pos) consider_if_large(total - y, y);
  }
  return least;
}

// Opens what could win, the most promising feature first.
template <class T, class Cell>
void SplitSearch<T, Cell>::open_hidden() {
  for (Hidden& hidden : hidden_) hidden.bound = bound(hidden);
  const auto hopeless = [this](const Hidden& hidden) { return hidden.bound > best_.score; };
  while (true) {
    std::erase_if(hidden_, hopeless);
    if (hidden_.empty()) return;
    const auto first = std::ranges::min_element(hidden_, {}, [](const Hidden& hidden) {
      return std::tuple(hidden.bound, hidden.feature);
    });
    const auto rest = std::stable_partition(
        hidden_.begin(), hidden_.end(),
        [feature = first->feature](const Hidden& hidden) { return hidden.feature != feature; });
    open_feature(std::span(rest, hidden_.end()));
    hidden_.erase(rest, hidden_.end());
  }
}

// Follows the cuts inside steps of one feature by the values of their rows.
template <class T, class Cell>
void SplitSearch<T, Cell>::open_feature(std::span<const Hidden> hidden) {
  gather_marks(hidden);
  count_between_marks(static_cast<std::size_t>(hidden.front().feature));
  for (const Hidden& step : hidden) open(step);
  consider_corners();
}

// Marks are the values that a path through the opened steps must visit: those of the rarer class, and every one
// where the first or the last allowed cut has to be found.
template <class T, class Cell>
void SplitSearch<T, Cell>::gather_marks(std::span<const Hidden> hidden) {
  slots_.fill(Slot::closed);
  for (const Hidden& step : hidden) {
    const bool every_value = limit_inside(step.before, step.after);
    for (auto code = static_cast<std::size_t>(step.first); code <= static_cast<std::size_t>(step.last); ++code)
      slots_[code] = std::max(slots_[code], every_value ? Slot::every_value : Slot::rare_values);
  }
  collect_marks(static_cast<std::size_t>(hidden.front().feature));
}

// The values of the slots, sorted, equal ones as one.
template <class T, class Cell>
void SplitSearch<T, Cell>::collect_marks(std::size_t feature) {
  const bool pos_is_rare = node_.pos.size() <= node_.neg.size();
  const std::size_t f = feature;
  marks_.clear();
  const auto mark_if_at_least = [&](const ClassRows& rows, Range range, bool positive, Slot least) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const std::uint8_t code = rows.at(i)[f];
      if (slots_[code] < least) continue;
      const std::int64_t weight = sample_.weight_of(rows.row[i]);
      marks_.push_back({sample_.value(rows.row[i], rows.at(i), f), code,
                        positive ? Mix{0, weight} : Mix{weight, 0}, {}});
    }
  };
  const bool every_value = std::ranges::find(slots_, Slot::every_value) != slots_.end();
  if (pos_is_rare || every_value)
    mark_if_at_least(sample_.pos, node_.pos, true, pos_is_rare ? Slot::rare_values : Slot::every_value);
  if (!pos_is_rare || every_value)
    mark_if_at_least(sample_.neg, node_.neg, false, pos_is_rare ? Slot::every_value : Slot::rare_values);
  std::sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) { return a.value < b.value; });
  std::size_t kept = 0;
  for (const Mark& mark : marks_) {
    if (kept > 0 && marks_[kept - 1].value == mark.value)
      marks_[kept - 1].at = marks_[kept - 1].at + mark.at;
    else
      marks_[kept++] = mark;
  }
  marks_.resize(kept);
}

// Deals the rows of the other class to the marks and the gaps before them.
template <class T, class Cell>
void SplitSearch<T, Cell>::count_between_marks(std::size_t feature) {
  const bool pos_is_rare = node_.pos.size() <= node_.neg.size();
  const ClassRows& rows = pos_is_rare ? sample_.neg : sample_.pos;
  const Range range = pos_is_rare ? node_.neg : node_.pos;
  others_.resize(range.size());
  std::size_t n_others = 0;
  for (std::uint32_t i = range.begin; i < range.end; ++i) {  // no branch depends on the data
    const std::uint8_t code = rows.at(i)[feature];
    others_[n_others] = {rows.row[i], code};
    n_others += slots_[code] == Slot::rare_values;
  }
  others_.resize(n_others);
  other_values_.resize(n_others);
  for (std::size_t i = 0; i < n_others; ++i) {
    const auto [row, code] = others_[i];
    other_values_[i] = sample_.exact() ? static_cast<double>(sample_.table(row, feature)) : code;
  }
  std::vector<double> values;
  for (const Mark& mark : marks_) values.push_back(mark.value);
  const Boundaries<double, std::uint32_t> boundaries(std::move(values), others_.size());
  ranks_.resize(others_.size());
  boundaries.count_below(other_values_.data(), others_.size(), ranks_.data());
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const auto rank = static_cast<std::size_t>(ranks_[i]);
    // Rows above their step's last mark are not needed: no cut that matters follows them.
    if (rank == marks_.size() || marks_[rank].code != others_[i].code) continue;
    Mix& mix = marks_[rank].value == other_values_[i] ? marks_[rank].at : marks_[rank].before;
    (pos_is_rare ? mix.neg : mix.pos) += sample_.weight_of(others_[i].row);
  }
}

template <class T, class Cell>
void SplitSearch<T, Cell>::open(const Hidden& hidden) {
  Mix left = hidden.before;
  std::int64_t order = hidden.order;
  const auto first = std::ranges::lower_bound(marks_, hidden.first, {}, &Mark::code);
  for (auto mark = first; mark != marks_.end() && mark->code <= hidden.last; ++mark) {
    const auto place = static_cast<std::int32_t>(2 * (mark - marks_.begin()));
    for (const auto& [mix, offset] : {std::pair(mark->before, 0), std::pair(mark->at, 1)}) {
      if (mix.total() == 0) continue;
      left = left + mix;
      order += mix.total();
      if (left == hidden.after || !allowed(left)) continue;
      any_cut_ = true;
      hull_.add(static_cast<double>(left.neg), static_cast<double>(left.pos), order, place + offset);
    }
  }
  hull_.end_sequence(hidden.feature, hidden.missing_left, [&](std::int32_t place, Cut& cut) {
    const double value = marks_[static_cast<std::size_t>(place / 2)].value;
    cut.value = place % 2 == 1 ? value : std::nextafter(value, -kInfinity);
    cut.left_code = static_cast<std::int16_t>(hidden.first - 1);
    cut.right_code = static_cast<std::int16_t>(hidden.last + 1);
  });
}

template <class T, class Cell>
template <class Visit>
void SplitSearch<T, Cell>::for_each_row(Visit visit) const {
  for (std::uint32_t i = node_.neg.begin; i < node_.neg.end; ++i)
    visit(sample_.neg.at(i), sample_.neg.row[i], false);
  for (std::uint32_t i = node_.pos.begin; i < node_.pos.end; ++i)
    visit(sample_.pos.at(i), sample_.pos.row[i], true);
}

// ---- other ways and ends ----------------------------------------------------------------------------------------

// Above order 2 the score is not concave and any cut may win.
template <class T, class Cell>
void SplitSearch<T, Cell>::scan_every_cut(std::int32_t feature, bool missing_left) {
  const auto f = static_cast<std::size_t>(feature);
  const bool by_value = sample_.exact() && !categorical(feature);
  std::vector<Mark> path;
  if (by_value) {
    slots_.fill(Slot::every_value);
    slots_[kMissing] = Slot::closed;
    collect_marks(f);
    path = marks_;
  } else {
    for (const Step& step : steps_) path.push_back({0.0, step.last, step.mix, {}});
  }
  const bool missing_alone = missing_.total() > 0 && !missing_left;
  Cut cut;
  cut.feature = feature;
  cut.missing_left = missing_left;
  Mix left = missing_left ? missing_ : Mix{};
  for (std::size_t i = 0; i < path.size(); ++i) {
    left = left + path[i].at;
    cut.order += path[i].at.total();
    if (!allowed(left) || (i + 1 == path.size() && !missing_alone)) continue;
    cut.neg = static_cast<double>(left.neg);
    cut.pos = static_cast<double>(left.pos);
    cut.value = path[i].value;
    cut.left_code = by_value ? std::int16_t{-1} : path[i].code;
    cut.right_code = static_cast<std::int16_t>(by_value ? kMissing : path[i].code + 1);
    cut.score = scorer_.score(cut.neg, cut.pos, node_.mix);
    if (cut.better_than(best_)) best_ = cut;
  }
}

template <class T, class Cell>
Split SplitSearch<T, Cell>::finish(const Cut& winner) {
  Split split;
  split.feature = winner.feature;
  split.missing_left = winner.missing_left;
  split.gain = scorer_.gain(winner.score);
  const Mix counts{static_cast<std::int64_t>(winner.neg), static_cast<std::int64_t>(winner.pos)};
  split.left = winner.mirrored ? node_.mix - counts : counts;
  collect_steps(winner.feature);
  if (missing_.total() == 0) split.missing_left = heavier_left(split);
  if (categorical(winner.feature))
    finish_category(winner, split);
  else
    finish_numeric(winner, split);
  split.side[kMissing] = split.missing_left ? Split::kLeft : Split::kRight;
  return split;
}

template <class T, class Cell>
void SplitSearch<T, Cell>::finish_numeric(const Cut& winner, Split& split) const {
  split.value = winner.value;
  for (int code = 0; code < kMissing; ++code) {
    split.side[static_cast<std::size_t>(code)] = code <= winner.left_code    ? Split::kLeft
                                                 : code >= winner.right_code ? Split::kRight
                                                                             : Split::kLook;
  }
  // A cut between two steps: its neighbours are in them. A cut inside a step: they are where the value decides.
  for (const Step& step : steps_) {
    if (step.last != winner.left_code && step.first != winner.right_code) continue;
    for (int code = step.first; code <= step.last; ++code)
      split.side[static_cast<std::size_t>(code)] |= Split::kBorder;
  }
}

template <class T, class Cell>
void SplitSearch<T, Cell>::finish_category(const Cut& winner, Split& split) const {
  split.category = true;
  split.side.fill(heavier_left(split) ? Split::kLeft : Split::kRight);  // levels that the node never saw
  std::int64_t order = 0;
  for (const Step& step : steps_) {
    const auto level = static_cast<std::size_t>(step.first);
    split.side[level] = order < winner.order ? Split::kLeft : Split::kRight;
    set_bit(split.levels_seen, level);
    order += step.mix.total();
  }
  for (std::size_t level = 0; level < kMissing; ++level)
    if (split.side[level] == Split::kLeft) set_bit(split.levels_left, level);
}

template class SplitSearch<float, std::uint32_t>;
template class SplitSearch<float, std::int64_t>;
template class SplitSearch<double, std::uint32_t>;
template class SplitSearch<double, std::int64_t>;

}  // namespace thresher
