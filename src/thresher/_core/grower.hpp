// From the rows of a sample to the nodes of a tree.
#pragma once

#include <vector>

#include "grow.hpp"
#include "records.hpp"
#include "sample.hpp"

namespace thresher {

// The nodes in the order of their making, the root first; reorders the sample.
template <class T>
std::vector<Record> grow_records(Sample<T>& sample, const GrowOptions& options);

extern template std::vector<Record> grow_records(Sample<float>&, const GrowOptions&);
extern template std::vector<Record> grow_records(Sample<double>&, const GrowOptions&);

}  // namespace thresher
