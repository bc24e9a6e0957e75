// How trees are grown.
#pragma once

#include <cstdint>
#include <functional>

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
  bool random_cuts = false;       // one cut drawn for each feature; a forest says it of each tree
  std::uint64_t seed = 0;
  int n_threads = 1;
  std::function<bool()> interrupted = [] {
    return false;
  };  // asked now and then by the calling thread
};

}  // namespace thresher
