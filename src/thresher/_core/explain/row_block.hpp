// Rows of a table column by column, as wide instructions read them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/arrays.hpp"
#include "forest/additive.hpp"
#include "forest/walk.hpp"

namespace thresher {

inline constexpr std::size_t kSide = 16;  // rows side by side

// Rows that go through all trees together: many, for each tree is prepared once a block, but no
// more than caches hold.
inline std::size_t rows_of_block(std::size_t n_columns) {
  constexpr std::size_t kCells = 1U << 17, kLeast = 64, kMost = 2048;
  const std::size_t rows = kCells / std::max<std::size_t>(n_columns, 1);
  return std::clamp(rows, kLeast, kMost) / kSide * kSide;
}

// The columns that trees ask for. Behind the last row there are zeros up to a multiple of kSide.
class RowBlock {
 public:
  RowBlock(const AdditiveTrees::Columns& columns, std::size_t n_rows)
      : columns_(columns), capacity_(n_rows), values_(n_rows * columns.used.size()) {}

  // Throws InfiniteValue.
  template <class T>
  void read(const Table<T>& table, std::size_t first, std::size_t last) {
    size_ = last - first;
    for (std::size_t i = 0; i < columns_.used.size(); ++i) {
      const bool zero_is_missing = columns_.zero_is_missing[i] != 0;
      const T* from = table.address(first, columns_.used[i]);
      double* to = values_.data() + i * capacity_;
      for (std::size_t row = 0; row < size_; ++row, from += table.row_stride) {
        to[row] = *from;
        if (std::isinf(to[row])) throw InfiniteValue{};
        if (zero_is_missing && std::abs(to[row]) <= kZero)
          to[row] = std::numeric_limits<double>::quiet_NaN();
      }
      std::fill(to + size_, to + capacity_, 0.0);
    }
  }

  std::size_t size() const { return size_; }
  const double* column(std::size_t i) const { return values_.data() + i * capacity_; }

 private:
  const AdditiveTrees::Columns& columns_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::vector<double> values_;
};

}  // namespace thresher
