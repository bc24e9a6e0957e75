// Rows to leaves. The tree is packed so that one node is one 16-byte read.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays.hpp"

namespace thresher {

struct InfiniteValue {};  // thrown where a table holds one

class Router {
 public:
  // Arrays of a tree of n nodes as in tree/structure.py; levels_left: 32 bytes for each category
  // split. Throws std::invalid_argument where they do not describe a tree.
  Router(std::size_t n, const std::int32_t* feature, const double* cut, const std::int32_t* left,
         const std::int32_t* right, const std::uint8_t* missing_left, const std::int32_t* category,
         std::vector<std::uint8_t> levels_left);

  std::int32_t n_features() const { return n_features_; }  // the least that a row must have

  // The leaf (its node number) of each row.
  template <class T>
  void leaves(const Table<T>& table, std::int32_t* leaf, int n_threads) const;

 private:
  // Children are neighbours: the right one follows the left one. A leaf is its own left child.
  struct Node {
    double cut;  // a leaf's is infinite; a category split's is the row of its levels
    std::uint32_t left;
    std::uint32_t feature;  // and flags in the highest bits
  };
  enum class Values { finite, any };  // what a block of rows holds

  template <class T>
  void route(const Table<T>& table, std::size_t first, std::size_t last, std::int32_t* leaf) const;
  template <Values values, class T>
  std::uint32_t step(const T* row, std::ptrdiff_t stride, std::uint32_t at) const;
  template <Values values, class T>
  void walk(const Table<T>& table, std::size_t first, std::size_t last, std::int32_t* leaf) const;

  std::vector<Node> nodes_;
  std::vector<std::int32_t> node_number_;  // position here -> number in the tree
  std::vector<std::uint8_t> levels_left_;
  std::int32_t n_features_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace thresher
