// Where bins end: a value falls into the bin number #{edge < value}.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codes/sketch.hpp"

namespace thresher {

using BinEdges = std::vector<std::vector<double>>;  // by feature, rising; none for category columns

// At most max_bins - 1 edges a feature: quantiles, half of them from either class.
BinEdges bin_edges(const Sketch& neg, const Sketch& pos, std::span<const std::uint8_t> categorical,
                   int max_bins, int n_threads);

}  // namespace thresher
