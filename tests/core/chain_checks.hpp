// Chains: labels that alternate along one column, so that a split takes few rows off an end and the
// tree is about as deep as the table is long.
#pragma once

#include <cmath>

#include "brute_force.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

// `period` values of one class, then as many of the other.
inline Data<double> chain(std::uint64_t seed, std::size_t n_rows, std::size_t period) {
  Data<double> data;
  data.n_rows = n_rows;
  data.n_features = 1;
  data.categorical = {0};
  for (std::size_t row = 0; row < n_rows; ++row) {
    data.values.push_back(static_cast<double>(row));
    data.labels.push_back(row / period % 2);
  }
  return shuffled(data, seed);
}

// Growth asks whether to go on once for each node, and once more where it opens steps: each of some
// 128 open codes a few times, however long the chain is.
inline void chains_are_not_opened_in_every_node() {
  for (const std::size_t n_rows : {std::size_t{4000}, std::size_t{8000}}) {
    GrowOptions options;
    options.criterion = criterion_named("entropy");
    std::size_t asked = 0;
    options.interrupted = [&asked] { return ++asked == 0; };
    const GrownTree tree = chain(n_rows, n_rows, 1).grow(options);
    const std::size_t n_nodes = tree.feature.size();
    check(n_nodes == 2 * n_rows - 1, "a leaf for each row");
    check(asked - n_nodes < 1000, std::to_string(asked - n_nodes) + " openings");
  }
}

// Some labels turned, some values equal or missing, a second column, weights, any limits.
inline Data<double> rough_chain(std::uint64_t seed) {
  Random random(seed);
  Data<double> data = chain(seed, 500 + below(random, 300), 1 + below(random, 3));
  const double turned = chance(random, 0.5) ? 0.02 : 0.0,
               missing = chance(random, 0.3) ? 0.03 : 0.0;
  const bool weighted = chance(random, 0.3), rounded = chance(random, 0.3);
  std::vector<double> values;
  for (std::size_t row = 0; row < data.n_rows; ++row) {
    const double value = rounded ? std::floor(data.values[row] / 2) : data.values[row];
    values.push_back(chance(random, missing) ? std::nan("") : value);
    values.push_back(uniform(random));
    if (chance(random, turned)) data.labels[row] ^= 1;
    if (weighted) data.weights.push_back(0.5 * static_cast<double>(below(random, 5)));
  }
  data.values = values;
  data.n_features = 2;
  data.categorical = {0, 0};
  return data;
}

inline void chains_have_the_best_splits() {
  for (std::uint64_t seed = 0; seed < 42; ++seed) {
    const Data<double> data = rough_chain(seed);
    GrowOptions options = random_options(seed, data.n_features);
    if (options.criterion.gain_ratio) continue;
    options.max_bins = 0;
    options.random_cuts = false;
    options.max_features = 0;
    options.max_leaf_nodes = options.max_depth = -1;
    check(splits_are_best(data.grow(options), data, options),
          "chain, seed " + std::to_string(seed));
  }
}

inline void check_chains() {
  group("chains are not opened in every node", chains_are_not_opened_in_every_node);
  group("chains have the best splits", chains_have_the_best_splits);
}

}  // namespace thresher::checks
