// Random tables, options and comparisons that the checks of the core share, and how they report.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "growth/grow.hpp"
#include "search/criterion.hpp"

namespace thresher::checks {

using Random = std::mt19937_64;

inline int passed = 0;
inline int failed = 0;

inline void check(bool ok, const std::string& what) {
  ++(ok ? passed : failed);
  if (!ok) std::printf("  FAILED: %s\n", what.c_str());
}

inline void group(const char* name, const std::function<void()>& tests) {
  const int before = passed, bad = failed;
  tests();
  std::printf("%s: %d passed, %d failed\n", name, passed - before, failed - bad);
  std::fflush(stdout);
}

// std:: distributions differ between libraries; these do not.
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }
inline std::size_t below(Random& random, std::size_t n) { return random() % n; }
inline bool chance(Random& random, double p) { return uniform(random) < p; }

// ---- random tables
// --------------------------------------------------------------------------------------------

template <class T>
struct Data {
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
  std::vector<T> values;  // row by row
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;  // empty: none
  std::vector<std::uint8_t> categorical;

  Table<T> table() const {
    return {values.data(), n_rows, n_features, static_cast<std::ptrdiff_t>(n_features), 1};
  }
  TrainingRows<T> rows() const { return {table(), labels, weights, categorical}; }
  GrownTree grow(const GrowOptions& options) const { return thresher::grow(rows(), options); }
  bool counts(std::size_t row) const { return weights.empty() || weights[row] > 0.0; }
};

// One value of a column: continuous, rounded, mostly zero, few values, or nearly equal numbers.
template <class T>
T random_value(Random& random, std::size_t kind, bool positive) {
  const double signal = uniform(random) + uniform(random) - 1.0 + (positive ? 0.3 : 0.0);
  switch (kind) {
    case 0:
      return static_cast<T>(signal);
    case 1:
      return static_cast<T>(std::round(signal * 40) / 8);
    case 2:
      return static_cast<T>(signal < 0.8 ? 0.0 : signal);
    case 3:
      return static_cast<T>(std::round(signal * 2));
    case 4:
      return T{1} + std::numeric_limits<T>::epsilon() * static_cast<T>(std::round(signal * 3));
    default:
      return static_cast<T>(signal * 1e30);
  }
}

template <class T>
Data<T> random_table(std::uint64_t seed, std::size_t n_rows, bool weighted) {
  Random random(seed);
  Data<T> data;
  data.n_rows = n_rows;
  data.n_features =
      1 + below(random, seed % 5 == 0 ? 20 : 5);  // more than 16 need a second chunk of codes
  const double share = std::array{0.02, 0.1, 0.3, 0.5, 0.8}[below(random, 5)];
  for (std::size_t row = 0; row < n_rows; ++row) data.labels.push_back(chance(random, share));
  data.labels[0] = 0;
  data.labels[1] = 1;
  std::vector<std::size_t> kinds;
  std::vector<double> missing;
  for (std::size_t f = 0; f < data.n_features; ++f) {
    data.categorical.push_back(chance(random, 0.2));
    kinds.push_back(below(random, 6));
    missing.push_back(chance(random, 0.4) ? 0.3 * uniform(random) : 0.0);
  }
  for (std::size_t row = 0; row < n_rows; ++row) {
    for (std::size_t f = 0; f < data.n_features; ++f) {
      T value = data.categorical[f] ? static_cast<T>(below(random, 255) % (10 + 40 * kinds[f]))
                                    : random_value<T>(random, kinds[f], data.labels[row] != 0);
      if (chance(random, missing[f])) value = std::numeric_limits<T>::quiet_NaN();
      data.values.push_back(value);
    }
    if (weighted)
      data.weights.push_back(row > 1 && chance(random, 0.1) ? 0.0 : uniform(random) + 0.1);
  }
  return data;
}

template <class T>
Data<T> shuffled(const Data<T>& data, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::size_t> order(data.n_rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(random, i)]);
  Data<T> result = data;
  for (std::size_t row = 0; row < data.n_rows; ++row) {
    const std::size_t from = order[row];
    std::copy_n(data.values.begin() + static_cast<std::ptrdiff_t>(from * data.n_features),
                data.n_features,
                result.values.begin() + static_cast<std::ptrdiff_t>(row * data.n_features));
    result.labels[row] = data.labels[from];
    if (!data.weights.empty()) result.weights[row] = data.weights[from];
  }
  return result;
}

inline constexpr const char* kCriteria[] = {"adaptive_renyi", "renyi",      "hellinger", "dkm",
                                            "entropy",        "gain_ratio", "gini"};

inline GrowOptions random_options(std::uint64_t seed, std::size_t n_features) {
  Random random(seed + 1000003);
  GrowOptions options;
  options.criterion = criterion_named(kCriteria[seed % std::size(kCriteria)]);
  options.criterion.alpha = std::array{0.0, 0.3, 1.0, 2.0, 3.0}[below(random, 5)];
  options.criterion.tolerance = chance(random, 0.5) ? 0.05 : 0.5;
  options.criterion.weight_pos = chance(random, 0.3) ? 7.5 : 1.0;
  options.criterion.mdl = chance(random, 0.3);
  options.max_bins = std::array{0, 0, 0, 2, 16, 255}[below(random, 6)];
  options.max_depth = chance(random, 0.2) ? 4 : -1;
  options.max_leaf_nodes = chance(random, 0.25) ? 9 : -1;
  options.min_leaf_weight = std::array{1.0, 2.0, 2.5, 20.0}[below(random, 4)];
  options.min_leaf_fraction = chance(random, 0.2) ? 0.01 : 0.0;
  options.min_gain = chance(random, 0.1) ? 0.01 : 0.0;
  options.max_features =
      chance(random, 0.25) ? static_cast<std::int64_t>(1 + below(random, n_features)) : 0;
  options.seed = seed;
  options.random_cuts = chance(random, 0.25);
  return options;
}

// ---- comparisons
// ----------------------------------------------------------------------------------------------

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return same_bytes(a, b);
}

inline bool same(const GrownTree& a, const GrownTree& b) {
  return same_bytes(a.feature, b.feature) && same_bytes(a.cut, b.cut) &&
         same_bytes(a.left, b.left) && same_bytes(a.right, b.right) &&
         same_bytes(a.missing_left, b.missing_left) && same_bytes(a.category, b.category) &&
         same_bytes(a.levels_left, b.levels_left) && same_bytes(a.levels_seen, b.levels_seen) &&
         same_bytes(a.rows, b.rows) && same_bytes(a.weight, b.weight) &&
         same_bytes(a.alpha, b.alpha) && same_bytes(a.impurity, b.impurity) &&
         same_bytes(a.gain, b.gain);
}

// Whether a call throws for bad input.
template <class Call>
bool refuses(Call call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace thresher::checks
