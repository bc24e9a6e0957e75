// The best split of a node, exact: every cut of every feature is either scored, or shown not to win.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "codes.hpp"
#include "comparisons.hpp"
#include "criterion.hpp"
#include "histogram.hpp"
#include "hull.hpp"

namespace thresher {

// What all nodes of a tree share.
template <class T>
struct Sample {
  Table<T> table;
  Coding<T> coding;  // the coding of the root: categories and, where they are used, bins
  ClassRows neg;
  ClassRows pos;
  std::vector<std::int64_t> weight;  // by table row, fixed point; empty: one each

  const std::int64_t* weights() const { return weight.empty() ? nullptr : weight.data(); }
  std::int64_t weight_of(std::uint32_t row) const { return weight.empty() ? 1 : weight[row]; }
  bool exact() const { return coding.anchored; }
  // What cuts separate: the true value or, with bins, the code.
  double value(std::uint32_t row, const std::uint8_t* codes, std::size_t feature) const {
    return exact() ? static_cast<double>(table(row, feature)) : static_cast<double>(codes[feature]);
  }
};

struct NodeRows {
  Range neg;
  Range pos;
  Mix mix;

  std::size_t size() const { return std::size_t{neg.size()} + pos.size(); }
};

struct Split {
  // Where a code goes: a side, or kLook where the value decides; kBorder: rows next to the cut.
  static constexpr std::uint8_t kLeft = 0, kRight = 1, kLook = 2, kBorder = 4;

  std::int32_t feature = -1;
  bool missing_left = false;
  bool category = false;
  double value = 0.0;  // codes with kLook go left if their value is <= this
  double cut = 0.0;    // numeric: left if value <= cut; known when the rows have been dealt to the children
  double gain = 0.0;
  Mix left;
  std::array<std::uint8_t, kCells> side{};     // by code
  std::array<std::uint8_t, 32> levels_left{};  // category: bit set of the levels that go left
  std::array<std::uint8_t, 32> levels_seen{};
};

struct SplitLimits {
  std::int64_t min_leaf = 1;    // weight of a child, fixed point
  double min_leaf_share = 0.0;  // weight of a child times class weight, in the same unit; 0: no limit
  double min_gain = 0.0;
};

// Smallest gain that counts as one; below it are rounding errors.
inline constexpr double kNoGain = 1e-12;

template <class T, class Cell>
class SplitSearch {
 public:
  SplitSearch(const Sample<T>& sample, const Criterion& criterion, SplitLimits limits);

  // Whether a node is better counted by comparisons than by a histogram.
  bool prefers_comparisons(const NodeRows& node) const;

  // The best split among `features` (rising), or nothing where none gains. `histogram`: the node's counts; without
  // one its rows are compared.
  std::optional<Split> best(const NodeRows& node, const Histogram<Cell>* histogram,
                            std::span<const std::int32_t> features);

 private:
  // Rows of neighbouring codes: the steps of the path that a feature's cuts take.
  struct Step {
    Mix mix;
    std::int16_t first = 0;  // codes
    std::int16_t last = 0;
    bool open = false;  // may hold several values
  };
  // A step that may hide a cut which wins.
  struct Hidden {
    std::int32_t feature;
    std::int16_t first;
    std::int16_t last;
    bool missing_left;
    Mix before;
    Mix after;
    std::int64_t order;  // weight of the present rows before it
    double bound;        // no cut inside scores less
  };
  // A value inside an opened step, with the rows that have it and those between it and the mark before.
  struct Mark {
    double value;
    std::int16_t code;
    Mix at;
    Mix before;
  };
  enum class Slot : std::uint8_t { closed, rare_values, every_value };  // which values of a code are marks

  void search(std::span<const std::int32_t> features);
  void search_by_ratio(std::span<const std::int32_t> features);
  double charge(std::int32_t feature);

  void collect_steps(std::int32_t feature);
  void steps_from_histogram(std::size_t feature);
  void steps_from_comparisons(std::size_t feature);
  void sort_levels_by_rate();

  void walk(std::int32_t feature, bool missing_left);
  bool hides_cut(Mix before, Mix after) const;
  bool limit_inside(Mix before, Mix after) const;
  bool large_enough(Mix child) const;
  bool allowed(Mix left) const;
  void consider_corners();

  double bound(const Hidden& hidden) const;
  void open_hidden();
  void open_feature(std::span<const Hidden> hidden);
  void gather_marks(std::span<const Hidden> hidden);
  void collect_marks(std::size_t feature);
  void count_between_marks(std::size_t feature);
  void open(const Hidden& hidden);

  void scan_every_cut(std::int32_t feature, bool missing_left);

  Split finish(const Cut& winner);
  void finish_numeric(const Cut& winner, Split& split) const;
  void finish_category(const Cut& winner, Split& split) const;

  bool heavier_left(const Split& split) const {
    return split.left.total() * 2 >= node_.mix.total();
  }
  bool categorical(std::int32_t feature) const {
    return sample_.coding.categorical[static_cast<std::size_t>(feature)] != 0;
  }
  template <class Visit>
  void for_each_row(Visit visit) const;

  const Sample<T>& sample_;
  const Criterion& criterion_;
  SplitLimits limits_;
  bool any_category_;
  NodeRows node_;
  const Histogram<Cell>* histogram_ = nullptr;
  Comparisons comparisons_;
  Scorer scorer_;
  Hull hull_;
  Cut best_;
  bool any_cut_ = false;  // an allowed cut has been seen, though it may gain nothing
  std::vector<Step> steps_;  // of the feature looked at
  Mix missing_;
  std::vector<Hidden> hidden_;
  std::array<Slot, kCells> slots_{};  // by code
  std::vector<Mark> marks_;
  struct Other {
    std::uint32_t row;
    std::uint8_t code;
  };
  std::vector<Other> others_;  // rows of the more frequent class in opened steps
  std::vector<double> other_values_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::uint32_t> rare_order_;  // code << 16 | number of a rare row
};

}  // namespace thresher
