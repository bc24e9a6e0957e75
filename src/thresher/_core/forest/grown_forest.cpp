#include "forest/grown_forest.hpp"

#include "codes/level_set.hpp"

namespace thresher {
namespace {

template <class Item>
void extend(std::vector<Item>& items, const std::vector<Item>& more) {
  items.insert(items.end(), more.begin(), more.end());
}

}  // namespace

void GrownForest::append(const GrownForest& tree) {
  const auto first_level = static_cast<double>(levels_left.size() / kLevelBytes);
  for (PackedNode node : tree.nodes) {
    if (node.category()) node.cut += first_level;
    nodes.push_back(node);
  }
  begin.push_back(static_cast<std::int64_t>(nodes.size()));
  extend(rows, tree.rows);
  extend(weight, tree.weight);
  extend(levels_left, tree.levels_left);
  extend(levels_seen, tree.levels_seen);
}

void GrownForest::reserve_nodes(std::size_t n_nodes, bool weighted) {
  nodes.reserve(n_nodes);
  rows.reserve(2 * n_nodes);
  if (weighted) weight.reserve(2 * n_nodes);
}

void GrownForest::reserve(const std::vector<GrownForest>& trees) {
  std::size_t n_nodes = 0, n_levels = 0;
  bool weighted = false;
  for (const GrownForest& tree : trees) {
    n_nodes += tree.nodes.size();
    n_levels += tree.levels_left.size();
    weighted = weighted || !tree.weight.empty();
  }
  begin.reserve(trees.size() + 1);
  reserve_nodes(n_nodes, weighted);
  levels_left.reserve(n_levels);
  levels_seen.reserve(n_levels);
}

}  // namespace thresher
