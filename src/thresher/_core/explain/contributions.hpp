// Shapley values of the columns of a row, by the path-dependent definition: the worth of a set of
// columns is what the trees say where the others are unknown, and rows go both ways at their
// splits.
#pragma once

#include "base/arrays.hpp"
#include "explain/weighed.hpp"

namespace thresher {

// result: for each row the contribution of each column of the table, then `base` plus what the
// trees say of no column; a row sums to `base` plus its score. Throws InfiniteValue, and
// std::invalid_argument where a tree is too deep.
template <class T>
void contributions(const WeighedTrees& trees, const Table<T>& table, double base, double* result,
                   int n_threads);

}  // namespace thresher
