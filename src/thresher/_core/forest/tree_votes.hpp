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
  // complete: as told by the function of that name, for all trees of a table.
  TreeVotes(const CodedTable<T>& source, const LeafVote& vote, bool complete)
      : source_(source), vote_(vote), complete_(complete), votes_(source.table.n_rows) {}

  // Whether every value is a number, so that rows walk down by the quick way; bins do in any case.
  static bool complete(const CodedTable<T>& source);

  // A forest of one tree, and what it drew.
  void add(const GrownForest& tree, const Bag& bag);
  const OutOfBag& sum() const { return votes_; }

 private:
  void add_by_values(const GrownForest& tree, const Bag& bag);
  void add_by_bins(const GrownForest& tree, const Bag& bag);  // no split is on a category
  void add_by_bins_and_levels(const GrownForest& tree, const Bag& bag);

  // walk(rows, places, n, leaves) for blocks of the rows of a class that were not drawn: their
  // numbers in the table, and their places in the class.
  template <class Walk>
  void add_class(const ClassRows& rows, const std::vector<std::uint32_t>& times, Walk walk);

  const CodedTable<T>& source_;
  LeafVote vote_;
  bool complete_;
  OutOfBag votes_;
  std::vector<std::int64_t> node_votes_;  // of the tree that votes
  std::vector<BinNode> bin_nodes_;
};

extern template class TreeVotes<float>;
extern template class TreeVotes<double>;

}  // namespace thresher
