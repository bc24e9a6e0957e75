// Trees whose nodes have weights, so that a column may be unknown: a row then goes both ways, with
// the shares of weight that went there in training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/additive.hpp"

namespace thresher {

class WeighedTrees {
 public:
  // weight: of each node. Throws std::invalid_argument where the arrays do not describe trees with
  // weights. Where both children of a node have none, each has half.
  WeighedTrees(const AdditiveArrays& arrays, std::span<const double> weight);

  const AdditiveTrees& trees() const { return trees_; }
  // Of each node of a tree: its share in the weight of itself and its sibling; 1 of the root.
  const double* shares(std::size_t tree) const { return share_.data() + begin_[tree]; }
  // Of each node of a tree: what the tree says of rows that are there and otherwise unknown.
  const double* expected(std::size_t tree) const { return node_.data() + begin_[tree]; }
  // What the trees say where every column is unknown.
  double expected() const { return expected_; }

 private:
  void set_expected(std::size_t tree);

  AdditiveTrees trees_;
  std::vector<std::size_t> begin_;
  std::vector<double> share_, node_;
  double expected_ = 0.0;
};

// An edge of a tree: the way from a node to a child.
struct Edge {
  std::uint32_t node, child;  // their places
  std::uint32_t depth;        // of the child
  std::uint32_t former;       // depth of the last edge above it that asks the same column, 0: none
  // The share of weight that stays on the path where the column is unknown: of all edges that ask
  // it down to this one, and down to the former one.
  double share, former_share;

  bool is_right(const PackedNode* nodes) const { return child != nodes[node].left; }
};

// The edges of a tree in preorder, left before right. Throws std::invalid_argument where its paths
// are longer than any tree that was learnt has.
struct Paths {
  Paths(const WeighedTrees& trees, std::size_t tree);

  std::vector<Edge> edges;
  std::size_t depth = 0;      // edges on the longest path
  std::size_t n_columns = 0;  // most different columns on a path
};

}  // namespace thresher
