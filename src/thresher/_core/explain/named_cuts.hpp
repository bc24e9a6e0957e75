// The cuts by which a column's share in a score is told to people.
#pragma once

#include <cstdint>
#include <span>

#include "base/arrays.hpp"
#include "forest/additive.hpp"

namespace thresher {

struct NamedCut {
  double cut;  // NaN where no path of the row cuts the column
  bool above;  // whether the value is above it
};

// For each row and each of n columns of its own (columns: rows by n, -1 for none): the median over
// the trees of the tightest cut that the row's path has on one side of the value, on the side on
// which more trees have one. Of cuts below and above that are as many, those below are taken, and
// of two in the middle the smaller one.
template <class T>
void named_cuts(const AdditiveTrees& trees, const Table<T>& table,
                std::span<const std::int32_t> columns, std::size_t n, NamedCut* result,
                int n_threads);

}  // namespace thresher
