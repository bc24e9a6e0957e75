#include "forest/predict.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/threads.hpp"
#include "codes/level_set.hpp"
#include "forest/walk.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = 64;  // rows looked through for missing and infinite values at once

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
    PackedNode& node = nodes_[at];
    if (feature[number] < 0) {
      node = PackedNode::leaf(at);
      continue;
    }
    check(placed + 2 <= n && feature[number] < static_cast<std::int32_t>(PackedNode::kFeature));
    for (const std::int32_t child : {left[number], right[number]})
      check(child > node_number_[at] && static_cast<std::size_t>(child) < n);
    node = {cut[number], static_cast<std::uint32_t>(placed),
            static_cast<std::uint32_t>(feature[number])};
    if (!missing_left[number]) node.feature |= PackedNode::kMissingRight;
    if (category[number] >= 0) {
      check((static_cast<std::size_t>(category[number]) + 1) * kLevelBytes <= levels_left_.size());
      node.feature |= PackedNode::kCategory;
      node.cut = category[number];
    }
    n_features_ = std::max(n_features_, feature[number] + 1);
    depth[placed] = depth[placed + 1] = depth[at] + 1;
    depth_ = std::max(depth_, depth[placed]);
    node_number_[placed++] = left[number];
    node_number_[placed++] = right[number];
  }
}

template <class T>
void Router::route(const Table<T>& table, std::size_t first, std::size_t last,
                   std::int32_t* leaf) const {
  const PackedTree tree{nodes_.data(), levels_left_.data(), nullptr, depth_};
  std::uint32_t at[kBlock];
  for (; first < last; first += kBlock) {
    const std::size_t end = std::min(last, first + kBlock);
    const bool plain = finite_rows(table, first, end) && levels_left_.empty();
    walk(tree, table, first, end, plain, at);
    for (std::size_t row = first; row < end; ++row) leaf[row] = node_number_[at[row - first]];
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
