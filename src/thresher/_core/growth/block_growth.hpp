// Growth over blocks of coded rows that may be anywhere: rows are routed through the tree so far,
// nodes of its rim are counted block by block, and the sums of the counts tell the splits. Every
// function is pure; integers are added, so that neither blocks nor their order matter.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codes/coded_table.hpp"
#include "codes/level_set.hpp"
#include "growth/candidates.hpp"
#include "growth/options.hpp"
#include "growth/tree.hpp"

namespace thresher {

// The tree so far: node 0 is the root, and a right child follows its left one.
struct CodeTree {
  const std::int32_t* feature;  // -1 where a node is not split
  const std::int32_t* left;
  const std::uint8_t* goes_left;  // kLevelBytes a node: a bit for each code
  std::size_t n_nodes;
};

// A number that follows from a row's codes, label and weight.
std::uint64_t content_hash(const CodedRows& rows, std::size_t row);

// The node of the tree's rim that each row falls into.
void route(const CodedRows& rows, const CodeTree& tree, std::int32_t* node, int n_threads);

// What is counted of a node: weight of either class; with weights the numbers of rows as well.
inline std::size_t n_planes(bool weighted) { return weighted ? 4 : 2; }

// Adds the rows to the counts (slot, plane, feature, code); slot: by row, -1 where it is not asked
// for.
template <class Cell>
void count(const CodedRows& rows, const std::int32_t* slot, Cell* cells);

struct NodeCounts {
  Mix weight;
  Mix rows;
};

// The split of a node and what its children need; feature -1: none.
struct NodeSplit {
  Split split;
  double decrease = 0.0;  // of the whole tree's impurity, by which best-first growth goes
  NodeCounts left;
  LevelSet goes_left{};  // the codes that go left
  std::array<std::uint64_t, 2> child_path{};
};

// What all nodes of one tree share.
class BlockGrowth {
 public:
  // weighted: counts have four planes; whole: weight of all rows.
  BlockGrowth(const GrowOptions& options, BinEdges edges, std::vector<std::uint8_t> categorical,
              FixedPoint fixed_point, bool weighted, Mix whole)
      : options_(options),
        edges_(std::move(edges)),
        categorical_(std::move(categorical)),
        fixed_point_(fixed_point),
        weighted_(weighted),
        limits_(NodeLimits::of(options, fixed_point, whole)) {}

  bool may_split(Mix mix, std::int64_t depth) const { return limits_.splittable(mix, depth); }

  // The best split of each of n nodes from their counts.
  void best_splits(const std::int64_t* cells, std::size_t n, const std::uint64_t* path,
                   NodeSplit* splits, int n_threads) const;

  // The whole subtree of a node all of whose rows are here.
  GrownTree grow(const CodedRows& rows, std::int64_t depth, std::uint64_t path,
                 int n_threads) const;

  Scorer scorer(Mix mix) const { return Scorer(options_.criterion, mix); }
  const FixedPoint& fixed_point() const { return fixed_point_; }
  const Criterion& criterion() const { return options_.criterion; }
  std::size_t n_features() const { return categorical_.size(); }
  bool weighted() const { return weighted_; }

 private:
  NodeSplit best_split(const std::int64_t* cells, std::uint64_t path,
                       const Candidates& candidates) const;
  NodeCounts counts_of(const std::int64_t* cells, std::size_t feature,
                       const std::uint8_t* goes_left) const;

  GrowOptions options_;
  BinEdges edges_;
  std::vector<std::uint8_t> categorical_;
  FixedPoint fixed_point_;
  bool weighted_;
  NodeLimits limits_;
};

extern template void count(const CodedRows&, const std::int32_t*, std::uint32_t*);
extern template void count(const CodedRows&, const std::int32_t*, std::int64_t*);

}  // namespace thresher
