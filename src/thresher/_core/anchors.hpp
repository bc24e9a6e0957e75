// Where the boundaries of codes lie: anchors for exact growth, edges for bins.
#pragma once

#include <vector>

#include "sample.hpp"

namespace thresher {

// Anchors: all values of the rarer class if it has at most kMaxAnchors rows, else quantiles, half
// of them from the rarer class. The tree does not depend on the choice, only the time it takes.
template <class T>
std::vector<Boundaries<T>> choose_anchors(const Sample<T>& sample);

// At most max_bins - 1 edges a feature, half of them where the positives are.
template <class T>
std::vector<Boundaries<T>> bin_edges(const Sample<T>& sample, int max_bins);

}  // namespace thresher
