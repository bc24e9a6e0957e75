#include "search/comparisons.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = 255;  // rows that a one-byte counter can count

// Adds the comparisons of n rows with one row of codes. Lanes: features, or features of several
// rows at once.
template <std::size_t Lanes>
THRESHER_KERNEL void compare(const std::uint8_t* rows, std::size_t n, std::size_t width,
                             const std::uint8_t* anchor, std::uint8_t* less,
                             std::uint8_t* less_or_equal) {
  std::uint8_t a[Lanes], b[Lanes] = {}, c[Lanes] = {};
  for (std::size_t f = 0; f < Lanes; ++f) a[f] = anchor[f];
  for (std::size_t i = 0; i < n; ++i, rows += width) {
    for (std::size_t f = 0; f < Lanes; ++f) {
      b[f] = static_cast<std::uint8_t>(b[f] + (rows[f] < a[f]));
      c[f] = static_cast<std::uint8_t>(c[f] + (rows[f] <= a[f]));
    }
  }
  for (std::size_t f = 0; f < Lanes; ++f) {
    less[f] = b[f];
    less_or_equal[f] = c[f];
  }
}

// kChunk features of n rows against one row.
THRESHER_KERNEL void compare_chunk(const std::uint8_t* rows, std::size_t n, std::size_t width,
                                   const std::uint8_t* anchor, std::uint32_t* below,
                                   std::uint32_t* up_to) {
  std::uint8_t less[2 * kChunk], less_or_equal[2 * kChunk], pair[2 * kChunk];
  std::size_t odd = n;
  if (width == kChunk) {  // two rows side by side
    std::copy(anchor, anchor + kChunk, pair);
    std::copy(anchor, anchor + kChunk, pair + kChunk);
    compare<2 * kChunk>(rows, n / 2, 2 * width, pair, less, less_or_equal);
    for (std::size_t f = 0; f < 2 * kChunk; ++f) {
      below[f % kChunk] += less[f];
      up_to[f % kChunk] += less_or_equal[f];
    }
    odd = n % 2;
  }
  if (odd == 0) return;
  compare<kChunk>(rows + (n - odd) * width, odd, width, anchor, less, less_or_equal);
  for (std::size_t f = 0; f < kChunk; ++f) {
    below[f] += less[f];
    up_to[f] += less_or_equal[f];
  }
}

THRESHER_KERNEL void compare_rows(const std::uint8_t* rows, std::size_t n, std::size_t width,
                                  const std::uint8_t* anchor, std::uint32_t* below,
                                  std::uint32_t* up_to) {
  for (std::size_t f = 0; f < width; f += kChunk)
    compare_chunk(rows + f, n, width, anchor + f, below + f, up_to + f);
}

THRESHER_WIDE void compare_rows_wide(const std::uint8_t* rows, std::size_t n, std::size_t width,
                                     const std::uint8_t* anchor, std::uint32_t* below,
                                     std::uint32_t* up_to) {
  compare_rows(rows, n, width, anchor, below, up_to);
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
      const auto compare_all = wide_available() ? compare_rows_wide : compare_rows;
      compare_all(other.at(first), n, width_, anchor, &below_[i * width_], &up_to_[i * width_]);
    }
  }
}

}  // namespace thresher
