// Growing many trees on one coded table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "codes/coded_table.hpp"
#include "forest/bags.hpp"
#include "forest/packed.hpp"
#include "growth/options.hpp"

namespace thresher {

struct ForestOptions {
  Bootstrap bootstrap = Bootstrap::plain;
  std::uint64_t first_tree = 0;  // trees have numbers, so that a forest can go on growing
  std::size_t n_trees = 1;
  std::function<void(std::size_t)> progress = [](std::size_t) {
  };  // told by the calling thread how many trees are finished
};

// Trees one behind the other; the nodes of tree t are [begin[t], begin[t + 1]).
struct GrownForest {
  std::vector<std::int64_t> begin{0};
  std::vector<PackedNode> nodes;          // children count from their tree's begin
  std::vector<std::uint32_t> rows;        // (neg, pos) for each node, each row as often as drawn
  std::vector<double> weight;             // (neg, pos) for each node; empty: the rows
  std::vector<std::uint8_t> levels_left;  // kLevelBytes for each category split
  std::vector<std::uint8_t> levels_seen;

  void append(const GrownForest& tree);
};

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
