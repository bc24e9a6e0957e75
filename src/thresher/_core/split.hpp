// The best split of a node, exact: every cut of every feature is either scored, or shown not to
// win.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "criterion.hpp"
#include "hull.hpp"
#include "opening.hpp"
#include "sample.hpp"
#include "steps.hpp"

namespace thresher {

struct Split {
  // Where a code goes: a side, or kLook where the value decides; kBorder: rows next to the cut.
  static constexpr std::uint8_t kLeft = 0, kRight = 1, kLook = 2, kBorder = 4;

  std::int32_t feature = -1;
  bool missing_left = false;
  bool category = false;
  double value = 0.0;  // codes with kLook go left if their value is <= this
  double cut =
      0.0;  // numeric: left if value <= cut; known when the rows have been dealt to the children
  double gain = 0.0;
  Mix left;
  std::array<std::uint8_t, kCells> side{};     // by code
  std::array<std::uint8_t, 32> levels_left{};  // category: bit set of the levels that go left
  std::array<std::uint8_t, 32> levels_seen{};
};

struct SplitLimits {
  std::int64_t min_leaf = 1;  // weight of a child, fixed point
  double min_leaf_share =
      0.0;  // weight of a child times class weight, in the same unit; 0: no limit
  double min_gain = 0.0;
};

// Smallest gain that counts as one; below it are rounding errors.
inline constexpr double kNoGain = 1e-12;

template <class T, class Cell>
class SplitSearch {
 public:
  // `poll` is called now and then, so that a long search can be stopped by an exception.
  SplitSearch(const Sample<T>& sample, const Criterion& criterion, SplitLimits limits,
              std::function<void()> poll);

  // Whether a node needs no histogram.
  bool prefers_comparisons(const NodeRows& node) const { return path_.prefers_comparisons(node); }

  // The best split among `features` (rising), or nothing where none gains. `histogram`: the node's
  // counts, or null.
  std::optional<Split> best(const NodeRows& node, const Scorer& scorer,
                            const Histogram<Cell>* histogram,
                            std::span<const std::int32_t> features);

 private:
  // A step that may hide a cut which wins.
  struct Hidden {
    std::int32_t feature;
    std::int16_t first;  // codes
    std::int16_t last;
    bool missing_left;
    Mix before;
    Mix after;
    std::int64_t order;  // weight of the present rows before it
    double bound;        // no cut inside scores less
  };

  void search(std::span<const std::int32_t> features);
  void search_by_ratio(std::span<const std::int32_t> features);
  double charge(std::int32_t feature);

  void walk(std::int32_t feature, bool missing_left);
  void consider_corners();
  bool large_enough(Mix child) const;
  bool allowed(Mix left) const;
  bool limit_inside(Mix before, Mix after) const;
  bool hides_cut(Mix before, Mix after) const;
  bool nothing_inside(Mix before, Mix after) const;

  void open_hidden();
  double bound(const Hidden& hidden) const;
  void open_feature(std::span<const Hidden> hidden);
  void refine(const Hidden& hidden, std::span<const Entry> entries);

  void scan_every_cut(std::int32_t feature, bool missing_left);
  void consider(Cut& cut, Mix left);

  Split finish(const Cut& winner);
  void finish_numeric(const Cut& winner, Split& split) const;
  void finish_category(const Cut& winner, Split& split) const;
  bool heavier_left(const Split& split) const {
    return split.left.total() * 2 >= node_.mix.total();
  }

  const Sample<T>& sample_;
  const Criterion& criterion_;
  SplitLimits limits_;
  std::function<void()> poll_;
  Path<T, Cell> path_;
  Opening<T> opening_;
  NodeRows node_;
  Scorer scorer_;
  Hull hull_;
  std::vector<Hidden> hidden_;
  Cut best_;
  bool any_cut_ = false;  // an allowed cut has been seen, though it may gain nothing
};

}  // namespace thresher
