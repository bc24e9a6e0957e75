// One byte for each value: rows of a class as codes, moved together as nodes are split.
//
// Anchored codes: with sorted anchors a_0 < a_1 < ... a value v becomes 2 * #{a < v} + [v is an
// anchor]. Odd codes hold one value, even codes ("open") a whole interval between two anchors. If
// every value of one class is an anchor, open codes hold rows of the other class only: no cut that
// matters is hidden in them. Bins: with sorted edges a value becomes #{edge < v}; cuts lie at edges
// alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/arrays.hpp"
#include "base/simd.hpp"
#include "codes/edges.hpp"

namespace thresher {

inline constexpr int kMissing = 255;  // code of a missing value
inline constexpr int kCells = 256;    // codes of a feature
// 2 * 127 = 254 is the largest code beside kMissing. With fewer anchors small tables need all that
// large ones do: the fuzz target sets 7.
#ifndef THRESHER_MAX_ANCHORS
#define THRESHER_MAX_ANCHORS 127
#endif
inline constexpr int kMaxAnchors = THRESHER_MAX_ANCHORS;
inline constexpr std::size_t kChunk = 16;  // bytes by which rows of codes are padded and moved

// Whether a value is the code of a level; others count as missing.
template <class T>
constexpr bool is_level(T value) {
  return value >= T{0} && value < T{kMissing};
}

inline void copy_codes(const std::uint8_t* from, std::uint8_t* to, std::size_t width) {
  for (std::size_t i = 0; i < width; i += kChunk) std::memcpy(to + i, from + i, kChunk);
}

// The rows of one class. A node owns a range of them; splitting a node reorders its range.
struct ClassRows {
  std::size_t width = 0;            // bytes per row, a multiple of kChunk
  std::vector<std::uint32_t> row;   // row number in the table
  std::vector<std::uint8_t> codes;  // row.size() x width
  std::vector<std::uint8_t> times;  // how often each was drawn; empty: once

  const std::uint8_t* at(std::size_t position) const { return codes.data() + position * width; }
  std::uint8_t* at(std::size_t position) { return codes.data() + position * width; }
  std::uint8_t drawn(std::size_t position) const { return times.empty() ? 1 : times[position]; }
  // As often as it was drawn; weight: by table row, null where each counts one.
  template <class Cell>
  Cell weight_of(std::size_t position, const std::int64_t* weight) const {
    const Cell count = drawn(position);
    return weight ? static_cast<Cell>(weight[row[position]]) * count : count;
  }

  void resize(std::size_t n) {
    row.resize(n);
    times.resize(n);
    codes.resize(n * width);
  }
  void swap_rows(std::size_t a, std::size_t b) {
    std::swap(row[a], row[b]);
    if (!times.empty()) std::swap(times[a], times[b]);
    for (std::size_t i = 0; i < width; i += kChunk) {
      std::uint8_t x[kChunk], y[kChunk];
      std::memcpy(x, at(a) + i, kChunk);
      std::memcpy(y, at(b) + i, kChunk);
      std::memcpy(at(a) + i, y, kChunk);
      std::memcpy(at(b) + i, x, kChunk);
    }
  }
};

inline std::size_t padded_width(std::size_t n_features) {
  return (n_features + kChunk - 1) / kChunk * kChunk;
}

// Sorted boundaries of one feature, made for counting how many of them lie below a value. A grid
// over their range tells where to start; the rest is a halving search without branches, few steps
// long where the grid fits.
template <class T, class Start = std::uint8_t>
class Boundaries {
 public:
  Boundaries() : Boundaries(std::vector<T>{}, 0) {}
  // A grid pays for itself if many values are looked up.
  Boundaries(std::vector<T> sorted, std::size_t n_values) : values_(std::move(sorted)) {
    count_ = values_.size();
    if (n_values >= kManyValues && count_ >= kManyBoundaries) lay_grid();
    std::size_t fullest = 0;  // most boundaries in one cell of the grid
    for (std::size_t cell = 0; cell < start_.size(); ++cell) {
      const std::size_t end = cell + 1 < start_.size() ? start_[cell + 1] : count_;
      fullest = std::max(fullest, end - start_[cell]);
    }
    while ((std::size_t{1} << bits_) <= fullest) ++bits_;
    values_.resize(count_ + (std::size_t{1} << bits_), std::numeric_limits<T>::infinity());
  }

  // #{boundary < value} for each of n values.
  THRESHER_KERNEL void count_below(const T* values, std::size_t n, std::int32_t* below) const {
    if (start_.size() > 1)
      find_cells(values, n, below);
    else
      std::fill(below, below + n, 0);
    switch (bits_) {
      case 1:
        return search<1>(values, n, below);
      case 2:
        return search<2>(values, n, below);
      case 3:
        return search<3>(values, n, below);
      case 4:
        return search<4>(values, n, below);
      case 5:
        return search<5>(values, n, below);
      case 6:
        return search<6>(values, n, below);
      case 7:
        return search<7>(values, n, below);
      default:
        return search<0>(values, n, below);
    }
  }

  // #{boundary < value} + #{boundary <= value}: quicker than a search where boundaries are few.
  THRESHER_KERNEL void count_all(const T* values, std::size_t n, std::int32_t* codes) const {
    std::fill(codes, codes + n, 0);
    for (std::size_t j = 0; j < count_; ++j) {
      const T boundary = values_[j];
      for (std::size_t i = 0; i < n; ++i)
        codes[i] += (boundary < values[i]) + (boundary <= values[i]);
    }
  }

  std::size_t count() const { return count_; }
  T operator[](std::size_t i) const { return values_[i]; }  // infinity behind the last

 private:
  static constexpr std::size_t kGrid = 512;
  static constexpr std::size_t kManyValues = 1024;
  static constexpr std::size_t kManyBoundaries = 8;

  THRESHER_KERNEL void find_cells(const T* values, std::size_t n, std::int32_t* cells) const {
    const T last = static_cast<T>(start_.size() - 1);
    for (std::size_t i = 0; i < n; ++i) {
      T cell = (values[i] - low_) * scale_;
      cell = cell > T{0} ? cell : T{0};  // a missing value falls into 0
      cell = cell < last ? cell : last;
      cells[i] = static_cast<std::int32_t>(cell);
    }
  }

  // From cells of the grid to counts. Bits: the number of steps where it is known beforehand, else
  // 0.
  template <int Bits>
  THRESHER_KERNEL void search(const T* values, std::size_t n, std::int32_t* below) const {
    const int bits = Bits > 0 ? Bits : bits_;
    const T* const sorted = values_.data();
    const Start* const start = start_.data();
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t count = start[static_cast<std::size_t>(below[i])];
      for (int bit = bits - 1; bit >= 0; --bit)
        count += static_cast<std::size_t>(sorted[count + (std::size_t{1} << bit) - 1] < values[i])
                 << bit;
      below[i] = static_cast<std::int32_t>(count);
    }
  }

  // Equal cells over the middle 94 % of the boundaries, so that far values do not spoil it.
  void lay_grid() {
    low_ = values_[count_ * 3 / 100];
    const T width = values_[count_ - 1 - count_ * 3 / 100] - low_;
    if (!(width > T{0}) || !(width < std::numeric_limits<T>::max())) return;
    scale_ = static_cast<T>(kGrid) / width;
    if (!(scale_ < std::numeric_limits<T>::max())) {
      scale_ = T{0};
      return;
    }
    start_.assign(kGrid, 0);
    std::size_t i = 0;
    for (std::size_t cell = 0; cell < kGrid; ++cell) {
      while (cell > 0 && i < count_ && (values_[i] - low_) * scale_ < static_cast<T>(cell)) ++i;
      start_[cell] = static_cast<Start>(i);
    }
  }

  std::vector<T> values_;
  std::size_t count_ = 0;
  std::vector<Start> start_{0};  // boundaries below each cell of the grid
  T low_ = T{0};
  T scale_ = T{0};
  int bits_ = 0;
};

// The largest T that is not above a number.
template <class T>
T at_most(double number) {
  const T nearest = static_cast<T>(number);
  const bool above = static_cast<double>(nearest) > number;
  return above ? std::nextafter(nearest, -std::numeric_limits<T>::infinity()) : nearest;
}

// The boundaries that stand for bin edges among values of type T: nothing of that type lies between
// an edge and the T next below it.
template <class T>
Boundaries<T> edge_boundaries(const std::vector<double>& edges, std::size_t n_values) {
  std::vector<T> rounded;
  for (const double edge : edges) rounded.push_back(at_most<T>(edge));
  return Boundaries<T>(std::move(rounded), n_values);
}

// How the values of each feature become codes.
template <class T>
struct Coding {
  std::vector<Boundaries<T>> boundaries;  // by feature; empty for category columns
  std::vector<std::uint8_t> categorical;  // by feature: the value itself is the code
  BinEdges edges;                         // of bins; in exact growth there are none

  bool anchored() const { return edges.empty(); }

  // The anchored code of a number.
  int code_of(std::size_t feature, T value) const {
    const Boundaries<T>& anchors = boundaries[feature];
    std::int32_t below = 0;
    anchors.count_below(&value, 1, &below);
    return 2 * below + (anchors[static_cast<std::size_t>(below)] == value);
  }

  // Codes of n rows of the table, `width` bytes apart; row: their numbers, or null for the rows
  // from `first` on.
  void encode(const Table<T>& table, const std::uint32_t* row, std::size_t first, std::size_t n,
              std::uint8_t* codes, std::size_t width) const;
};

extern template struct Coding<float>;
extern template struct Coding<double>;

}  // namespace thresher
