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

}  // namespace thresher
