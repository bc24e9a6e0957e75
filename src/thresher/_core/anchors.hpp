// Where the boundaries of codes lie: anchors for exact growth, edges for bins.
#pragma once

#include <vector>

#include "split.hpp"

namespace thresher {

// Anchors for a node: all values of its rarer class if they are at most kMaxAnchors rows, else quantiles, half of
// them from the rarer class. The tree does not depend on the choice, only the time it takes.
template <class T>
Coding<T> choose_anchors(const Sample<T>& sample, const NodeRows& node);

// At most max_bins - 1 edges a feature, half of them where the positives are.
template <class T>
std::vector<Boundaries<T>> bin_edges(const Sample<T>& sample, int max_bins);

}  // namespace thresher
