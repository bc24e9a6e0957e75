// From the rows of a sample to the nodes of a tree: they are split until nothing gains, depth
// first or best first.
#pragma once

#include <vector>

#include "codes/sample.hpp"
#include "growth/candidates.hpp"
#include "growth/options.hpp"
#include "growth/records.hpp"
#include "search/scorers.hpp"

namespace thresher {

// Where a tree begins: at the root, or further down a larger tree.
struct Place {
  std::int64_t depth = 0;
  std::uint64_t path = 1;
};

// The nodes in the order of their making, the root first; reorders the sample. scorers: of other
// trees grown with these options before, or null.
template <class T>
std::vector<Record> grow_records(Sample<T>& sample, const GrowOptions& options,
                                 Scorers* scorers = nullptr);

// The same for a part of a larger tree, whose limits these are.
template <class T>
std::vector<Record> grow_records(Sample<T>& sample, const GrowOptions& options,
                                 const NodeLimits& limits, Place place, Scorers* scorers = nullptr);

extern template std::vector<Record> grow_records(Sample<float>&, const GrowOptions&, Scorers*);
extern template std::vector<Record> grow_records(Sample<double>&, const GrowOptions&, Scorers*);
extern template std::vector<Record> grow_records(Sample<float>&, const GrowOptions&,
                                                 const NodeLimits&, Place, Scorers*);

}  // namespace thresher
