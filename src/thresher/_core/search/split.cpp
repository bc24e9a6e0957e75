#include "search/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/distinct.hpp"

namespace thresher {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class T, class Cell>
SplitSearch<T, Cell>::SplitSearch(const Sample<T>& sample, const Criterion& criterion,
                                  SplitLimits limits, std::size_t n_drawn,
                                  std::function<void()> poll)
    : CutSearch(criterion, limits),
      sample_(sample),
      poll_(std::move(poll)),
      path_(sample, n_drawn),
      opening_(sample),
      sorted_(sample.table().n_features) {}

template <class T, class Cell>
std::optional<Split> SplitSearch<T, Cell>::best(const NodeRows& node, const Scorer& scorer,
                                                const Histogram<Cell>* histogram,
                                                std::span<const std::int32_t> features) {
  node_ = node;
  path_.enter(node, histogram);
  enter_node(node.mix, scorer);
  if (criterion_.gain_ratio)
    search_by_ratio(
        features, [this](std::int32_t feature) { search(std::span(&feature, 1)); },
        [this](std::int32_t feature) { return charge(feature); });
  else
    search(features);
  if (!found()) return std::nullopt;
  return finish();
}

template <class T, class Cell>
void SplitSearch<T, Cell>::search(std::span<const std::int32_t> features) {
  hull_.reset(mix_);
  hidden_.clear();
  for (const std::int32_t feature : features) {
    path_.follow(static_cast<std::size_t>(feature));
    for (const bool missing_left : {false, true}) {
      if (missing_left && path_.missing().total() == 0) continue;
      if (scorer_.concave())
        look_inside(feature, missing_left);
      else
        scan_every_cut(feature, missing_left);
    }
  }
  consider_corners();
  open_hidden();
}

template <class T, class Cell>
double SplitSearch<T, Cell>::charge(std::int32_t feature) {
  const auto f = static_cast<std::size_t>(feature);
  if (!criterion_.mdl || sample_.category(f)) return 0.0;
  std::vector<double> values;
  for (const ClassPart& part : {rare_part(sample_, node_), other_part(sample_, node_)}) {
    for (std::uint32_t i = part.range.begin; i < part.range.end; ++i)
      if (part.rows.at(i)[f] != kMissing) values.push_back(sample_.value(part.rows.row[i], f));
  }
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); }))
    throw TableChanged{};
  keep_distinct(values);
  return charge_for(values.size(), static_cast<std::size_t>(sample_.drawn(node_).total()));
}

// ---- the cuts of a feature ----

// The quick answer for most steps between two allowed cuts: they do not mix the classes, or the
// region of their inner cuts lies inside the hull.
template <class T, class Cell>
bool SplitSearch<T, Cell>::nothing_inside(Mix before, Mix after) const {
  const bool pure = before.neg == after.neg || before.pos == after.pos;
  return pure || (hull_.clearly_inside(double(before.neg), double(after.pos)) &&
                  hull_.clearly_inside(double(after.neg), double(before.pos)));
}

// Follows the cuts of a feature, and remembers the steps that may hide a better one.
template <class T, class Cell>
void SplitSearch<T, Cell>::look_inside(std::int32_t feature, bool missing_left) {
  walk(known_steps(static_cast<std::size_t>(feature), missing_left), path_.missing(), feature,
       missing_left,
       [&](const Step& step, Mix before, Mix after, std::int64_t order, bool between_allowed) {
         if (!step.open || (between_allowed && nothing_inside(before, after))) return;
         if (hides_cut(before, after))
           hidden_.push_back(
               {feature, step.first, step.last, missing_left, before, after, order, 0.0});
       });
}

// The steps of a feature, finer where it is known what is inside them.
template <class T, class Cell>
const std::vector<Step>& SplitSearch<T, Cell>::known_steps(std::size_t feature, bool missing_left) {
  if (!sorted_.any(feature)) return path_.steps();
  steps_.clear();
  Mix before = missing_left ? path_.missing() : Mix{};
  for (const Step& step : path_.steps()) {
    const Mix after = before + step.mix;
    const std::span<const Step> inside = sorted_.inside(node_, feature, step);
    if (!inside.empty() && corners_suffice(before, after, inside))
      steps_.insert(steps_.end(), inside.begin(), inside.end());
    else
      steps_.push_back(step);
    before = after;
  }
  return steps_;
}

// ---- cuts hidden inside steps ----

// No cut inside the step scores less: it lies in the rectangle between the step's two ends, where
// both children are large enough, and a concave score is least at a corner of that region.
template <class T, class Cell>
double SplitSearch<T, Cell>::bound(const Hidden& hidden) const {
  const double neg[2] = {double(hidden.before.neg), double(hidden.after.neg)};
  const double pos[2] = {double(hidden.before.pos), double(hidden.after.pos)};
  const double limit[2] = {double(limits_.min_leaf), double(mix_.total() - limits_.min_leaf)};
  double least = kInfinity;
  const auto consider = [&](double x, double y) {
    if (x < neg[0] || x > neg[1] || y < pos[0] || y > pos[1]) return;
    if (hull_.reaches(x, y)) least = std::min(least, scorer_.score(x, y, mix_));
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
    const auto first = std::ranges::min_element(
        hidden_, {}, [](const Hidden& hidden) { return std::tuple(hidden.bound, hidden.feature); });
    const auto rest = std::stable_partition(
        hidden_.begin(), hidden_.end(),
        [feature = first->feature](const Hidden& hidden) { return hidden.feature != feature; });
    open_feature(std::span(rest, hidden_.end()));
    hidden_.erase(rest, hidden_.end());
  }
}

// Looks inside steps of one feature, at the values of their rows.
template <class T, class Cell>
void SplitSearch<T, Cell>::open_feature(std::span<const Hidden> hidden) {
  poll_();
  opening_.close();
  for (const Hidden& step : hidden) opening_.open(step.first, step.last);
  opening_.gather(node_, static_cast<std::size_t>(hidden.front().feature));
  for (const Hidden& step : hidden) {
    if (step.bound > best_.score) continue;
    const std::span<const Entry> entries = opening_.entries(step.first);
    if (step.first == step.last)
      sorted_.notice(node_, static_cast<std::size_t>(step.feature), step.first,
                     step.after - step.before, entries, sample_.weights());
    refine(step, entries, Buckets::Anchors::sampled);
  }
}

// Follows the cuts between the buckets of a step, and again inside of those that could win. Where
// the sample was unlucky and a bucket holds most of the entries, the next anchors are quantiles: a
// call and the one inside it halve the entries at least, which bounds the depth.
template <class T, class Cell>
void SplitSearch<T, Cell>::refine(const Hidden& hidden, std::span<const Entry> entries,
                                  Buckets::Anchors anchors) {
  Buckets buckets(entries, sample_.weights(), anchors);
  std::vector<std::pair<Hidden, std::size_t>> deeper;
  Hidden inner = hidden;
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    const Mix mix = buckets.mix(bucket);
    if (mix.total() == 0) continue;
    inner.after = inner.before + mix;
    if (Buckets::open(bucket) && hides_cut(inner.before, inner.after))
      deeper.emplace_back(inner, bucket);
    inner.before = inner.after;
    inner.order += mix.total();
    if (inner.after == hidden.after || !allowed(inner.after)) continue;
    any_cut_ = true;
    hull_.add(static_cast<double>(inner.after.neg), static_cast<double>(inner.after.pos),
              inner.order, static_cast<std::int32_t>(bucket));
  }
  hull_.end_sequence(hidden.feature, hidden.missing_left, [&](std::int32_t bucket, Cut& cut) {
    cut.value = buckets.last_value(static_cast<std::size_t>(bucket));
    cut.left_code = static_cast<std::int16_t>(hidden.first - 1);
    cut.right_code = static_cast<std::int16_t>(hidden.last + 1);
  });
  consider_corners();
  bool sorted = false;
  for (const auto& [step, bucket] : deeper) {
    if (bound(step) > best_.score) continue;
    if (!std::exchange(sorted, true)) buckets.sort();
    const std::span<const Entry> inside = buckets.entries(bucket);
    const bool unlucky = inside.size() > entries.size() / 2;
    refine(step, inside, unlucky ? Buckets::Anchors::quantiles : Buckets::Anchors::sampled);
  }
}

// ---- other ways and ends ----

// Above order 2 the score is not concave and any cut may win.
template <class T, class Cell>
void SplitSearch<T, Cell>::scan_every_cut(std::int32_t feature, bool missing_left) {
  const auto f = static_cast<std::size_t>(feature);
  if (sample_.category(f) || path_.by_values(node_))
    return scan(path_.steps(), path_.missing(), feature, missing_left);
  Cut cut;
  cut.feature = feature;
  cut.missing_left = missing_left;
  Mix left = missing_left ? path_.missing() : Mix{};
  opening_.close();
  opening_.open(0, kMissing - 1);
  opening_.gather(node_, f);
  const std::span<const Entry> found = opening_.entries(0);
  std::vector<Entry> entries(found.begin(), found.end());
  std::ranges::sort(entries, {}, &Entry::value);
  cut.right_code = kMissing;  // the value decides for every code
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::int64_t weight = sample_.weight_of(entries[i].row, entries[i].times);
    (entries[i].positive ? left.pos : left.neg) += weight;
    cut.order += weight;
    if (i + 1 < entries.size() && entries[i].value == entries[i + 1].value) continue;
    cut.value = entries[i].value;
    consider(cut, left);
  }
}

template <class T, class Cell>
Split SplitSearch<T, Cell>::finish() {
  const auto feature = static_cast<std::size_t>(best_.feature);
  const bool category = sample_.category(feature);
  if (category) path_.follow(feature);
  Split split = CutSearch::finish(path_.steps(), path_.any_missing(feature), category);
  split.value = best_.value;
  return split;
}

template class SplitSearch<float, std::uint32_t>;
template class SplitSearch<float, std::int64_t>;
template class SplitSearch<double, std::uint32_t>;
template class SplitSearch<double, std::int64_t>;

}  // namespace thresher
