// The finished trees of a forest as a struct of arrays. See forest/structure.py for the fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/packed.hpp"
#include "forest/votes.hpp"

namespace thresher {

// Trees one behind the other; the nodes of tree t are [begin[t], begin[t + 1]).
struct GrownForest {
  std::vector<std::int64_t> begin{0};
  std::vector<PackedNode> nodes;          // children count from their tree's begin
  std::vector<std::uint32_t> rows;        // (neg, pos) for each node, each row as often as drawn
  std::vector<double> weight;             // (neg, pos) for each node; empty: the rows
  std::vector<std::uint8_t> levels_left;  // kLevelBytes for each category split
  std::vector<std::uint8_t> levels_seen;
  OutOfBag votes{0};

  void append(const GrownForest& tree);

  // Room for so many nodes, or for all these trees, and no more.
  void reserve_nodes(std::size_t n_nodes, bool weighted);
  void reserve(const std::vector<GrownForest>& trees);
};

}  // namespace thresher
