// Which rows a tree of a forest is grown on. A draw depends on the seed and the tree's number
// alone, so that the rows left out of a tree can be found again at any time.
#pragma once

#include <cstdint>
#include <vector>

#include "codes/codes.hpp"

namespace thresher {

enum class Bootstrap {
  none,        // every row once
  plain,       // n of n rows, with replacement
  stratified,  // the same in each class, so that its size stays
  balanced,    // of each class as many as the rarer one has
};

// How often each row of a class was drawn, by position in the coded table.
struct Bag {
  std::vector<std::uint32_t> neg;
  std::vector<std::uint32_t> pos;
};

class Bags {
 public:
  Bags(Bootstrap bootstrap, std::uint64_t seed, std::size_t n_neg, std::size_t n_pos)
      : bootstrap_(bootstrap), seed_(seed), n_neg_(n_neg), n_pos_(n_pos) {}

  Bag draw(std::uint64_t tree) const {
    Bag bag;
    draw(tree, bag);
    return bag;
  }
  void draw(std::uint64_t tree, Bag& bag) const;

 private:
  Bootstrap bootstrap_;
  std::uint64_t seed_;
  std::size_t n_neg_;
  std::size_t n_pos_;
};

// The seed of a tree's own draws.
std::uint64_t tree_seed(std::uint64_t seed, std::uint64_t tree);

// The rows of a class that were drawn, with how often; `drawn` may hold those of another tree.
void take_drawn(const ClassRows& rows, const std::vector<std::uint32_t>& times, ClassRows& drawn);

}  // namespace thresher
