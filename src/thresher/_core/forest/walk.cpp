#include "forest/walk.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/simd.hpp"
#include "codes/level_set.hpp"
#include "forest/lanes.hpp"

namespace thresher {
namespace {

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
    if (node.category()) {
      if (!is_level(value)) return node.left + !node.missing_left();
      const auto level = static_cast<std::size_t>(value);
      const std::uint8_t* levels =
          tree.levels_left + static_cast<std::size_t>(node.cut) * kLevelBytes;
      return node.left + !has_bit(levels, level);
    }
    const bool missing_right = (value != value) & !node.missing_left();
    return node.left + ((value > node.cut) | missing_right);
  }
}

template <class T>
std::uint32_t short_step(const ShortNode* nodes, const T* row, std::ptrdiff_t stride,
                         std::uint32_t at) {
  const ShortNode& node = nodes[at];
  const auto value = static_cast<float>(row[static_cast<std::ptrdiff_t>(node.column()) * stride]);
  return node.left() + (node.cut < value);
}

// row_at(i): address of the i-th of n rows, which are at the nodes `leaf` of a level.
template <class T, class RowAt>
void walk_rows(const PackedTree& tree, const Table<T>& table, std::size_t n, bool plain,
               RowAt row_at, std::size_t level, std::uint32_t* leaf) {
  if (level >= tree.depth) return;
  const std::size_t depth = tree.depth - level;
  const std::ptrdiff_t stride = table.feature_stride;
  const auto plain_step = [&tree, stride](const T* row, std::uint32_t at) {
    return step<Values::plain>(tree, row, stride, at);
  };
  const auto any_step = [&tree, stride](const T* row, std::uint32_t at) {
    return step<Values::any>(tree, row, stride, at);
  };
  if constexpr (!std::is_same_v<T, double>) {
    if (plain && tree.short_nodes) {
      const auto quick_step = [nodes = tree.short_nodes, stride](const T* row, std::uint32_t at) {
        return short_step(nodes, row, stride, at);
      };
      return walk_lanes<T>(depth, n, row_at, quick_step, leaf);
    }
  }
  if (plain)
    walk_lanes<T>(depth, n, row_at, plain_step, leaf);
  else
    walk_lanes<T>(depth, n, row_at, any_step, leaf);
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
  std::fill(leaf, leaf + (last - first), 0);
  walk_on(tree, table, first, last, plain, 0, leaf);
}

template <class T>
void walk_on(const PackedTree& tree, const Table<T>& table, std::size_t first, std::size_t last,
             bool plain, std::size_t level, std::uint32_t* leaf) {
  const auto row_at = [&](std::size_t i) { return table.address(first + i, 0); };
  walk_rows(tree, table, last - first, plain, row_at, level, leaf);
}

template <class T>
void walk_chosen(const PackedTree& tree, const Table<T>& table, const std::uint32_t* rows,
                 std::size_t n, bool plain, std::uint32_t* leaf) {
  const auto row_at = [&](std::size_t i) { return table.address(rows[i], 0); };
  std::fill(leaf, leaf + n, 0);
  walk_rows(tree, table, n, plain, row_at, 0, leaf);
}

void walk_bins(const BinNode* nodes, std::size_t n_nodes, const std::uint8_t* codes,
               std::size_t width, const std::uint32_t* rows, std::size_t n, std::uint32_t* leaf) {
  const auto row_at = [=](std::size_t i) { return codes + rows[i] * width; };
  const auto step = [nodes](const std::uint8_t* row, std::uint32_t at) {
    return nodes[at].next(row);
  };
  std::fill(leaf, leaf + n, 0);
  walk_lanes<std::uint8_t>(n_nodes, n, row_at, step, leaf);
}

THRESHER_WALK(, float);
THRESHER_WALK(, double);
THRESHER_WALK(, std::uint8_t);

}  // namespace thresher
