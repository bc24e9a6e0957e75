#include "predict.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "threads.hpp"

namespace thresher {
namespace {

constexpr std::uint8_t kMissingRight = 1;
constexpr std::uint8_t kCategory = 2;
constexpr std::size_t kLanes = 8;        // rows that walk the tree side by side, to hide the latency of memory
constexpr std::size_t kGrain = 4096;     // rows worth a thread

}  // namespace

Router::Router(std::size_t n, const std::int32_t* feature, const double* cut,
               const std::int32_t* left, const std::int32_t* right,
               const std::uint8_t* missing_left, const std::int32_t* category,
               std::vector<std::uint8_t> levels_left)
    : levels_left_(std::move(levels_left)) {
  const auto check = [](bool ok) {
    if (!ok) throw std::invalid_argument("the arrays do not describe a tree");
  };
  check(n > 0);
  nodes_.resize(n);
  node_number_.assign(n, 0);
  std::vector<std::size_t> depth(n, 0);
  std::size_t placed = 1;  // breadth first: children are placed as neighbours
  for (std::size_t at = 0; at < n; ++at) {
    check(at < placed);
    const auto number = static_cast<std::size_t>(node_number_[at]);
    Node& node = nodes_[at];
    if (feature[number] < 0) {
      node = {std::numeric_limits<double>::infinity(), static_cast<std::uint32_t>(at), 0, 0, 0};
      continue;
    }
    check(placed + 2 <= n && feature[number] < (1 << 24));
    for (const std::int32_t child : {left[number], right[number]})
      check(child > node_number_[at] && static_cast<std::size_t>(child) < n);
    const auto f = static_cast<std::uint32_t>(feature[number]);
    node.cut = cut[number];
    node.left = static_cast<std::uint32_t>(placed);
    node.feature_low = static_cast<std::uint16_t>(f & 0xffff);
    node.feature_high = static_cast<std::uint8_t>(f >> 16);
    node.flags = missing_left[number] ? 0 : kMissingRight;
    if (category[number] >= 0) {
      check((static_cast<std::size_t>(category[number]) + 1) * 32 <= levels_left_.size());
      node.flags |= kCategory;
      node.cut = category[number];
      has_categories_ = true;
    }
    n_features_ = std::max(n_features_, feature[number] + 1);
    depth[placed] = depth[placed + 1] = depth[at] + 1;
    depth_ = std::max(depth_, depth[placed]);
    node_number_[placed++] = left[number];
    node_number_[placed++] = right[number];
  }
}

template <class T>
std::uint32_t Router::step(const Table<T>& table, std::size_t row, std::uint32_t at) const {
  const Node& node = nodes_[at];
  const std::size_t feature = node.feature_low | (std::size_t{node.feature_high} << 16);
  const auto value = static_cast<double>(table(row, feature));
  if (has_categories_ && (node.flags & kCategory) && !std::isnan(value)) {
    const auto level = static_cast<std::size_t>(value) & 0xff;
    const std::uint8_t bits = levels_left_[static_cast<std::size_t>(node.cut) * 32 + level / 8];
    return node.left + !((bits >> (level % 8)) & 1);
  }
  const bool missing_right = (value != value) & (node.flags & kMissingRight);
  return node.left + ((value > node.cut) | missing_right);
}

template <class T>
void Router::route(const Table<T>& table, std::size_t first, std::size_t last,
                   std::int32_t* leaf) const {
  std::size_t row = first;
  for (; row + kLanes <= last; row += kLanes) {
    std::uint32_t at[kLanes] = {};
    for (std::size_t level = 0; level < depth_; ++level) {
      std::uint32_t moved = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t next = step(table, row + lane, at[lane]);
        moved |= next ^ at[lane];
        at[lane] = next;
      }
      if (moved == 0) break;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) leaf[row + lane] = node_number_[at[lane]];
  }
  for (; row < last; ++row) {
    std::uint32_t at = 0;
    for (std::uint32_t next = step(table, row, at); next != at; next = step(table, row, at)) at = next;
    leaf[row] = node_number_[at];
  }
}

template <class T>
void Router::leaves(const Table<T>& table, std::int32_t* leaf, int n_threads) const {
  if (n_features_ == 0) {  // a single leaf: the table may have no column to read
    std::fill(leaf, leaf + table.n_rows, 0);
    return;
  }
  parallel_blocks(table.n_rows, kGrain, n_threads, [&](std::size_t first, std::size_t last) {
    route(table, first, last, leaf);
  });
}

template void Router::leaves(const Table<float>&, std::int32_t*, int) const;
template void Router::leaves(const Table<double>&, std::int32_t*, int) const;

}  // namespace thresher
