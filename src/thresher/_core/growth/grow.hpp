// From a table to a finished tree.
#pragma once

#include <cstdint>

#include "base/arrays.hpp"
#include "growth/options.hpp"
#include "growth/tree.hpp"

namespace thresher {

// labels: 0 or 1 for each row; weights: for each row, or null; categorical: for each feature.
template <class T>
GrownTree grow(const Table<T>& table, const std::uint8_t* labels, const double* weights,
               const std::uint8_t* categorical, const GrowOptions& options);

extern template GrownTree grow(const Table<float>&, const std::uint8_t*, const double*,
                               const std::uint8_t*, const GrowOptions&);
extern template GrownTree grow(const Table<double>&, const std::uint8_t*, const double*,
                               const std::uint8_t*, const GrowOptions&);

}  // namespace thresher
