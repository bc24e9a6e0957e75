// The cuts by which a column's share in a score is told to people.
#pragma once

#include <cstdint>
#include <span>

#include "base/arrays.hpp"
#include "explain/weighed.hpp"

namespace thresher {

struct NamedCut {
  double cut;  // NaN where no path of the row cuts the column
  bool above;  // whether the value is above it
};

// For each row and each of n columns of its own (columns: rows by n, -1 for none) the cut that the
// row's paths make most of. A cut weighs by how far apart the trees expect the two sides of its
// node to be; the side of the value is named whose cuts weigh more (below, where both weigh the
// same), and of these cuts their median by weight.
template <class T>
void named_cuts(const WeighedTrees& trees, const Table<T>& table,
                std::span<const std::int32_t> columns, std::size_t n, NamedCut* result,
                int n_threads);

}  // namespace thresher
