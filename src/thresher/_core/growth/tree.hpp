// The finished tree as a struct of arrays, nodes in preorder. See tree/structure.py for the fields.
#pragma once

#include <cstdint>
#include <vector>

namespace thresher {

struct GrownTree {
  std::vector<std::int32_t> feature;
  std::vector<double> cut;
  std::vector<std::int32_t> left;
  std::vector<std::int32_t> right;
  std::vector<std::uint8_t> missing_left;
  std::vector<std::int32_t> category;
  std::vector<std::uint8_t> levels_left;  // kLevelBytes for each category split
  std::vector<std::uint8_t> levels_seen;
  std::vector<std::int64_t> rows;  // (neg, pos) for each node
  std::vector<double> weight;      // (neg, pos) for each node
  std::vector<double> alpha;
  std::vector<double> impurity;
  std::vector<double> gain;
};

}  // namespace thresher
