// The cuts of one node: which are allowed, how they are followed, and the best of those seen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codes/level_set.hpp"
#include "search/criterion.hpp"
#include "search/hull.hpp"
#include "search/step.hpp"

namespace thresher {

struct Split {
  // Where a code goes: a side, or kLook where the value decides.
  static constexpr std::uint8_t kLeft = 0, kRight = 1, kLook = 2;

  std::int32_t feature = -1;
  bool missing_left = false;
  bool category = false;
  std::int16_t left_code = -1;  // numeric: codes up to this one go left
  std::int16_t right_code = 0;  // and codes from this one on right
  double value = 0.0;           // those between go left if their value is <= this
  double cut = 0.0;  // numeric: left if value <= cut; exact growth knows it when rows are dealt
  double gain = 0.0;
  Mix left;
  LevelSet levels_left{};  // category: the levels that go left
  LevelSet levels_seen{};

  std::array<std::uint8_t, kCells> sides() const;  // by code
};

struct SplitLimits {
  std::int64_t min_leaf = 1;  // weight of a child, fixed point
  double min_leaf_share =
      0.0;  // weight of a child times class weight, in the same unit; 0: no limit
  double min_gain = 0.0;
};

// Smallest gain that counts as one; below it are rounding errors.
inline constexpr double kNoGain = 1e-12;

class CutSearch {
 protected:
  CutSearch(const Criterion& criterion, SplitLimits limits)
      : criterion_(criterion), limits_(limits), scorer_(criterion, Mix{1, 1}) {}

  void enter_node(Mix mix, const Scorer& scorer) {
    mix_ = mix;
    scorer_ = scorer;
    forget();
  }
  void forget() {
    best_ = Cut{};
    best_.score = std::numeric_limits<double>::infinity();
    any_cut_ = false;
  }
  // Whether the best cut is a split.
  bool found() const {
    if (best_.feature < 0) return false;
    const double gain = scorer_.gain(best_.score);
    return gain > kNoGain && gain >= limits_.min_gain;
  }

  bool large_enough(Mix child) const {
    return child.total() >= limits_.min_leaf &&
           (limits_.min_leaf_share <= 0.0 || scorer_.weighted(child) >= limits_.min_leaf_share);
  }
  bool allowed(Mix left) const { return large_enough(left) && large_enough(mix_ - left); }

  // Whether the first or the last allowed cut lies inside a step.
  bool limit_inside(Mix before, Mix after) const {
    return large_enough(before) != large_enough(after) ||
           large_enough(mix_ - before) != large_enough(mix_ - after);
  }
  // Cuts inside a step matter if it mixes the classes, or if the first or the last allowed cut is
  // among them.
  bool hides_cut(Mix before, Mix after) const;
  // Whether the corners inside a step stand for all cuts there: all are allowed, and so are its
  // ends, but for those of the node, where nothing is gained.
  bool corners_suffice(Mix before, Mix after, std::span<const Step> inside) const;

  // Follows the cuts of a feature from left to right into the hull; look_inside(step, before,
  // after, order, both ends allowed) for each step.
  template <class LookInside>
  void walk(const std::vector<Step>& steps, Mix missing, std::int32_t feature, bool missing_left,
            LookInside look_inside) {
    const bool missing_alone = missing.total() > 0 && !missing_left;
    const std::size_t n_cuts = steps.size() - (missing_alone || steps.empty() ? 0 : 1);
    const Mix offset = missing_left ? missing : Mix{};
    Mix left = offset;
    bool was_allowed = false;  // the cut before the step
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const Mix after = left + step.mix;
      const std::int64_t order = after.total() - offset.total();
      const bool is_allowed = i < n_cuts && allowed(after);
      any_cut_ |= is_allowed;
      look_inside(step, left, after, order - step.mix.total(), was_allowed && is_allowed);
      if (is_allowed)
        hull_.add(static_cast<double>(after.neg), static_cast<double>(after.pos), order,
                  static_cast<std::int32_t>(i));
      left = after;
      was_allowed = is_allowed;
    }
    hull_.end_sequence(feature, missing_left, [&steps](std::int32_t i, Cut& cut) {
      describe(steps, static_cast<std::size_t>(i), cut);
    });
  }

  // The codes next to the cut behind the i-th step.
  static void describe(const std::vector<Step>& steps, std::size_t i, Cut& cut) {
    const int last = steps[i].last, next = i + 1 < steps.size() ? steps[i + 1].first : kMissing;
    // Steps of one value each may share a code: then the value decides.
    cut.left_code = static_cast<std::int16_t>(std::min(last, next - 1));
    cut.right_code = static_cast<std::int16_t>(std::max(next, last + 1));
    cut.value = steps[i].value;
  }

  // Above order 2 the score is not concave and any cut between two steps may win.
  void scan(const std::vector<Step>& steps, Mix missing, std::int32_t feature, bool missing_left);

  void consider_corners();
  // Scores a cut; where nothing is left for the right child it is none.
  void consider(Cut& cut, Mix left);

  // C4.5: each feature's cut of best gain, then the best ratio among features of at least average
  // gain. search(feature) looks at one feature, charge(feature) is what its choice of cuts costs.
  template <class Search, class Charge>
  void search_by_ratio(std::span<const std::int32_t> features, Search search, Charge charge) {
    std::vector<Candidate> candidates;
    for (const std::int32_t feature : features) {
      forget();
      search(feature);
      if (!any_cut_) continue;
      const double gain = best_.feature < 0 ? 0.0 : scorer_.gain(best_.score);
      candidates.push_back({best_, gain - charge(feature)});
    }
    choose_by_ratio(candidates);
  }
  // C4.5's charge for choosing among the cuts between so many values: log2(cuts) / rows.
  static double charge_for(std::size_t n_values, std::size_t n_rows);

  // The best cut as a split; of a category with all its sides, of a number without them.
  Split finish(const std::vector<Step>& steps, bool any_missing, bool category) const;
  bool heavier_left(const Split& split) const { return split.left.total() * 2 >= mix_.total(); }

  const Criterion& criterion_;
  SplitLimits limits_;
  Mix mix_;  // of the node
  Scorer scorer_;
  Hull hull_;
  Cut best_;
  bool any_cut_ = false;  // an allowed cut has been seen, though it may gain nothing

 private:
  struct Candidate {
    Cut cut;
    double gain;
  };
  void choose_by_ratio(const std::vector<Candidate>& candidates);
  void finish_category(const std::vector<Step>& steps, Split& split) const;
};

}  // namespace thresher
