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

// Numbers of edges in the place of cuts; the largest number is behind all edges.
std::vector<PackedNode> in_bins(std::vector<PackedNode> nodes, const BinEdges& edges) {
  for (PackedNode& node : nodes) {
    if (node.category() || std::isinf(node.cut)) continue;
    const std::vector<double>& of_column = edges[node.column()];
    node.cut =
        static_cast<double>(std::ranges::lower_bound(of_column, node.cut) - of_column.begin());
  }
  return nodes;
}

std::vector<std::int64_t> votes_of_nodes(const GrownForest& tree, const LeafVote& vote) {
  std::vector<std::int64_t> votes(tree.nodes.size());
  const auto of = [&](const auto& counts, std::size_t i) {
    return vote(static_cast<double>(counts[2 * i]), static_cast<double>(counts[2 * i + 1]));
  };
  for (std::size_t i = 0; i < votes.size(); ++i)
    if (tree.nodes[i].left == i)
      votes[i] = tree.weight.empty() ? of(tree.rows, i) : of(tree.weight, i);
  return votes;
}

}  // namespace

template <class T>
bool TreeVotes<T>::complete(const CodedTable<T>& source) {
  if (source.coding.anchored()) return finite_rows(source.table, 0, source.table.n_rows);
  const auto no_missing = [&](const ClassRows& rows) {
    return finite_rows(codes_of(rows, source.table.n_features), 0, rows.row.size());
  };
  return no_missing(source.neg) && no_missing(source.pos);
}

template <class T>
void TreeVotes<T>::add(const GrownForest& tree, const Bag& bag) {
  const bool exact = source_.coding.anchored();
  if (!exact) nodes_in_bins_ = in_bins(tree.nodes, source_.coding.edges);
  const Voters voters(exact ? tree.nodes.data() : nodes_in_bins_.data(), tree.nodes.size(),
                      tree.begin.data(), 1, tree.levels_left.data(),
                      tree.levels_left.size() / kLevelBytes);
  node_votes_ = votes_of_nodes(tree, vote_);
  plain_ = complete_ && tree.levels_left.empty();
  const auto add_rows = [&](const ClassRows& rows, const std::vector<std::uint32_t>& times) {
    if (exact)
      add_class(voters.tree(0), source_.table, false, rows, times);
    else
      add_class(voters.tree(0), codes_of(rows, source_.table.n_features), true, rows, times);
  };
  add_rows(source_.neg, bag.neg);
  add_rows(source_.pos, bag.pos);
}

// by_position: the rows of the table are those of the class, in its order.
template <class T>
template <class Value>
void TreeVotes<T>::add_class(const PackedTree& tree, const Table<Value>& table, bool by_position,
                             const ClassRows& rows, const std::vector<std::uint32_t>& times) {
  std::array<std::uint32_t, kBlock> row{}, place{}, leaf{};
  std::size_t n = 0;
  const auto vote = [&] {
    walk_chosen(tree, table, place.data(), n, plain_, leaf.data());
    for (std::size_t k = 0; k < n; ++k) votes_.add(row[k], node_votes_[leaf[k]]);
    n = 0;
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    row[n] = rows.row[i];
    place[n] = by_position ? static_cast<std::uint32_t>(i) : rows.row[i];
    n += times[i] == 0;
    if (n == kBlock) vote();
  }
  vote();
}

template class TreeVotes<float>;
template class TreeVotes<double>;

}  // namespace thresher
