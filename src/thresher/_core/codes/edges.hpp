// Where bins end: a value falls into the bin number #{edge < value}.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "codes/sketch.hpp"

namespace thresher {

using BinEdges = std::vector<std::vector<double>>;  // by feature, rising; none for category columns

// The values of one column in the rows of one class, in any order, without those that are missing.
struct ValuesOfClass {
  std::vector<double> values;
  std::vector<std::int64_t> weight;  // empty: one each

  void add(double value, std::int64_t its_weight, bool all_ones) {
    if (value != value) return;
    values.push_back(value);
    if (!all_ones) weight.push_back(its_weight);
  }
};
using ColumnsOfClass = std::function<ValuesOfClass(std::size_t feature)>;

// At most max_bins - 1 edges a feature: quantiles, half of them from either class.
BinEdges bin_edges(const ColumnsOfClass& neg, const ColumnsOfClass& pos,
                   std::span<const std::uint8_t> categorical, int max_bins, int n_threads);
BinEdges bin_edges(const Sketch& neg, const Sketch& pos, std::span<const std::uint8_t> categorical,
                   int max_bins, int n_threads);

// The sketch must outlive them.
ColumnsOfClass columns_of(const Sketch& sketch);

}  // namespace thresher
