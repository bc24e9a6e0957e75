// The best split of a node, exact: every cut of every feature is either scored, or shown not to win.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "codes.hpp"
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
};

struct NodeRows {
  Range neg;
  Range pos;
  Mix mix;

  std::size_t size() const { return std::size_t{neg.size()} + pos.size(); }
};

enum class Side : std::uint8_t { left, right, look };  // look: the true value decides

struct Split {
  std::int32_t feature = -1;
  bool missing_left = false;
  bool category = false;
  double cut = 0.0;    // numeric: left if value <= cut
  double value = 0.0;  // codes with Side::look go left if their true value is <= this
  double gain = 0.0;
  Mix left;
  std::array<Side, kCells> side{};        // by code
  std::array<std::uint8_t, 32> levels_left{};  // category: bit set of the levels that go left
  std::array<std::uint8_t, 32> levels_seen{};
};

struct SplitLimits {
  std::int64_t min_leaf = 1;  // weight of a child, fixed point
  double min_gain = 0.0;
};

// Smallest gain that counts as one; below it are rounding errors.
inline constexpr double kNoGain = 1e-12;

template <class T, class Cell>
class SplitSearch {
 public:
  SplitSearch(const Sample<T>& sample, const Criterion& criterion, SplitLimits limits);

  // The best split among `features` (rising), or nothing where none gains. `histogram` holds the node's counts.
  std::optional<Split> best(const NodeRows& node, const Histogram<Cell>& histogram,
                            std::span<const std::int32_t> features);

  double alpha() const { return scorer_.alpha(); }  // of the node searched last
  double impurity() const { return scorer_.impurity(); }

 private:
  // Rows of neighbouring values, or of one value or level: the steps of the path that a feature's cuts take.
  struct Step {
    Mix mix;
    std::uint8_t code = 0;
    bool open = false;  // holds several values
  };
  // A step that may hide a cut which wins.
  struct Hidden {
    std::int32_t feature;
    std::uint8_t code;
    bool missing_left;
    Mix before;
    Mix after;
    std::int64_t order;  // weight of the present rows before it
    double bound;        // no cut inside scores less
  };
  struct Cell1 {
    double value;
    std::int64_t neg;
    std::int64_t pos;
  };

  void search(std::span<const std::int32_t> features, const Histogram<Cell>& histogram);
  void search_by_ratio(std::span<const std::int32_t> features, const Histogram<Cell>& histogram);
  void collect_steps(std::int32_t feature, const Histogram<Cell>& histogram);
  void walk(std::int32_t feature, bool missing_left);
  void scan_every_cut(std::int32_t feature, bool missing_left);
  void open_hidden();
  void open(const Hidden& hidden);
  void gather(std::int32_t feature, int first_code, int last_code);
  void consider_corners();
  double bound(const Hidden& hidden) const;
  bool hides_cut(Mix before, Mix after) const;
  bool allowed(Mix left) const;
  bool categorical(std::int32_t feature) const { return sample_.coding.categorical[static_cast<std::size_t>(feature)] != 0; }
  double charge(std::int32_t feature);
  Split finish(const Point& winner);
  void finish_category(const Point& winner, Split& split);
  void finish_numeric(const Point& winner, Split& split) const;
  double midpoint(const Point& winner) const;

  template <class Visit>
  void for_each_row(Visit visit) const;

  const Sample<T>& sample_;
  const Criterion& criterion_;
  SplitLimits limits_;
  NodeRows node_;
  const Histogram<Cell>* histogram_ = nullptr;
  Scorer scorer_;
  Hull hull_;
  Point best_;
  std::vector<Step> steps_;
  Mix missing_;
  std::vector<Hidden> hidden_;
  std::vector<Cell1> values_;
};

}  // namespace thresher
