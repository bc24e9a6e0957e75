// From a table to a finished tree.
#pragma once

#include "base/arrays.hpp"
#include "growth/options.hpp"
#include "growth/tree.hpp"

namespace thresher {

template <class T>
GrownTree grow(const TrainingRows<T>& rows, const GrowOptions& options);

extern template GrownTree grow(const TrainingRows<float>&, const GrowOptions&);
extern template GrownTree grow(const TrainingRows<double>&, const GrowOptions&);

}  // namespace thresher
