// Trees of other libraries: sums against a slow walk, and arrays that are no trees.
#pragma once

#include <limits>

#include "forest/additive.hpp"
#include "forest/walk.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

// The arrays of random trees, and a walk node by node.
struct RandomTrees {
  std::vector<std::int64_t> begin{0}, set_begin{0};
  std::vector<std::int32_t> feature, level_set;
  std::vector<double> cut, value;
  std::vector<std::uint8_t> missing_left, set_bits, zero_is_missing;

  RandomTrees(Random& random, std::size_t n_features, std::size_t n_trees) {
    for (std::size_t i = 0; i < n_features; ++i) zero_is_missing.push_back(chance(random, 0.3));
    for (std::size_t tree = 0; tree < n_trees; ++tree) {
      std::size_t inner = below(random, 40), waiting = 1;
      while (waiting > 0) {
        const bool splits = inner > 0 && (waiting == 1 || chance(random, 0.5));
        add_node(random, splits, n_features);
        inner -= splits;
        waiting = splits ? waiting + 1 : waiting - 1;
      }
      begin.push_back(static_cast<std::int64_t>(feature.size()));
    }
  }

  AdditiveArrays arrays() const {
    return {begin,     feature,  cut,   missing_left,   level_set,
            set_begin, set_bits, value, zero_is_missing};
  }

  double sum(const double* row, double base) const {
    for (std::size_t tree = 0; tree + 1 < begin.size(); ++tree) base += value[leaf(tree, row)];
    return base;
  }

  bool goes_left(std::size_t at, const double* row) const {
    const auto column = static_cast<std::size_t>(feature[at]);
    const double given = row[column];
    if (std::isnan(given) || (zero_is_missing[column] && std::fabs(given) <= double{1e-35F}))
      return missing_left[at];
    if (level_set[at] < 0) return given <= cut[at];
    const auto set = static_cast<std::size_t>(level_set[at]);
    const double level = std::trunc(given);
    if (level < 0.0 || level >= 8.0 * static_cast<double>(set_begin[set + 1] - set_begin[set]))
      return false;
    const auto bit = static_cast<std::size_t>(level);
    return (set_bits[static_cast<std::size_t>(set_begin[set]) + bit / 8] >> (bit % 8)) & 1;
  }

 private:
  void add_node(Random& random, bool splits, std::size_t n_features) {
    const bool by_level = splits && chance(random, 0.3);
    feature.push_back(splits ? static_cast<std::int32_t>(below(random, n_features)) : -1);
    cut.push_back(static_cast<double>(below(random, 9)) - 4.0);
    missing_left.push_back(chance(random, 0.5));
    value.push_back(uniform(random) - 0.5);
    level_set.push_back(by_level ? static_cast<std::int32_t>(set_begin.size() - 1) : -1);
    if (!by_level) return;
    for (std::size_t n = below(random, 3); n > 0; --n)
      set_bits.push_back(static_cast<std::uint8_t>(random()));
    set_begin.push_back(static_cast<std::int64_t>(set_bits.size()));
  }

  std::size_t leaf(std::size_t tree, const double* row) const {
    const auto first = static_cast<std::size_t>(begin[tree]);
    std::size_t at = first;
    while (feature[at] >= 0) {
      std::size_t before = 0;
      for (std::size_t i = first; i < at; ++i) before += feature[i] >= 0;
      at = first + 2 * before + (goes_left(at, row) ? 1 : 2);
    }
    return at;
  }
};

inline void additive_sums() {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n_features = 1 + below(random, 5), n_rows = 1 + below(random, 700);
    const RandomTrees trees(random, n_features, 1 + below(random, 6));
    const double gap = chance(random, 0.5) ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    std::vector<double> values;
    for (std::size_t i = 0; i < n_rows * n_features; ++i) {
      const double number = static_cast<double>(below(random, 40)) * 0.5 - 5.0;
      values.push_back(chance(random, 0.1) ? gap : chance(random, 0.05) ? 1e-36 : number);
    }
    const Table<double> table{values.data(), n_rows, n_features,
                              static_cast<std::ptrdiff_t>(n_features), 1};
    const AdditiveTrees compiled(trees.arrays());
    std::vector<double> found(n_rows), expected(n_rows);
    compiled.sum<double>(table, 0.25, found.data(), 1 + round % 3);
    for (std::size_t row = 0; row < n_rows; ++row)
      expected[row] = trees.sum(values.data() + row * n_features, 0.25);
    check(found == expected, "sums are those of a walk node by node");
    const std::vector<float> narrow(values.begin(), values.end());
    const Table<float> of_floats{narrow.data(), n_rows, n_features, table.row_stride, 1};
    compiled.sum<double>(of_floats, 0.25, found.data(), 1);
    check(found == expected, "floats of half numbers give the same");
  }
}

inline void additive_refusals() {
  Random random(8);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    RandomTrees trees(random, 3, 1 + below(random, 3));
    const std::size_t at = below(random, trees.feature.size());
    switch (below(random, 5)) {
      case 0:
        trees.feature[at] = static_cast<std::int32_t>(below(random, 6)) - 2;
        break;
      case 1:
        trees.level_set[at] = static_cast<std::int32_t>(below(random, 9));
        break;
      case 2:
        trees.begin[below(random, trees.begin.size())] += 1;
        break;
      case 3:
        trees.set_begin[below(random, trees.set_begin.size())] += 3;
        break;
      default:
        trees.value[at] = trees.cut[at] = std::numeric_limits<double>::infinity();
    }
    try {
      const AdditiveTrees compiled(trees.arrays());
      const std::vector<double> row{1.0, 2.0, 3.0};
      double found = 0.0;
      compiled.sum<float>(Table<double>{row.data(), 1, 3, 3, 1}, 0.0, &found, 1);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  check(refused > 1000, "arrays that are no trees are refused, others are walked");
}

inline void additive_infinity() {
  Random random(9);
  RandomTrees trees(random, 1, 1);
  while (trees.feature[0] < 0) trees = RandomTrees(random, 1, 1);
  const double row = std::numeric_limits<double>::infinity();
  double found = 0.0;
  bool thrown = false;
  try {
    AdditiveTrees(trees.arrays()).sum<double>(Table<double>{&row, 1, 1, 1, 1}, 0.0, &found, 1);
  } catch (const InfiniteValue&) {
    thrown = true;
  }
  check(thrown, "an infinite value is told");
}

inline void check_additive() {
  group("sums of trees taken over", additive_sums);
  group("arrays that are no trees", additive_refusals);
  group("infinite values in trees taken over", additive_infinity);
}

}  // namespace thresher::checks
