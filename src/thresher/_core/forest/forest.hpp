// Growing many trees on one coded table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "codes/coded_table.hpp"
#include "forest/bags.hpp"
#include "forest/grown_forest.hpp"
#include "forest/votes.hpp"
#include "growth/options.hpp"

namespace thresher {

struct ForestOptions {
  Bootstrap bootstrap = Bootstrap::plain;
  std::uint64_t first_tree = 0;  // trees have numbers, so that a forest can go on growing
  std::size_t n_trees = 1;
  std::function<void(std::size_t)> progress = [](std::size_t) {
  };  // told by the calling thread how many trees are finished
  std::optional<LeafVote> vote = std::nullopt;  // for rows that trees did not draw
  double random_cuts = 0.0;                     // share of trees that draw their cuts
};

// Whether a tree of a forest draws its cuts: both kinds take turns, so that any first trees have
// about this share.
bool draws_cuts(std::uint64_t tree, double share);

// n_threads trees are grown at a time.
template <class T>
GrownForest grow_forest(const TrainingRows<T>& rows, const GrowOptions& options,
                        const ForestOptions& forest);

// The same on rows that are bins already; weights in fixed point.
GrownForest grow_forest(const CodedRows& rows, BinEdges edges, FixedPoint fixed_point,
                        std::span<const std::uint8_t> categorical, const GrowOptions& options,
                        const ForestOptions& forest);

extern template GrownForest grow_forest(const TrainingRows<float>&, const GrowOptions&,
                                        const ForestOptions&);
extern template GrownForest grow_forest(const TrainingRows<double>&, const GrowOptions&,
                                        const ForestOptions&);

}  // namespace thresher
