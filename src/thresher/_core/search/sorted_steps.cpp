#include "search/sorted_steps.hpp"

#include <algorithm>
#include <iterator>

namespace thresher {
namespace {

bool within(Range inner, Range outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}
// Nodes share rows only with their ancestors.
bool within(const NodeRows& inner, const NodeRows& outer) {
  return within(inner.neg, outer.neg) && within(inner.pos, outer.pos);
}

bool under(Mix a, Mix b, Mix c) {
  return on_or_under(double(a.neg), double(a.pos), double(b.neg), double(b.pos), double(c.neg),
                     double(c.pos));
}
bool over(Mix a, Mix b, Mix c) {  // the axes exchanged
  return under({a.pos, a.neg}, {b.pos, b.neg}, {c.pos, c.neg});
}

// Numbers of the points that are corners of the chain on one side of a rising path.
template <class Hidden>
void find_chain(const std::vector<Mix>& path, std::vector<std::size_t>& chain, Hidden hidden) {
  chain.clear();
  for (std::size_t i = 0; i < path.size(); ++i) {
    while (chain.size() >= 2 && hidden(path[chain[chain.size() - 2]], path[chain.back()], path[i]))
      chain.pop_back();
    chain.push_back(i);
  }
}

}  // namespace

std::span<const Step> SortedSteps::inside(const NodeRows& node, std::size_t feature,
                                          const Step& step) const {
  if (!step.open || step.first != step.last) return {};
  const Kept* kept = find(feature, step.first);
  if (!kept || kept->values.empty() || kept->mix != step.mix || !within(node, kept->node))
    return {};
  return kept->inside;
}

void SortedSteps::notice(const NodeRows& node, std::size_t feature, int code, Mix mix,
                         std::span<const Entry> entries, const std::int64_t* weight) {
  if (kept_[feature].empty()) kept_[feature].resize(kCells);
  std::unique_ptr<Kept>& place = kept_[feature][static_cast<std::size_t>(code)];
  if (!place) place = std::make_unique<Kept>();
  Kept& kept = *place;
  const bool same = within(node, kept.node) && (kept.mix == mix || kept.narrowed);
  if (same && kept.mix == mix && !kept.values.empty()) return;
  kept.openings = same ? kept.openings + 1 : 1;
  kept.node = node;
  kept.mix = mix;
  kept.narrowed = false;
  n_sorted_[feature] -= !kept.values.empty();
  kept.values.clear();
  if (kept.openings < kOften) return;
  sort(kept, entries, weight);
  find_corners(kept, code);
  ++n_sorted_[feature];
}

void SortedSteps::narrow(const Split& split, const NodeRows& child, bool right) {
  const int code = split.left_code + 1;
  const auto feature = static_cast<std::size_t>(split.feature);
  if (split.category || split.right_code != code + 1) return;
  Kept* const place = find(feature, code);
  if (!place || !within(child, place->node)) return;
  Kept& kept = *place;
  kept.node = child;
  kept.narrowed = true;
  if (kept.values.empty()) return;
  const auto cut = std::ranges::upper_bound(kept.values, split.value, {}, &Value::value);
  if (right)
    kept.values.erase(kept.values.begin(), cut);
  else
    kept.values.erase(cut, kept.values.end());
  if (kept.values.empty())
    --n_sorted_[feature];
  else
    find_corners(kept, code);
}

void SortedSteps::sort(Kept& kept, std::span<const Entry> entries, const std::int64_t* weight) {
  for (const auto& [value, row, times, positive] : entries) {
    const std::int64_t drawn = weight ? weight[row] * times : times;
    kept.values.push_back({value, positive ? Mix{0, drawn} : Mix{drawn, 0}});
  }
  std::ranges::sort(kept.values, {}, &Value::value);
  auto last = kept.values.begin();
  for (auto next = last + 1; next < kept.values.end(); ++next) {
    if (next->value == last->value)
      last->mix = last->mix + next->mix;
    else
      *++last = *next;
  }
  kept.values.erase(last + 1, kept.values.end());
}

void SortedSteps::find_corners(Kept& kept, int code) {
  sums_.assign(1, Mix{});
  for (const Value& value : kept.values) sums_.push_back(sums_.back() + value.mix);
  kept.mix = sums_.back();
  find_chain(sums_, upper_, under);
  find_chain(sums_, lower_, over);
  std::vector<std::size_t> corners;
  std::ranges::set_union(upper_, lower_, std::back_inserter(corners));
  kept.inside.clear();
  const auto place = static_cast<std::int16_t>(code);
  for (std::size_t i = 1; i < corners.size(); ++i)
    kept.inside.push_back({sums_[corners[i]] - sums_[corners[i - 1]], place, place, false,
                           kept.values[corners[i] - 1].value});
}

}  // namespace thresher
