#include "forest/tree_votes.hpp"

#include <algorithm>
#include <array>

#include "codes/level_set.hpp"
#include "forest/walk.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = 512;  // rows that walk together

Table<std::uint8_t> codes_of(const ClassRows& rows, std::size_t n_features) {
  return {rows.codes.data(), rows.row.size(), n_features, static_cast<std::ptrdiff_t>(rows.width),
          1};
}

// The number of the edge at a cut, which is the last bin on its left; behind all edges where every
// present value goes left.
std::size_t last_bin(const PackedNode& node, const BinEdges& edges) {
  const std::vector<double>& of_column = edges[node.column()];
  return static_cast<std::size_t>(std::ranges::lower_bound(of_column, node.cut) -
                                  of_column.begin());
}

bool is_leaf(const std::vector<PackedNode>& nodes, std::size_t place) {
  return nodes[place].left == place;
}

std::vector<std::int64_t> votes_of_nodes(const GrownForest& tree, const LeafVote& vote) {
  std::vector<std::int64_t> votes(tree.nodes.size());
  const auto of = [&](const auto& counts, std::size_t i) {
    return vote(static_cast<double>(counts[2 * i]), static_cast<double>(counts[2 * i + 1]));
  };
  for (std::size_t i = 0; i < votes.size(); ++i)
    if (is_leaf(tree.nodes, i))
      votes[i] = tree.weight.empty() ? of(tree.rows, i) : of(tree.weight, i);
  return votes;
}

}  // namespace

template <class T>
bool TreeVotes<T>::complete(const CodedTable<T>& source) {
  return source.coding.anchored() && finite_rows(source.table, 0, source.table.n_rows);
}

template <class T>
void TreeVotes<T>::add(const GrownForest& tree, const Bag& bag) {
  node_votes_ = votes_of_nodes(tree, vote_);
  if (source_.coding.anchored())
    add_by_values(tree, bag);
  else if (tree.levels_left.empty() && source_.table.n_features <= BinNode::kFeatures)
    add_by_bins(tree, bag);
  else
    add_by_bins_and_levels(tree, bag);
}

template <class T>
void TreeVotes<T>::add_by_values(const GrownForest& tree, const Bag& bag) {
  const Voters voters(tree.nodes.data(), tree.nodes.size(), tree.begin.data(), 1,
                      tree.levels_left.data(), tree.levels_left.size() / kLevelBytes);
  const bool plain = complete_ && tree.levels_left.empty();
  const auto walk = [&](const std::uint32_t* rows, const std::uint32_t*, std::size_t n,
                        std::uint32_t* leaf) {
    walk_chosen(voters.tree(0), source_.table, rows, n, plain, leaf);
  };
  add_class(source_.neg, bag.neg, walk);
  add_class(source_.pos, bag.pos, walk);
}

template <class T>
void TreeVotes<T>::add_by_bins(const GrownForest& tree, const Bag& bag) {
  bin_nodes_.clear();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const PackedNode& node = tree.nodes[i];
    bin_nodes_.push_back(is_leaf(tree.nodes, i)
                             ? BinNode::leaf(node)
                             : BinNode::split(node, static_cast<std::uint8_t>(
                                                        last_bin(node, source_.coding.edges))));
  }
  const auto add_rows = [&](const ClassRows& rows, const std::vector<std::uint32_t>& times) {
    add_class(
        rows, times,
        [&](const std::uint32_t*, const std::uint32_t* places, std::size_t n, std::uint32_t* leaf) {
          walk_bins(bin_nodes_.data(), bin_nodes_.size(), rows.codes.data(), rows.width, places, n,
                    leaf);
        });
  };
  add_rows(source_.neg, bag.neg);
  add_rows(source_.pos, bag.pos);
}

template <class T>
void TreeVotes<T>::add_by_bins_and_levels(const GrownForest& tree, const Bag& bag) {
  std::vector<PackedNode> nodes = tree.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!is_leaf(nodes, i) && !nodes[i].category())
      nodes[i].cut = static_cast<double>(last_bin(nodes[i], source_.coding.edges));
  const Voters voters(nodes.data(), nodes.size(), tree.begin.data(), 1, tree.levels_left.data(),
                      tree.levels_left.size() / kLevelBytes);
  const auto add_rows = [&](const ClassRows& rows, const std::vector<std::uint32_t>& times) {
    const Table<std::uint8_t> codes = codes_of(rows, source_.table.n_features);
    add_class(
        rows, times,
        [&](const std::uint32_t*, const std::uint32_t* places, std::size_t n, std::uint32_t* leaf) {
          walk_chosen(voters.tree(0), codes, places, n, false, leaf);
        });
  };
  add_rows(source_.neg, bag.neg);
  add_rows(source_.pos, bag.pos);
}

template <class T>
template <class Walk>
void TreeVotes<T>::add_class(const ClassRows& rows, const std::vector<std::uint32_t>& times,
                             Walk walk) {
  std::array<std::uint32_t, kBlock> row{}, place{}, leaf{};
  std::size_t n = 0;
  const auto vote = [&] {
    walk(row.data(), place.data(), n, leaf.data());
    for (std::size_t k = 0; k < n; ++k) votes_.add(row[k], node_votes_[leaf[k]]);
    n = 0;
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    row[n] = rows.row[i];
    place[n] = static_cast<std::uint32_t>(i);
    n += times[i] == 0;
    if (n == kBlock) vote();
  }
  vote();
}

template class TreeVotes<float>;
template class TreeVotes<double>;

}  // namespace thresher
