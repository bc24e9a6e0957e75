// Counting a small node by comparing every row of its more frequent class with every row of its
// rarer one: all features of a row at once, no histogram to clear and to scan.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "codes/codes.hpp"

namespace thresher {

class Comparisons {
 public:
  void count(const ClassRows& rare, Range rare_range, const ClassRows& other, Range other_range);

  // Rows of the more frequent class, as often as drawn, whose code is below, or up to, that of the
  // i-th rare row.
  std::uint32_t below(std::size_t i, std::size_t feature) const {
    return below_[i * width_ + feature];
  }
  std::uint32_t up_to(std::size_t i, std::size_t feature) const {
    return up_to_[i * width_ + feature];
  }
  // Rows of the more frequent class that have a value.
  std::uint32_t present(std::size_t feature) const { return up_to_[n_rare_ * width_ + feature]; }

 private:
  std::size_t width_ = 0;
  std::size_t n_rare_ = 0;
  std::vector<std::uint32_t>
      below_;  // rare row x width; a last row stands for the largest code there is
  std::vector<std::uint32_t> up_to_;
};

}  // namespace thresher
