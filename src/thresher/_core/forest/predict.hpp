// Rows to the leaves of one tree.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "forest/packed.hpp"

namespace thresher {

class Router {
 public:
  // Arrays of a tree of n nodes as in tree/structure.py; levels_left: kLevelBytes for each category
  // split. Throws std::invalid_argument where they do not describe a tree.
  Router(std::size_t n, const std::int32_t* feature, const double* cut, const std::int32_t* left,
         const std::int32_t* right, const std::uint8_t* missing_left, const std::int32_t* category,
         std::vector<std::uint8_t> levels_left);

  std::int32_t n_features() const { return n_features_; }  // the least that a row must have

  // The leaf (its node number) of each row; throws InfiniteValue.
  template <class T>
  void leaves(const Table<T>& table, std::int32_t* leaf, int n_threads) const;

 private:
  template <class T>
  void route(const Table<T>& table, std::size_t first, std::size_t last, std::int32_t* leaf) const;
  std::vector<PackedNode> nodes_;
  std::vector<std::int32_t> node_number_;  // position here -> number in the tree
  std::vector<std::uint8_t> levels_left_;
  std::int32_t n_features_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace thresher
