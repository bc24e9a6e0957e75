#include "walk.hpp"

#include <algorithm>
#include <cmath>

#include "simd.hpp"

namespace thresher {
namespace {

constexpr std::size_t kLanes = 16;  // rows side by side
constexpr std::size_t kLook = 4;    // levels between two looks whether all rows have arrived

// Whether n values are all finite: x - x is zero for these alone.
template <class T>
THRESHER_KERNEL bool all_finite_body(const T* values, std::size_t n) {
  int odd = 0;
  for (std::size_t i = 0; i < n; ++i) odd |= values[i] - values[i] != T{0};
  return odd == 0;
}
template <class T>
THRESHER_WIDE bool all_finite_wide(const T* values, std::size_t n) {
  return all_finite_body(values, n);
}

enum class Values { plain, any };

template <Values values, class T>
std::uint32_t step(const PackedTree& tree, const T* row, std::ptrdiff_t stride, std::uint32_t at) {
  const PackedNode& node = tree.nodes[at];
  const auto value = static_cast<double>(row[static_cast<std::ptrdiff_t>(node.column()) * stride]);
  if constexpr (values == Values::plain) {
    return node.left + (value > node.cut);
  } else {
    if (node.category() && value == value) {
      const auto level = static_cast<std::size_t>(value) & 0xff;
      const std::uint8_t bits =
          tree.levels_left[static_cast<std::size_t>(node.cut) * 32 + level / 8];
      return node.left + !((bits >> (level % 8)) & 1);
    }
    const bool missing_right = (value != value) & !node.missing_left();
    return node.left + ((value > node.cut) | missing_right);
  }
}

template <Values values, class T>
void walk_lanes(const PackedTree& tree, const Table<T>& table, std::size_t first, std::size_t last,
                std::uint32_t* leaf) {
  const T* row[kLanes];
  std::uint32_t at[kLanes];
  for (; first < last; first += kLanes, leaf += kLanes) {
    const std::size_t n = std::min(kLanes, last - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      row[lane] = table.address(first + std::min(lane, n - 1), 0);
      at[lane] = 0;
    }
    for (std::size_t level = 0; level < tree.depth; level += kLook) {
      std::uint32_t moved = 0;
      for (std::size_t i = 0; i < kLook; ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::uint32_t next = step<values>(tree, row[lane], table.feature_stride, at[lane]);
          if (i + 1 == kLook) moved |= next ^ at[lane];
          at[lane] = next;
        }
      }
      if (moved == 0) break;
    }
    std::copy_n(at, n, leaf);
  }
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
      const T value = table(row, feature);
      if (std::isinf(value)) throw InfiniteValue{};
      finite &= value == value;
    }
  }
  return finite;
}

template <class T>
void walk(const PackedTree& tree, const Table<T>& table, std::size_t first, std::size_t last,
          bool plain, std::uint32_t* leaf) {
  if (plain)
    walk_lanes<Values::plain>(tree, table, first, last, leaf);
  else
    walk_lanes<Values::any>(tree, table, first, last, leaf);
}

template bool finite_rows(const Table<float>&, std::size_t, std::size_t);
template bool finite_rows(const Table<double>&, std::size_t, std::size_t);
template void walk(const PackedTree&, const Table<float>&, std::size_t, std::size_t, bool,
                   std::uint32_t*);
template void walk(const PackedTree&, const Table<double>&, std::size_t, std::size_t, bool,
                   std::uint32_t*);

}  // namespace thresher
