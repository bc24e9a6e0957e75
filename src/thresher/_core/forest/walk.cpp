#include "forest/walk.hpp"

#include <algorithm>
#include <cmath>

#include "base/simd.hpp"
#include "codes/level_set.hpp"

namespace thresher {
namespace {

constexpr std::size_t kLanes = 16;      // rows side by side
constexpr std::size_t kCheckEvery = 4;  // levels: have all rows arrived?

// x - x is zero for finite numbers alone.
template <class T>
THRESHER_KERNEL bool not_finite(T value) {
  return value - value != T{0};
}
template <>
THRESHER_KERNEL bool not_finite(std::uint8_t code) {
  return code == kMissing;
}

// Whether n values are all finite.
template <class T>
THRESHER_KERNEL bool all_finite_body(const T* values, std::size_t n) {
  int any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= not_finite(values[i]);
  return any == 0;
}
template <class T>
THRESHER_WIDE bool all_finite_wide(const T* values, std::size_t n) {
  return all_finite_body(values, n);
}

enum class Values { plain, any };

template <Values values, class T>
std::uint32_t step(const PackedTree& tree, const T* row, std::ptrdiff_t stride, std::uint32_t at) {
  const PackedNode& node = tree.nodes[at];
  const double value = number(row[static_cast<std::ptrdiff_t>(node.column()) * stride]);
  if constexpr (values == Values::plain) {
    return node.left + (value > node.cut);
  } else {
    if (node.category() && value == value) {
      const auto level = static_cast<std::size_t>(value) & 0xff;
      const std::uint8_t* levels =
          tree.levels_left + static_cast<std::size_t>(node.cut) * kLevelBytes;
      return node.left + !has_bit(levels, level);
    }
    const bool missing_right = (value != value) & !node.missing_left();
    return node.left + ((value > node.cut) | missing_right);
  }
}

// row_at(i): address of the i-th of n rows.
template <Values values, class T, class RowAt>
void walk_lanes(const PackedTree& tree, std::ptrdiff_t stride, std::size_t n, RowAt row_at,
                std::uint32_t* leaf) {
  const T* row[kLanes];
  std::uint32_t at[kLanes];
  for (std::size_t first = 0; first < n; first += kLanes) {
    const std::size_t here = std::min(kLanes, n - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      row[lane] = row_at(first + std::min(lane, here - 1));
      at[lane] = 0;
    }
    for (std::size_t level = 0; level < tree.depth; level += kCheckEvery) {
      std::uint32_t moved = 0;
      for (std::size_t i = 0; i < kCheckEvery; ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::uint32_t next = step<values>(tree, row[lane], stride, at[lane]);
          if (i + 1 == kCheckEvery) moved |= next ^ at[lane];
          at[lane] = next;
        }
      }
      if (moved == 0) break;
    }
    std::copy_n(at, here, leaf + first);
  }
}

template <class T, class RowAt>
void walk_rows(const PackedTree& tree, const Table<T>& table, std::size_t n, bool plain,
               RowAt row_at, std::uint32_t* leaf) {
  if (plain)
    walk_lanes<Values::plain, T>(tree, table.feature_stride, n, row_at, leaf);
  else
    walk_lanes<Values::any, T>(tree, table.feature_stride, n, row_at, leaf);
}

}  // namespace

template <class T>
bool finite_rows(const Table<T>& table, std::size_t first, std::size_t last) {
  const auto all_finite = wide_available() ? all_finite_wide<T> : all_finite_body<T>;
  const bool compact = table.feature_stride == 1 &&
                       table.row_stride == static_cast<std::ptrdiff_t>(table.n_features);
  if (compact &&
      all_finite(table.data + first * table.n_features, (last - first) * table.n_features))
    return true;
  bool finite = true;
  for (std::size_t row = first; row < last; ++row) {
    for (std::size_t feature = 0; feature < table.n_features; ++feature) {
      const double value = number(table(row, feature));
      if (std::isinf(value)) throw InfiniteValue{};
      finite &= value == value;
    }
  }
  return finite;
}

template <class T>
void walk(const PackedTree& tree, const Table<T>& table, std::size_t first, std::size_t last,
          bool plain, std::uint32_t* leaf) {
  const auto row_at = [&](std::size_t i) { return table.address(first + i, 0); };
  walk_rows(tree, table, last - first, plain, row_at, leaf);
}

template <class T>
void walk_chosen(const PackedTree& tree, const Table<T>& table, const std::uint32_t* rows,
                 std::size_t n, bool plain, std::uint32_t* leaf) {
  const auto row_at = [&](std::size_t i) { return table.address(rows[i], 0); };
  walk_rows(tree, table, n, plain, row_at, leaf);
}

THRESHER_WALK(, float);
THRESHER_WALK(, double);
THRESHER_WALK(, std::uint8_t);

}  // namespace thresher
