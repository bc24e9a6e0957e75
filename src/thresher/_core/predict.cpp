#include "predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "simd.hpp"
#include "threads.hpp"

namespace thresher {
namespace {

constexpr std::uint32_t kMissingRight = 1U << 31;
constexpr std::uint32_t kCategory = 1U << 30;
constexpr std::uint32_t kFeature = kCategory - 1;
constexpr std::size_t kLanes =
    16;  // rows that walk the tree side by side, to hide the latency of memory
constexpr std::size_t kBlock = 64;    // rows looked through for missing and infinite values at once
constexpr std::size_t kGrain = 4096;  // rows worth a thread
constexpr std::size_t kLook = 4;      // levels between two looks whether all rows have arrived

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

// Whether a block of rows is finite; throws where one is infinite.
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

}  // namespace

Router::Router(std::size_t n, const std::int32_t* feature, const double* cut,
               const std::int32_t* left, const std::int32_t* right,
               const std::uint8_t* missing_left, const std::int32_t* category,
               std::vector<std::uint8_t> levels_left)
    : nodes_(n), node_number_(n), levels_left_(std::move(levels_left)) {
  const auto check = [](bool ok) {
    if (!ok) throw std::invalid_argument("the arrays do not describe a tree");
  };
  check(n > 0);
  std::vector<std::size_t> depth(n, 0);
  std::size_t placed = 1;  // breadth first: children are placed as neighbours
  for (std::size_t at = 0; at < n; ++at) {
    check(at < placed);
    const auto number = static_cast<std::size_t>(node_number_[at]);
    Node& node = nodes_[at];
    if (feature[number] < 0) {
      node = {std::numeric_limits<double>::infinity(), static_cast<std::uint32_t>(at), 0};
      continue;
    }
    check(placed + 2 <= n && feature[number] < static_cast<std::int32_t>(kFeature));
    for (const std::int32_t child : {left[number], right[number]})
      check(child > node_number_[at] && static_cast<std::size_t>(child) < n);
    node = {cut[number], static_cast<std::uint32_t>(placed),
            static_cast<std::uint32_t>(feature[number])};
    if (!missing_left[number]) node.feature |= kMissingRight;
    if (category[number] >= 0) {
      check((static_cast<std::size_t>(category[number]) + 1) * 32 <= levels_left_.size());
      node.feature |= kCategory;
      node.cut = category[number];
    }
    n_features_ = std::max(n_features_, feature[number] + 1);
    depth[placed] = depth[placed + 1] = depth[at] + 1;
    depth_ = std::max(depth_, depth[placed]);
    node_number_[placed++] = left[number];
    node_number_[placed++] = right[number];
  }
}

template <Router::Values values, class T>
std::uint32_t Router::step(const T* row, std::ptrdiff_t stride, std::uint32_t at) const {
  const Node& node = nodes_[at];
  const auto value =
      static_cast<double>(row[static_cast<std::ptrdiff_t>(node.feature & kFeature) * stride]);
  if constexpr (values == Values::finite) {
    return node.left + (value > node.cut);
  } else {
    if ((node.feature & kCategory) && value == value) {
      const auto level = static_cast<std::size_t>(value) & 0xff;
      const std::uint8_t bits = levels_left_[static_cast<std::size_t>(node.cut) * 32 + level / 8];
      return node.left + !((bits >> (level % 8)) & 1);
    }
    const bool missing_right = (value != value) & ((node.feature & kMissingRight) != 0);
    return node.left + ((value > node.cut) | missing_right);
  }
}

template <Router::Values values, class T>
void Router::walk(const Table<T>& table, std::size_t first, std::size_t last,
                  std::int32_t* leaf) const {
  const T* row[kLanes];
  std::uint32_t at[kLanes];
  for (; first < last; first += kLanes) {
    const std::size_t n = std::min(kLanes, last - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      row[lane] = table.data +
                  static_cast<std::ptrdiff_t>(first + std::min(lane, n - 1)) * table.row_stride;
      at[lane] = 0;
    }
    for (std::size_t level = 0; level < depth_; level += kLook) {
      std::uint32_t moved = 0;
      for (std::size_t i = 0; i < kLook; ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::uint32_t next = step<values>(row[lane], table.feature_stride, at[lane]);
          if (i + 1 == kLook) moved |= next ^ at[lane];
          at[lane] = next;
        }
      }
      if (moved == 0) break;
    }
    for (std::size_t lane = 0; lane < n; ++lane) leaf[first + lane] = node_number_[at[lane]];
  }
}

template <class T>
void Router::route(const Table<T>& table, std::size_t first, std::size_t last,
                   std::int32_t* leaf) const {
  for (; first < last; first += kBlock) {
    const std::size_t end = std::min(last, first + kBlock);
    if (finite_rows(table, first, end) && levels_left_.empty())
      walk<Values::finite>(table, first, end, leaf);
    else
      walk<Values::any>(table, first, end, leaf);
  }
}

template <class T>
void Router::leaves(const Table<T>& table, std::int32_t* leaf, int n_threads) const {
  parallel_blocks(table.n_rows, kGrain, n_threads,
                  [&](std::size_t first, std::size_t last) { route(table, first, last, leaf); });
}

template void Router::leaves(const Table<float>&, std::int32_t*, int) const;
template void Router::leaves(const Table<double>&, std::int32_t*, int) const;

}  // namespace thresher
