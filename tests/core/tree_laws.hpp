// What must hold for every tree, whatever it was grown from.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/predict.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

// The counts of a node are those of its children, so the leaves add up to the root.
inline bool adds_up(const GrownTree& tree) {
  for (std::size_t node = 0; node < tree.feature.size(); ++node) {
    if (tree.feature[node] < 0) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    const auto right = static_cast<std::size_t>(tree.right[node]);
    for (const std::size_t label : {0, 1}) {
      const auto sum = [&](const auto& counts) {
        return counts[2 * left + label] + counts[2 * right + label];
      };
      if (tree.rows[2 * node + label] != sum(tree.rows)) return false;
      if (tree.weight[2 * node + label] != sum(tree.weight)) return false;  // fixed point: exact
    }
  }
  return true;
}

template <class T>
bool root_has_all_rows(const GrownTree& tree, const Data<T>& data) {
  std::int64_t count[2] = {};
  for (std::size_t row = 0; row < data.n_rows; ++row)
    if (data.counts(row)) ++count[data.labels[row]];
  return tree.rows[0] == count[0] && tree.rows[1] == count[1];
}

inline Router router_of(const GrownTree& tree) {
  return Router(tree.feature.size(), tree.feature.data(), tree.cut.data(), tree.left.data(),
                tree.right.data(), tree.missing_left.data(), tree.category.data(),
                tree.levels_left);
}

template <class T>
std::vector<std::int32_t> leaves_of(const Router& router, const Data<T>& data, int n_threads) {
  std::vector<std::int32_t> leaf(data.n_rows);
  router.leaves(data.table(), leaf.data(), n_threads);
  return leaf;
}

// The training rows, routed to the leaves, are the rows that the leaves recorded.
template <class T>
bool routes_as_recorded(const GrownTree& tree, const Data<T>& data) {
  const Router router = router_of(tree);
  const std::vector<std::int32_t> leaf = leaves_of(router, data, 1);
  if (leaf != leaves_of(router, data, 3)) return false;
  std::vector<std::int64_t> count(tree.rows.size(), 0);
  for (std::size_t row = 0; row < data.n_rows; ++row)
    if (data.counts(row)) ++count[2 * static_cast<std::size_t>(leaf[row]) + data.labels[row]];
  for (std::size_t node = 0; node < tree.feature.size(); ++node) {
    if (tree.feature[node] >= 0) continue;
    if (count[2 * node] != tree.rows[2 * node] || count[2 * node + 1] != tree.rows[2 * node + 1])
      return false;
  }
  return true;
}

inline bool keeps_limits(const GrownTree& tree, const GrowOptions& options) {
  constexpr double almost = 1 - 1e-9;
  const auto weighted = [&](std::size_t node, double neg, double pos) {
    return neg * tree.weight[2 * node] + pos * tree.weight[2 * node + 1];
  };
  const Criterion& c = options.criterion;
  const double share = options.min_leaf_fraction * weighted(0, c.weight_neg, c.weight_pos);
  const auto leaves = static_cast<std::int64_t>(tree.feature.size() + 1) / 2;
  bool kept = options.max_leaf_nodes < 0 || leaves <= options.max_leaf_nodes;
  for (std::size_t node = 1; node < tree.feature.size(); ++node) {
    kept &= weighted(node, 1.0, 1.0) >= options.min_leaf_weight * almost;
    kept &= weighted(node, c.weight_neg, c.weight_pos) >= share * almost;
  }
  for (std::size_t node = 0; node < tree.feature.size(); ++node)
    kept &= tree.feature[node] < 0 || (tree.gain[node] > 0 && tree.gain[node] >= options.min_gain);
  return kept;
}

}  // namespace thresher::checks
