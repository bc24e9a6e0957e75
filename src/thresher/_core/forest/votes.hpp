// What a forest says of rows: the mean over its trees of the value of the leaf they fall into.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/arrays.hpp"
#include "forest/bags.hpp"
#include "forest/packed.hpp"
#include "forest/top_levels.hpp"

namespace thresher {

// Votes of the trees that did not see a row. Sums of fixed point numbers do not depend on the order
// of trees, so neither on threads nor on growing a forest in several goes.
struct OutOfBag {
  static constexpr int kDigits = 40;  // binary digits of a vote behind the point

  std::vector<std::int64_t> sum;    // by row of the table
  std::vector<std::int32_t> count;  // trees that did not see it

  explicit OutOfBag(std::size_t n_rows) : sum(n_rows), count(n_rows) {}
  void add(const OutOfBag& other);
  void add(std::uint32_t row, std::int64_t vote) {
    sum[row] += vote;
    ++count[row];
  }
  static std::int64_t fixed_point(double vote) { return std::llround(std::ldexp(vote, kDigits)); }
};

// What a leaf votes: the share of positives among its rows and those that smoothing adds, with the
// classes weighted.
struct LeafVote {
  double weight_neg = 1.0;
  double weight_pos = 1.0;
  double added_pos = 0.0;
  double added = 0.0;  // of both classes

  std::int64_t operator()(double neg, double pos) const {
    const double a = neg * weight_neg, b = pos * weight_pos;
    return OutOfBag::fixed_point((b + added_pos) / (a + b + added));
  }
};

// Trees owned by somebody else, checked.
class Voters {
 public:
  // Throws std::invalid_argument where the arrays do not describe trees.
  Voters(const PackedNode* nodes, std::size_t n_nodes, const std::int64_t* begin,
         std::size_t n_trees, const std::uint8_t* levels_left, std::size_t n_levels);
  Voters(const Voters&) = delete;  // trees point to the short nodes of this one
  Voters& operator=(const Voters&) = delete;

  std::size_t n_trees() const { return trees_.size(); }
  std::size_t n_nodes() const { return n_nodes_; }
  std::size_t n_features() const { return n_features_; }  // the least that a row must have
  const PackedTree& tree(std::size_t i) const { return trees_[i]; }
  std::size_t first_node(std::size_t i) const {
    return static_cast<std::size_t>(trees_[i].nodes - nodes_);
  }

  // values: of each node of the forest. Throws InfiniteValue.
  template <class T>
  void mean(const Table<T>& table, const double* values, double* result, int n_threads) const;

  // Trees from first_tree on vote for the training rows that `bags` left out of them; neg and pos
  // are the rows of each class that could be drawn. permuted: a feature whose values change places
  // among these rows, or -1.
  template <class T>
  OutOfBag out_of_bag(const Table<T>& table, const std::vector<std::uint32_t>& neg,
                      const std::vector<std::uint32_t>& pos, const double* values, const Bags& bags,
                      std::size_t first_tree, std::int64_t permuted, int n_threads,
                      const std::function<bool()>& interrupted) const;

 private:
  // Of every tree; empty where rows are too few, or columns too many, for it to pay.
  template <class T>
  std::vector<TopLevels<T>> top_levels(std::size_t n_rows) const;
  void shorten();  // what every node of the forest fits into
  void check_tree(std::size_t i, std::size_t n_nodes, std::size_t n_levels);

  const PackedNode* nodes_;
  std::size_t n_nodes_;
  bool any_category_ = false;
  std::size_t n_features_ = 0;
  std::vector<PackedTree> trees_;
  std::vector<ShortNode> short_nodes_;  // empty where nodes do not fit
};

}  // namespace thresher
