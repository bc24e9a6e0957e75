// A card: few small trees whose leaves are added up, fitted to numbers by squared loss.
//
// Least: sum of weight * (target - intercept - sum of leaves)^2 + ridge * sum of leaf^2.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "card/rows.hpp"
#include "card/split.hpp"
#include "card/trees.hpp"

namespace thresher {

struct CardOptions {
  std::size_t max_splits = 31;
  std::size_t max_trees = 5;
  double ridge = 20.0;
  double min_weight = 5.0;  // of a leaf
  int sweeps = 2;           // over all leaves, after every split
  int passes = 3;           // of alternating optimisation
  int cycles = 3;           // of merging leaves and growing again
  std::size_t merged = 8;   // leaf pairs in a cycle
  std::function<bool()> interrupted;
};

class CardFit {
 public:
  CardFit(const CardRows& rows, const CardOptions& options, int n_threads);

  // Grows, improves, and lets cycles of pruning find better trees.
  void fit();

  // Splits the best leaf, or begins a tree, until nothing is allowed or gains.
  void grow();
  // Every node asks the question that is best for the trees below it, while that makes less loss.
  void improve();
  // Merges so many leaf pairs, the cheapest first.
  void prune(std::size_t count);

  const CardTrees& trees() const { return trees_; }
  double intercept() const { return intercept_; }
  double loss() const;
  // The loss after each step so far: splits, passes, cycles.
  const std::vector<double>& losses() const { return losses_; }

 private:
  using Place = CardTrees::Place;
  struct Candidate {
    Place leaf = -1;  // -1: a new tree
    CardSplit split;
  };
  struct State {
    CardTrees trees;
    double intercept;
    double loss;
  };

  State state() const { return {trees_, intercept_, loss()}; }
  void return_to(const State& state);
  Candidate best_candidate() const;
  Candidate best_of_feature(std::size_t feature, const std::vector<std::vector<double>>& pulls,
                            bool may_begin) const;
  bool improve_tree(std::size_t tree);
  bool improve_node(std::size_t tree, Place node);
  void drop_light_leaves();
  bool drop_light_leaf(std::size_t tree);
  void drop_single_leaves();
  void merge_cheapest();
  void merge(std::size_t tree, Place place, double value);
  void refit();
  void sweep(std::size_t tree);
  void deal_rows(std::size_t tree);
  void reset_residuals();
  std::vector<Sum> leaf_sums(std::size_t tree) const;
  double merged_gain(const Sum& sum) const {
    return sum.amount * sum.amount / (sum.weight + options_.ridge);
  }
  void check_interrupt() const;

  const CardRows& rows_;
  const CardOptions& options_;
  int n_threads_;
  CardTrees trees_;
  double intercept_ = 0.0;
  std::vector<double> residual_;          // target less what is said so far
  std::vector<std::vector<Place>> leaf_;  // by tree and row
  std::vector<double> losses_;
};

}  // namespace thresher
