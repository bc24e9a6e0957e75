#include "explain/weighed.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace thresher {
namespace {

// Columns on a path, and these times its splits: what is kept of a path in memory grows with them.
// No tree that was learnt comes near.
constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kMostCells = 1U << 19;

void require(bool ok, const char* sentence) {
  if (!ok) throw std::invalid_argument(sentence);
}

}  // namespace

WeighedTrees::WeighedTrees(const AdditiveArrays& arrays, std::span<const double> weight)
    : trees_(arrays), share_(weight.size(), 1.0), node_(weight.size()) {
  require(weight.size() == arrays.feature.size(), "weight needs one entry a node");
  for (const double one : weight)
    require(std::isfinite(one) && one >= 0.0, "weights of nodes must be numbers from 0 on");
  begin_.reserve(trees_.n_trees());
  for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree) {
    begin_.push_back(static_cast<std::size_t>(arrays.begin[tree]));
    const std::span<const PackedNode> nodes = trees_.nodes(tree);
    double* share = share_.data() + begin_[tree];
    const double* its_weight = weight.data() + begin_[tree];
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      const std::size_t left = nodes[at].left;
      if (left == at) continue;
      const double total = its_weight[left] + its_weight[left + 1];
      require(std::isfinite(total), "weights of nodes are too large");
      share[left] = total > 0.0 ? its_weight[left] / total : 0.5;
      share[left + 1] = total > 0.0 ? its_weight[left + 1] / total : 0.5;
    }
    set_expected(tree);
  }
}

void WeighedTrees::set_expected(std::size_t tree) {
  const std::span<const PackedNode> nodes = trees_.nodes(tree);
  const double* share = shares(tree);
  double* expected = node_.data() + begin_[tree];
  std::copy_n(trees_.values(tree), nodes.size(), expected);
  for (std::size_t at = nodes.size(); at-- > 0;) {  // children come behind their parents
    const std::size_t left = nodes[at].left;
    if (left == at) continue;
    expected[at] = share[left] * expected[left] + share[left + 1] * expected[left + 1];
  }
  expected_ += expected[0];
}

Paths::Paths(const WeighedTrees& trees, std::size_t tree) {
  struct Step {  // an edge of the path that leads to where we are
    std::size_t column;
    std::uint32_t former;
    double share;
    std::size_t n_columns;
  };
  const std::span<const PackedNode> nodes = trees.trees().nodes(tree);
  const double* share = trees.shares(tree);
  std::vector<std::uint32_t> last(trees.trees().columns().used.size(), 0);
  std::vector<Step> path;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting;  // nodes, and their children
  const auto enter = [&](std::uint32_t at) {
    const std::uint32_t left = nodes[at].left;
    if (left == at) return;
    waiting.emplace_back(at, left + 1);
    waiting.emplace_back(at, left);
  };
  std::vector<std::uint32_t> depth_of(nodes.size(), 0);
  edges.reserve(nodes.size() - 1);
  enter(0);
  while (!waiting.empty()) {
    const auto [node, child] = waiting.back();
    waiting.pop_back();
    const std::uint32_t here = depth_of[child] = depth_of[node] + 1;
    while (path.size() >= here) {
      last[path.back().column] = path.back().former;
      path.pop_back();
    }
    const std::size_t column = nodes[node].column();
    const std::uint32_t former = last[column];
    const double former_share = former ? path[former - 1].share : 1.0;
    const double its_share = former_share * share[child];
    const std::size_t columns_above = path.empty() ? 0 : path.back().n_columns;
    path.push_back({column, former, its_share, columns_above + (former == 0)});
    last[column] = here;
    edges.push_back({node, child, here, former, its_share, former_share});
    depth = std::max<std::size_t>(depth, here);
    n_columns = std::max(n_columns, path.back().n_columns);
    require(n_columns <= kMostColumns && depth * n_columns <= kMostCells,
            "a tree is too deep to be explained: too many splits lie on one path");
    enter(child);
  }
}

}  // namespace thresher
