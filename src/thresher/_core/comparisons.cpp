#include "comparisons.hpp"

#include <algorithm>

namespace thresher {
namespace {

constexpr std::size_t kBlock = 255;  // rows that a one-byte counter can count

// Adds the comparisons of `n` rows with one row of codes, kChunk features at a time.
void compare(const std::uint8_t* rows, std::size_t n, std::size_t width, const std::uint8_t* anchor,
             std::uint32_t* below, std::uint32_t* up_to) {
  std::uint8_t less[kChunk] = {}, less_or_equal[kChunk] = {};
  for (std::size_t i = 0; i < n; ++i, rows += width) {
    for (std::size_t f = 0; f < kChunk; ++f) {
      less[f] = static_cast<std::uint8_t>(less[f] + (rows[f] < anchor[f]));
      less_or_equal[f] = static_cast<std::uint8_t>(less_or_equal[f] + (rows[f] <= anchor[f]));
    }
  }
  for (std::size_t f = 0; f < kChunk; ++f) {
    below[f] += less[f];
    up_to[f] += less_or_equal[f];
  }
}

}  // namespace

void Comparisons::count(const ClassRows& rare, Range rare_range, const ClassRows& other,
                        Range other_range) {
  width_ = rare.width;
  n_rare_ = rare_range.size();
  below_.assign((n_rare_ + 1) * width_, 0);
  up_to_.assign((n_rare_ + 1) * width_, 0);
  const std::vector<std::uint8_t> largest(width_, kMissing - 1);
  for (std::size_t first = other_range.begin; first < other_range.end; first += kBlock) {
    const std::size_t n = std::min<std::size_t>(kBlock, other_range.end - first);
    for (std::size_t i = 0; i <= n_rare_; ++i) {
      const std::uint8_t* anchor = i < n_rare_ ? rare.at(rare_range.begin + i) : largest.data();
      for (std::size_t f = 0; f < width_; f += kChunk)
        compare(other.at(first) + f, n, width_, anchor + f, &below_[i * width_ + f], &up_to_[i * width_ + f]);
    }
  }
}

}  // namespace thresher
