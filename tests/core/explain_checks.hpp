// Shapley values: against every set of columns, sums, threads, and weights that are none.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "additive_checks.hpp"
#include "explain/contributions.hpp"
#include "explain/named_cuts.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

// Random trees with weights, and rows for them.
struct ExplainCase {
  RandomTrees trees;
  std::vector<double> weight, values;
  std::size_t n_rows, n_features;

  ExplainCase(Random& random, std::size_t columns, std::size_t n_trees, std::size_t rows)
      : trees(random, columns, n_trees), n_rows(rows), n_features(columns) {
    for (std::size_t i = 0; i < trees.feature.size(); ++i)
      weight.push_back(chance(random, 0.1) ? 0.0 : uniform(random));
    for (std::size_t i = 0; i < n_rows * columns; ++i)
      values.push_back(chance(random, 0.1) ? std::numeric_limits<double>::quiet_NaN()
                                           : static_cast<double>(below(random, 12)) - 5.0);
  }

  Table<double> table() const {
    return {values.data(), n_rows, n_features, static_cast<std::ptrdiff_t>(n_features), 1};
  }
  const double* row(std::size_t i) const { return values.data() + i * n_features; }
  WeighedTrees weighed() const { return WeighedTrees(trees.arrays(), weight); }

  std::vector<double> contributions(int n_threads) const {
    std::vector<double> result(n_rows * (n_features + 1));
    thresher::contributions(weighed(), table(), 0.5, result.data(), n_threads);
    return result;
  }
  std::vector<double> cuts(int n_threads) const {
    std::vector<std::int32_t> columns(2 * n_rows);
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i] = static_cast<std::int32_t>(i % (n_features + 1)) - 1;
    std::vector<NamedCut> named(columns.size());
    named_cuts(weighed(), table(), columns, 2, named.data(), n_threads);
    std::vector<double> result;
    for (const NamedCut& one : named) {
      result.push_back(std::isnan(one.cut) ? -99.0 : one.cut);
      result.push_back(one.above);
    }
    return result;
  }

  // What the trees say of a row of which the columns in a set of bits are known.
  double worth(const double* row, std::uint32_t known) const {
    double sum = 0.5;
    for (std::size_t tree = 0; tree + 1 < trees.begin.size(); ++tree)
      sum += worth_at(static_cast<std::size_t>(trees.begin[tree]), 0, row, known);
    return sum;
  }

 private:
  double worth_at(std::size_t first, std::size_t place, const double* row,
                  std::uint32_t known) const {
    const std::size_t at = first + place;
    if (trees.feature[at] < 0) return trees.value[at];
    std::size_t before = 0;
    for (std::size_t i = first; i < at; ++i) before += trees.feature[i] >= 0;
    const std::size_t left = 2 * before + 1;
    if ((known >> trees.feature[at]) & 1)
      return worth_at(first, trees.goes_left(at, row) ? left : left + 1, row, known);
    const double a = weight[first + left], b = weight[first + left + 1];
    const double share = a + b > 0.0 ? a / (a + b) : 0.5;
    return share * worth_at(first, left, row, known) +
           (1.0 - share) * worth_at(first, left + 1, row, known);
  }
};

inline double factorial(std::size_t n) {
  return n < 2 ? 1.0 : static_cast<double>(n) * factorial(n - 1);
}

// By Shapley's sum over all sets.
inline double shapley_value(const ExplainCase& test, const double* row, std::size_t column) {
  const std::size_t n = test.n_features;
  double sum = 0.0;
  for (std::uint32_t known = 0; known < (1U << n); ++known) {
    if ((known >> column) & 1) continue;
    const auto size = static_cast<std::size_t>(std::popcount(known));
    sum += factorial(size) * factorial(n - size - 1) / factorial(n) *
           (test.worth(row, known | (1U << column)) - test.worth(row, known));
  }
  return sum;
}

inline void explain_small_trees() {
  Random random(21);
  for (int round = 0; round < 60; ++round) {
    const ExplainCase test(random, 1 + below(random, 5), 1 + below(random, 3), 3);
    const std::vector<double> found = test.contributions(1);
    double error = 0.0;
    for (std::size_t row = 0; row < test.n_rows; ++row)
      for (std::size_t column = 0; column < test.n_features; ++column)
        error = std::max(error, std::abs(found[row * (test.n_features + 1) + column] -
                                         shapley_value(test, test.row(row), column)));
    check(error < 1e-10, "contributions are those of the definition");
  }
}

inline void explain_sums_and_threads() {
  Random random(22);
  for (int round = 0; round < 40; ++round) {
    const ExplainCase test(random, 1 + below(random, 12), 1 + below(random, 5),
                           1 + below(random, 400));
    const std::size_t width = test.n_features + 1;
    const std::vector<double> found = test.contributions(1);
    double error = 0.0;
    for (std::size_t row = 0; row < test.n_rows; ++row) {
      double sum = 0.0;
      for (std::size_t j = 0; j < width; ++j) sum += found[row * width + j];
      error = std::max(error, std::abs(sum - test.trees.sum(test.row(row), 0.5)));
    }
    check(error < 1e-11, "rows sum to scores");
    check(found == test.contributions(3) && test.cuts(1) == test.cuts(3), "threads do not matter");
  }
}

inline void explain_refusals() {
  Random random(23);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    ExplainCase test(random, 3, 1, 2);
    const std::size_t at = below(random, test.weight.size());
    const double bad[] = {-1.0, std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity()};
    if (round % 4 < 3)
      test.weight[at] = bad[round % 4];
    else
      test.weight.pop_back();
    try {
      test.contributions(1);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  check(refused == 300, "weights that tell no shares are refused");
}

inline void check_explain() {
  group("Shapley values of small trees", explain_small_trees);
  group("sums of Shapley values", explain_sums_and_threads);
  group("weights that are none", explain_refusals);
}

}  // namespace thresher::checks
