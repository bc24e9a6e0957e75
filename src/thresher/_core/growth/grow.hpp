// Growing a tree: nodes are split until nothing gains, depth first or best first.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/arrays.hpp"
#include "search/criterion.hpp"

namespace thresher {

struct GrowOptions {
  Criterion criterion;
  std::int64_t max_depth = -1;       // -1: unlimited
  std::int64_t max_leaf_nodes = -1;  // -1: unlimited, depth first; else best first
  double min_leaf_weight = 1.0;
  double min_leaf_fraction = 0.0;  // of the whole weight, class weights included
  double min_split_weight = 2.0;
  double min_gain = 0.0;
  std::int64_t max_features = 0;  // looked at in each node; 0: all
  int max_bins = 0;               // 0: exact
  std::uint64_t seed = 0;
  int n_threads = 1;
  std::function<bool()> interrupted = [] {
    return false;
  };  // asked now and then by the calling thread
};

struct Interrupted {};  // thrown where `interrupted` said yes

// The finished tree as a struct of arrays, nodes in preorder. See tree/structure.py for the fields.
struct GrownTree {
  std::vector<std::int32_t> feature;
  std::vector<double> cut;
  std::vector<std::int32_t> left;
  std::vector<std::int32_t> right;
  std::vector<std::uint8_t> missing_left;
  std::vector<std::int32_t> category;
  std::vector<std::uint8_t> levels_left;  // 32 bytes for each category split
  std::vector<std::uint8_t> levels_seen;
  std::vector<std::int64_t> rows;  // (neg, pos) for each node
  std::vector<double> weight;      // (neg, pos) for each node
  std::vector<double> alpha;
  std::vector<double> impurity;
  std::vector<double> gain;
};

// labels: 0 or 1 for each row; weights: for each row, or null; categorical: for each feature.
template <class T>
GrownTree grow(const Table<T>& table, const std::uint8_t* labels, const double* weights,
               const std::uint8_t* categorical, const GrowOptions& options);

extern template GrownTree grow(const Table<float>&, const std::uint8_t*, const double*,
                               const std::uint8_t*, const GrowOptions&);
extern template GrownTree grow(const Table<double>&, const std::uint8_t*, const double*,
                               const std::uint8_t*, const GrowOptions&);

}  // namespace thresher
