// Votes of trees for the rows that they did not draw, each as soon as it is grown: no row is drawn
// a second time, and where values are bins, rows walk down by these, a byte each.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "codes/coded_table.hpp"
#include "forest/bags.hpp"
#include "forest/grown_forest.hpp"
#include "forest/votes.hpp"

namespace thresher {

template <class T>
class TreeVotes {
 public:
  // complete: no value of the table is missing.
  TreeVotes(const CodedTable<T>& source, const LeafVote& vote, bool complete)
      : source_(source), vote_(vote), complete_(complete), votes_(source.table.n_rows) {}

  static bool complete(const CodedTable<T>& source);

  // A forest of one tree, and what it drew.
  void add(const GrownForest& tree, const Bag& bag);
  const OutOfBag& sum() const { return votes_; }

 private:
  template <class Value>
  void add_class(const PackedTree& tree, const Table<Value>& table, bool by_position,
                 const ClassRows& rows, const std::vector<std::uint32_t>& times);

  const CodedTable<T>& source_;
  LeafVote vote_;
  bool complete_;
  OutOfBag votes_;
  bool plain_ = false;                     // of the tree that votes
  std::vector<std::int64_t> node_votes_;   // of its nodes
  std::vector<PackedNode> nodes_in_bins_;  // whose cuts are numbers of edges
};

extern template class TreeVotes<float>;
extern template class TreeVotes<double>;

}  // namespace thresher
