// Views of arrays owned by somebody else, and the counts that everything is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thresher {

// A table of values; element strides, so that row-major and column-major tables need no copy.
template <class T>
struct Table {
  const T* data = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t feature_stride = 0;

  const T* address(std::size_t row, std::size_t feature) const {
    return data + static_cast<std::ptrdiff_t>(row) * row_stride +
           static_cast<std::ptrdiff_t>(feature) * feature_stride;
  }
  T operator()(std::size_t row, std::size_t feature) const { return *address(row, feature); }
};

struct TableChanged {};  // thrown where a table is seen to change while it is read

// The rows that trees are grown on.
template <class T>
struct TrainingRows {
  Table<T> table;
  std::span<const std::uint8_t> labels;       // 0 or 1 for each row
  std::span<const double> weights;            // for each row; empty: one each
  std::span<const std::uint8_t> categorical;  // for each feature

  // The rows of a class, but for those of weight zero.
  std::vector<std::uint32_t> of_class(std::uint8_t label) const {
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < table.n_rows; ++row)
      if (labels[row] == label && (weights.empty() || weights[row] > 0.0))
        rows.push_back(static_cast<std::uint32_t>(row));
    return rows;
  }
};

// Weight of the rows of each class, in units of the fixed point (one row without weights is 1).
struct Mix {
  std::int64_t neg = 0;
  std::int64_t pos = 0;

  std::int64_t total() const { return neg + pos; }
  bool pure() const { return neg == 0 || pos == 0; }
  bool operator==(const Mix&) const = default;
  Mix operator+(Mix other) const { return {neg + other.neg, pos + other.pos}; }
  Mix operator-(Mix other) const { return {neg - other.neg, pos - other.pos}; }
};

// Positions [begin, end) in the rows of one class.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  static Range of(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  std::uint32_t size() const { return end - begin; }
  // The i-th of `count` parts of nearly equal size.
  Range part(std::size_t i, std::size_t count) const {
    const auto at = [&](std::size_t k) {
      return begin + static_cast<std::uint32_t>(size() * k / count);
    };
    return {at(i), at(i + 1)};
  }
};

}  // namespace thresher
