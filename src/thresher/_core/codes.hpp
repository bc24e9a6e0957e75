// One byte for each value: rows of a class as codes, moved together as nodes are split.
//
// Anchored codes: with sorted anchors a_0 < a_1 < ... a value v becomes 2 * #{a < v} + [v is an anchor]. Odd codes
// hold one value, even codes ("open") a whole interval between two anchors. If every value of one class is an
// anchor, open codes hold rows of the other class only: no cut that matters is hidden in them.
// Bins: with sorted edges a value becomes #{edge < v}; cuts lie at edges alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.hpp"

namespace thresher {

inline constexpr int kMissing = 255;     // code of a missing value
inline constexpr int kCells = 256;       // codes of a feature
inline constexpr int kMaxAnchors = 127;  // 2 * 127 = 254 is the largest code beside kMissing
inline constexpr std::size_t kChunk = 16;  // bytes by which rows of codes are padded and moved

// The rows of one class. A node owns a range of them; splitting a node reorders its range.
struct ClassRows {
  std::size_t width = 0;             // bytes per row, a multiple of kChunk
  std::vector<std::uint32_t> row;    // row number in the table
  std::vector<std::uint8_t> codes;   // row.size() x width

  const std::uint8_t* at(std::size_t position) const { return codes.data() + position * width; }
  std::uint8_t* at(std::size_t position) { return codes.data() + position * width; }

  void swap_rows(std::size_t a, std::size_t b) {
    std::swap(row[a], row[b]);
    std::uint8_t* x = at(a);
    std::uint8_t* y = at(b);
    for (std::size_t i = 0; i < width; i += kChunk) std::swap_ranges(x + i, x + i + kChunk, y + i);
  }
};

inline std::size_t padded_width(std::size_t n_features) {
  return (n_features + kChunk - 1) / kChunk * kChunk;
}

// Sorted boundaries of one feature, padded with infinity to a power of two for a search without branches.
template <class T>
class Boundaries {
 public:
  Boundaries() = default;
  explicit Boundaries(std::vector<T> sorted) : values_(std::move(sorted)) {
    while ((std::size_t{1} << bits_) <= values_.size()) ++bits_;
    values_.resize(std::size_t{1} << bits_, std::numeric_limits<T>::infinity());
  }

  int bits() const { return bits_; }  // 2^bits values, at least one of them infinity
  T operator[](std::size_t i) const { return values_[i]; }
  const T* data() const { return values_.data(); }

 private:
  std::vector<T> values_{std::numeric_limits<T>::infinity()};
  int bits_ = 0;
};

// How the values of each feature become codes.
template <class T>
struct Coding {
  std::vector<Boundaries<T>> boundaries;      // by feature; empty for category columns
  std::vector<std::uint8_t> categorical;      // by feature: the value itself is the code
  bool anchored = true;                       // else bins

  // Codes the rows in `range` anew from the table.
  void encode(ClassRows& rows, Range range, const Table<T>& table) const;
};

// Sorts and removes repeated and missing values.
template <class T>
void keep_distinct(std::vector<T>& values) {
  std::erase_if(values, [](T v) { return std::isnan(v); });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

extern template struct Coding<float>;
extern template struct Coding<double>;

}  // namespace thresher
