// The best split of every node by trying every cut: slow and short, for small tables.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/fixed_point.hpp"
#include "growth/candidates.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

// A row of a node, seen from one feature.
struct SeenRow {
  double value;  // NaN where it is missing
  bool positive;
  std::int64_t weight;
};

inline Mix mix_of(const SeenRow& row) {
  return row.positive ? Mix{0, row.weight} : Mix{row.weight, 0};
}

class BruteForce {
 public:
  BruteForce(const GrowOptions& options, const NodeLimits& limits)
      : options_(options), limits_(limits) {}

  // The largest gain of an allowed cut of one feature, -infinity where there is none.
  double best_gain(const std::vector<SeenRow>& rows, bool category) const {
    Mix node, missing;
    for (const SeenRow& row : rows) {
      node = node + mix_of(row);
      if (std::isnan(row.value)) missing = missing + mix_of(row);
    }
    double best = -std::numeric_limits<double>::infinity();
    const Scorer scorer(options_.criterion, node);
    for (const Mix start : {Mix{}, missing}) {
      Mix left = start;
      for (const Mix step : steps(rows, category)) {
        left = left + step;
        if (left == node || !large_enough(scorer, left) || !large_enough(scorer, node - left))
          continue;
        best = std::max(best, scorer.gain(scorer.score(static_cast<double>(left.neg),
                                                       static_cast<double>(left.pos), node)));
      }
    }
    return best;
  }

  bool counts(double gain) const { return gain > kNoGain && gain >= limits_.split.min_gain; }

 private:
  bool large_enough(const Scorer& scorer, Mix child) const {
    return child.total() >= limits_.split.min_leaf &&
           (limits_.split.min_leaf_share <= 0.0 ||
            scorer.weighted(child) >= limits_.split.min_leaf_share);
  }

  // What each distinct value adds to the left: numbers as they rise, levels by positive rate.
  static std::vector<Mix> steps(std::vector<SeenRow> rows, bool category) {
    std::erase_if(rows, [](const SeenRow& row) { return std::isnan(row.value); });
    std::ranges::stable_sort(rows, {}, &SeenRow::value);
    std::vector<Mix> result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || rows[i].value != rows[i - 1].value) result.emplace_back();
      result.back() = result.back() + mix_of(rows[i]);
    }
    if (category)
      std::ranges::stable_sort(result, {}, [](Mix mix) {
        return static_cast<double>(mix.pos) / static_cast<double>(mix.total());
      });
    return result;
  }

  const GrowOptions& options_;
  const NodeLimits& limits_;
};

// Whether every split of a depth-first, exact tree gains as much as the best cut there is, and no
// leaf had one. Not for gain ratios and not for random features.
template <class T>
bool splits_are_best(const GrownTree& tree, const Data<T>& data, const GrowOptions& options) {
  constexpr double rounding = 1e-9;
  FixedPoint fixed_point;
  std::vector<std::int64_t> weight(data.n_rows, 1);
  if (!data.weights.empty()) {
    fixed_point = FixedPoint(data.weights);
    weight = fixed_point.integers(data.weights);
  }
  std::vector<std::vector<std::size_t>> rows(tree.feature.size());  // of each node
  Mix whole;
  for (std::size_t row = 0; row < data.n_rows; ++row) {
    if (!data.counts(row)) continue;
    rows[0].push_back(row);
    (data.labels[row] ? whole.pos : whole.neg) += weight[row];
  }
  const NodeLimits limits = NodeLimits::of(options, fixed_point, whole);
  const BruteForce brute(options, limits);
  std::vector<std::int64_t> depth(tree.feature.size(), 0);
  for (std::size_t node = 0; node < tree.feature.size(); ++node) {
    Mix mix;
    for (const std::size_t row : rows[node]) (data.labels[row] ? mix.pos : mix.neg) += weight[row];
    double best = -std::numeric_limits<double>::infinity();
    if (limits.splittable(mix, depth[node])) {
      for (std::size_t f = 0; f < data.n_features; ++f) {
        std::vector<SeenRow> seen;
        for (const std::size_t row : rows[node])
          seen.push_back({static_cast<double>(data.values[row * data.n_features + f]),
                          data.labels[row] != 0, weight[row]});
        best = std::max(best, brute.best_gain(seen, data.categorical[f] != 0));
      }
    }
    const bool is_leaf = tree.feature[node] < 0;
    if (is_leaf ? best > kNoGain + rounding && brute.counts(best - rounding)
                : std::abs(best - tree.gain[node]) > rounding)
      return false;
    if (is_leaf) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    const auto right = static_cast<std::size_t>(tree.right[node]);
    depth[left] = depth[right] = depth[node] + 1;
    for (const std::size_t row : rows[node]) {
      const auto f = static_cast<std::size_t>(tree.feature[node]);
      const auto value = static_cast<double>(data.values[row * data.n_features + f]);
      const bool goes_left =
          std::isnan(value) ? tree.missing_left[node] != 0
          : tree.category[node] >= 0
              ? has_bit(tree.levels_left.data() +
                            static_cast<std::size_t>(tree.category[node]) * kLevelBytes,
                        static_cast<std::size_t>(value))
              : value <= tree.cut[node];
      rows[goes_left ? left : right].push_back(row);
    }
  }
  return true;
}

}  // namespace thresher::checks
