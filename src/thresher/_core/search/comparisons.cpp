#include "search/comparisons.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace thresher {
namespace {

constexpr std::size_t kCount = 255;  // the most that a one-byte counter can count

// Rows of the more frequent class, so few that a one-byte counter can count them.
struct Block {
  const std::uint8_t* codes;
  const std::uint8_t* times;  // how often each row counts, kChunk times; null: once
  std::size_t n;
  std::size_t width;

  Block part(std::size_t feature, std::size_t first, std::size_t count) const {
    return {codes + first * width + feature, times ? times + first * kChunk : nullptr, count,
            width};
  }
};

// Counts, in each lane, the rows whose code is below, or up to, that of the anchor. Lanes: features
// of one row, or of several rows that lie side by side, kChunk of each.
template <std::size_t Lanes, bool Repeated>
THRESHER_KERNEL void compare(const std::uint8_t* rows, std::size_t stride,
                             const std::uint8_t* times, std::size_t n, const std::uint8_t* anchor,
                             std::uint8_t* less, std::uint8_t* less_or_equal) {
  std::uint8_t a[Lanes], b[Lanes] = {}, c[Lanes] = {};
  for (std::size_t f = 0; f < Lanes; ++f) a[f] = anchor[f];
  for (std::size_t i = 0; i < n; ++i, rows += stride) {
    for (std::size_t f = 0; f < Lanes; ++f) {
      const auto is_below = static_cast<std::uint8_t>(-(rows[f] < a[f]));
      const auto is_up_to = static_cast<std::uint8_t>(-(rows[f] <= a[f]));
      const std::uint8_t count = Repeated ? times[i * Lanes + f] : 1;
      b[f] = static_cast<std::uint8_t>(b[f] + (is_below & count));
      c[f] = static_cast<std::uint8_t>(c[f] + (is_up_to & count));
    }
  }
  for (std::size_t f = 0; f < Lanes; ++f) {
    less[f] = b[f];
    less_or_equal[f] = c[f];
  }
}

template <std::size_t Lanes>
THRESHER_KERNEL void compare_into(const Block& block, const std::uint8_t* anchor,
                                  std::uint32_t* below, std::uint32_t* up_to) {
  constexpr std::size_t together = Lanes / kChunk;
  std::uint8_t less[Lanes], less_or_equal[Lanes], anchors[Lanes];
  for (std::size_t row = 0; row < together; ++row)
    std::copy(anchor, anchor + kChunk, anchors + row * kChunk);
  const std::size_t stride = together * block.width, n = block.n / together;
  if (block.times)
    compare<Lanes, true>(block.codes, stride, block.times, n, anchors, less, less_or_equal);
  else
    compare<Lanes, false>(block.codes, stride, nullptr, n, anchors, less, less_or_equal);
  for (std::size_t f = 0; f < Lanes; ++f) {
    below[f % kChunk] += less[f];
    up_to[f % kChunk] += less_or_equal[f];
  }
}

// kChunk features of a block against one row.
THRESHER_KERNEL void compare_chunk(const Block& block, const std::uint8_t* anchor,
                                   std::uint32_t* below, std::uint32_t* up_to) {
  const std::size_t even = block.width == kChunk ? block.n / 2 * 2 : 0;  // two rows side by side
  if (even > 0) compare_into<2 * kChunk>(block.part(0, 0, even), anchor, below, up_to);
  if (even < block.n)
    compare_into<kChunk>(block.part(0, even, block.n - even), anchor, below, up_to);
}

THRESHER_KERNEL void compare_rows(const Block& block, const std::uint8_t* anchor,
                                  std::uint32_t* below, std::uint32_t* up_to) {
  for (std::size_t f = 0; f < block.width; f += kChunk)
    compare_chunk(block.part(f, 0, block.n), anchor + f, below + f, up_to + f);
}

THRESHER_WIDE void compare_rows_wide(const Block& block, const std::uint8_t* anchor,
                                     std::uint32_t* below, std::uint32_t* up_to) {
  compare_rows(block, anchor, below, up_to);
}

// The rows from `first` on that can be counted in one byte; `times` is for how often each counts.
Block block_of(const ClassRows& rows, std::size_t first, std::size_t end, std::uint8_t* times) {
  const std::size_t most = std::min<std::size_t>(end - first, kCount);
  if (rows.times.empty()) return {rows.at(first), nullptr, most, rows.width};
  std::size_t n = 0;
  for (std::size_t count = 0; n < most && (count += rows.times[first + n]) <= kCount; ++n)
    std::fill_n(times + n * kChunk, kChunk, rows.times[first + n]);
  return {rows.at(first), times, n, rows.width};
}

}  // namespace

void Comparisons::count(const ClassRows& rare, Range rare_range, const ClassRows& other,
                        Range other_range) {
  width_ = rare.width;
  n_rare_ = rare_range.size();
  below_.assign((n_rare_ + 1) * width_, 0);
  up_to_.assign((n_rare_ + 1) * width_, 0);
  const std::vector<std::uint8_t> largest(width_, kMissing - 1);
  const auto compare_all = wide_available() ? compare_rows_wide : compare_rows;
  std::uint8_t times[kCount * kChunk];
  for (std::size_t first = other_range.begin; first < other_range.end;) {
    const Block block = block_of(other, first, other_range.end, times);
    for (std::size_t i = 0; i <= n_rare_; ++i) {
      const std::uint8_t* anchor = i < n_rare_ ? rare.at(rare_range.begin + i) : largest.data();
      compare_all(block, anchor, &below_[i * width_], &up_to_[i * width_]);
    }
    first += block.n;
  }
}

}  // namespace thresher
