// Trees of other libraries: the sum over trees of the value of the leaf that a row falls into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "forest/packed.hpp"

namespace thresher {

// LightGBM's zero: what is not further from it, a double made of a 32-bit number.
inline constexpr double kZero = 1e-35f;

// Trees one behind the other, each breadth first: the children of the k-th inner node of a tree are
// its nodes 2k + 1 and 2k + 2.
struct AdditiveArrays {
  std::span<const std::int64_t> begin;         // of each tree, and the number of all nodes
  std::span<const std::int32_t> feature;       // -1 at leaves
  std::span<const double> cut;                 // a number goes left if it is at most this
  std::span<const std::uint8_t> missing_left;  // where NaN goes
  std::span<const std::int32_t> level_set;     // whose members go left; -1 where numbers are cut
  std::span<const std::int64_t> set_begin;     // first byte of each set, and the number of all
  std::span<const std::uint8_t> set_bits;
  std::span<const double> value;                  // what leaves add
  std::span<const std::uint8_t> zero_is_missing;  // for each column of a table
};

class AdditiveTrees {
 public:
  // Throws std::invalid_argument where the arrays do not describe trees.
  explicit AdditiveTrees(const AdditiveArrays& arrays);

  // The columns that trees ask for: the features of packed nodes are places among these.
  struct Columns {
    std::vector<std::size_t> used;
    std::vector<std::uint8_t> zero_is_missing;
  };

  std::size_t n_features() const { return n_features_; }
  std::size_t n_trees() const { return begin_.size(); }
  const Columns& columns() const { return columns_; }
  std::span<const PackedNode> nodes(std::size_t tree) const {
    return {nodes_.data() + begin_[tree], end_of(tree) - begin_[tree]};
  }
  const double* values(std::size_t tree) const { return value_.data() + begin_[tree]; }

  // Whether a category split sends a value that is not missing left.
  bool is_member(const PackedNode& node, double value) const;
  // Whether a node sends a value left; where zero is missing, it is NaN here.
  bool goes_left(const PackedNode& node, double value) const {
    if (value != value) return node.missing_left();
    return node.category() ? is_member(node, value) : value <= node.cut;
  }

  // base plus the values of the trees, in their order; each sum is rounded to Sum. Throws
  // InfiniteValue where a column that is asked for has one.
  template <class Sum, class T>
  void sum(const Table<T>& table, double base, double* result, int n_threads) const;

 private:
  class Block;

  std::size_t end_of(std::size_t tree) const {
    return tree + 1 < begin_.size() ? begin_[tree + 1] : nodes_.size();
  }

  void add_tree(const AdditiveArrays& arrays, std::size_t first, std::size_t last,
                const std::vector<std::uint32_t>& place);
  void leaves(std::size_t tree, const Block& block, std::uint32_t* leaf) const;

  std::size_t n_features_;
  Columns columns_;
  std::vector<PackedNode> nodes_;
  std::vector<double> value_;
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> depth_;
  std::vector<std::int64_t> set_begin_;
  std::vector<std::uint8_t> set_bits_;
  bool any_category_ = false;
};

}  // namespace thresher
