#include "search/cuts.hpp"

#include <cmath>

namespace thresher {

std::array<std::uint8_t, kCells> Split::sides() const {
  std::array<std::uint8_t, kCells> side;
  if (category) {
    for (std::size_t level = 0; level < kMissing; ++level)
      side[level] = has_bit(levels_left.data(), level) ? kLeft : kRight;
  } else {
    std::fill(side.begin(), side.begin() + left_code + 1, kLeft);
    std::fill(side.begin() + left_code + 1, side.begin() + right_code, kLook);
    std::fill(side.begin() + right_code, side.end(), kRight);
  }
  side[kMissing] = missing_left ? kLeft : kRight;
  return side;
}

bool CutSearch::hides_cut(Mix before, Mix after) const {
  if (after.total() <= limits_.min_leaf) return false;
  if (before.total() >= mix_.total() - limits_.min_leaf) return false;
  const bool mixed = after.neg > before.neg && after.pos > before.pos;
  if (mixed) return true;
  if (large_enough(before) && large_enough(mix_ - after)) return false;
  // On the straight way to an end of the hull nothing beats the allowed cut at the other end of the
  // step.
  if (before.total() == 0 && allowed(after)) return false;
  if (after == mix_ && allowed(before)) return false;
  return limit_inside(before, after);
}

bool CutSearch::corners_suffice(Mix before, Mix after, std::span<const Step> inside) const {
  const bool ends = (before.total() == 0 || allowed(before)) && (after == mix_ || allowed(after));
  if (!ends || inside.size() == 1) return ends;
  return allowed(before + inside.front().mix) && allowed(after - inside.back().mix);
}

void CutSearch::scan(const std::vector<Step>& steps, Mix missing, std::int32_t feature,
                     bool missing_left) {
  Cut cut;
  cut.feature = feature;
  cut.missing_left = missing_left;
  Mix left = missing_left ? missing : Mix{};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    left = left + steps[i].mix;
    cut.order += steps[i].mix.total();
    describe(steps, i, cut);
    consider(cut, left);
  }
}

void CutSearch::consider_corners() {
  for (Cut& corner : hull_.corners()) {
    if (corner.feature < 0) continue;
    if (std::isnan(corner.score)) corner.score = scorer_.score(corner.neg, corner.pos, mix_);
    if (corner.better_than(best_)) best_ = corner;
  }
}

void CutSearch::consider(Cut& cut, Mix left) {
  if (left == mix_ || !allowed(left)) return;
  any_cut_ = true;
  cut.neg = static_cast<double>(left.neg);
  cut.pos = static_cast<double>(left.pos);
  cut.score = scorer_.score(cut.neg, cut.pos, mix_);
  if (cut.better_than(best_)) best_ = cut;
}

void CutSearch::choose_by_ratio(const std::vector<Candidate>& candidates) {
  double sum = 0.0;
  for (const Candidate& candidate : candidates) sum += candidate.gain;
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

double CutSearch::charge_for(std::size_t n_values, std::size_t n_rows) {
  if (n_values < 2) return 0.0;
  return elementary::log(static_cast<double>(n_values - 1)) / elementary::kLn2 /
         static_cast<double>(n_rows);
}

Split CutSearch::finish(const std::vector<Step>& steps, bool any_missing, bool category) const {
  Split split;
  split.feature = best_.feature;
  split.missing_left = best_.missing_left;
  split.gain = scorer_.gain(best_.score);
  const Mix counts{static_cast<std::int64_t>(best_.neg), static_cast<std::int64_t>(best_.pos)};
  split.left = best_.mirrored ? mix_ - counts : counts;
  if (!any_missing) split.missing_left = heavier_left(split);
  split.left_code = best_.left_code;
  split.right_code = best_.right_code;
  if (category) finish_category(steps, split);
  return split;
}

void CutSearch::finish_category(const std::vector<Step>& steps, Split& split) const {
  split.category = true;
  std::int64_t order = 0;
  for (const Step& step : steps) {
    const auto level = static_cast<std::size_t>(step.first);
    if (order < best_.order) set_bit(split.levels_left, level);
    set_bit(split.levels_seen, level);
    order += step.mix.total();
  }
  if (!heavier_left(split)) return;
  for (std::size_t level = 0; level < kMissing; ++level)  // levels that the node never saw
    if (!has_bit(split.levels_seen.data(), level)) set_bit(split.levels_left, level);
}

}  // namespace thresher
