// Shapley interaction values of pairs of columns, by the path-dependent definition.
#pragma once

#include "base/arrays.hpp"
#include "explain/weighed.hpp"

namespace thresher {

// result: for each row a square of the columns of the table and one more. Beside the diagonal, half
// of what two columns do together; on it, what a column does alone, so that each line of the square
// sums to the column's contribution; in the last corner what `contributions` has last. Throws as
// these do.
template <class T>
void interactions(const WeighedTrees& trees, const Table<T>& table, double base, double* result,
                  int n_threads);

}  // namespace thresher
