#include "forest/votes.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "forest/top_levels.hpp"
#include "forest/walk.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = TopLevels<float>::kRows;  // rows that go through all trees together
constexpr std::size_t kMostColumns = 64;                 // of a block that stays in cache
constexpr std::size_t kNodesAtOnce = 1 << 18;            // of trees that stay in cache

void require(bool ok) {
  if (!ok) throw std::invalid_argument("the arrays do not describe a forest");
}

// The rows that were not drawn.
std::vector<std::uint32_t> left_out(const Bag& bag, const std::vector<std::uint32_t>& neg,
                                    const std::vector<std::uint32_t>& pos) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < neg.size(); ++i)
    if (bag.neg[i] == 0) rows.push_back(neg[i]);
  for (std::size_t i = 0; i < pos.size(); ++i)
    if (bag.pos[i] == 0) rows.push_back(pos[i]);
  return rows;
}

}  // namespace

void OutOfBag::add(const OutOfBag& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other.sum[i];
  for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
}

Voters::Voters(const PackedNode* nodes, std::size_t n_nodes, const std::int64_t* begin,
               std::size_t n_trees, const std::uint8_t* levels_left, std::size_t n_levels)
    : nodes_(nodes), n_nodes_(n_nodes), trees_(n_trees) {
  require(begin[0] == 0 && static_cast<std::size_t>(begin[n_trees]) == n_nodes);
  for (std::size_t i = 0; i < n_trees; ++i) {
    require(begin[i] < begin[i + 1] && static_cast<std::size_t>(begin[i + 1]) <= n_nodes);
    trees_[i] = {nodes + begin[i], levels_left, nullptr, 0};
    check_tree(i, static_cast<std::size_t>(begin[i + 1] - begin[i]), n_levels);
  }
  shorten();
}

void Voters::shorten() {
  if (!std::all_of(nodes_, nodes_ + n_nodes_, ShortNode::fits)) return;
  short_nodes_.reserve(n_nodes_);
  for (std::size_t i = 0; i < n_nodes_; ++i) short_nodes_.emplace_back(nodes_[i]);
  for (std::size_t i = 0; i < trees_.size(); ++i)
    trees_[i].short_nodes = short_nodes_.data() + first_node(i);
}

void Voters::check_tree(std::size_t i, std::size_t n_nodes, std::size_t n_levels) {
  PackedTree& tree = trees_[i];
  std::vector<std::uint32_t> depth(n_nodes, 0);
  std::size_t placed = 1;
  for (std::size_t place = 0; place < n_nodes; ++place) {
    const PackedNode& node = tree.nodes[place];
    require(place < placed);
    n_features_ = std::max(n_features_, node.column() + 1);
    if (node.left == place) {
      require(std::isinf(node.cut) && node.cut > 0.0 && !node.category());
      continue;
    }
    require(node.left == placed && placed + 2 <= n_nodes && std::isfinite(node.cut));
    if (node.category()) {
      any_category_ = true;
      require(node.cut >= 0.0 && node.cut < static_cast<double>(n_levels));
    }
    depth[placed] = depth[placed + 1] = depth[place] + 1;
    tree.depth = std::max<std::size_t>(tree.depth, depth[placed]);
    placed += 2;
  }
}

template <class T>
std::vector<TopLevels<T>> Voters::top_levels(std::size_t n_rows) const {
  std::vector<TopLevels<T>> tops;
  if (n_rows < kBlock || n_features_ > kMostColumns || any_category_) return tops;
  for (const PackedTree& tree : trees_) {
    if constexpr (std::is_same_v<T, double>) {
      tops.emplace_back([&](std::uint32_t place) { return tree.nodes[place]; });
    } else {
      if (!tree.short_nodes) return {};
      tops.emplace_back([&](std::uint32_t place) { return tree.short_nodes[place]; });
    }
  }
  return tops;
}

namespace {

// The first values of a block of rows, column by column.
template <class T, class Number>
void copy_columns(const Table<T>& table, std::size_t first, std::size_t n_columns,
                  std::vector<Number>& columns) {
  columns.resize(n_columns * kBlock);
  for (std::size_t row = 0; row < kBlock; ++row)
    for (std::size_t column = 0; column < n_columns; ++column)
      columns[column * kBlock + row] = static_cast<Number>(table(first + row, column));
}

}  // namespace

template <class T>
void Voters::mean(const Table<T>& table, const double* values, double* result,
                  int n_threads) const {
  using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;  // bins as floats
  const std::vector<TopLevels<Number>> tops = top_levels<Number>(table.n_rows);
  const auto vote_of = [&](std::size_t tree, std::size_t end_tree, std::size_t first,
                           std::size_t last) {
    std::uint32_t leaf[kBlock];
    std::vector<Number> columns;
    for (; first < last; first += kBlock) {
      const std::size_t end = std::min(last, first + kBlock);
      const bool plain = finite_rows(table, first, end) && !any_category_;
      const bool from_top = plain && !tops.empty() && end - first == kBlock;
      if (from_top) copy_columns(table, first, n_features_, columns);
      for (std::size_t i = tree; i < end_tree; ++i) {
        if (from_top) {
          tops[i].decide(columns.data(), leaf);
          walk_on(trees_[i], table, first, end, plain, TopLevels<Number>::kLevels, leaf);
        } else {
          walk(trees_[i], table, first, end, plain, leaf);
        }
        const double* value = values + first_node(i);
        // A running mean: that of equal values is this value, which a sum may miss by rounding.
        const double share = 1.0 / static_cast<double>(i + 1);
        for (std::size_t row = first; row < end; ++row)
          result[row] += share * (value[leaf[row - first]] - result[row]);
      }
    }
  };
  // Of a large forest so many trees at a time as a cache holds go through all rows.
  const auto vote = [&](std::size_t first, std::size_t last) {
    std::fill(result + first, result + last, 0.0);
    for (std::size_t tree = 0; tree < trees_.size();) {
      std::size_t end = tree + 1;
      const std::size_t begin = first_node(tree);
      while (end < trees_.size() && first_node(end) - begin < kNodesAtOnce) ++end;
      vote_of(tree, end, first, last);
      tree = end;
    }
  };
  parallel_blocks(table.n_rows, kBlock, n_threads, vote);
}

namespace {

// Votes as integers, so that they are rounded once and not for every row.
std::vector<std::int64_t> in_fixed_point(const double* values, std::size_t n) {
  std::vector<std::int64_t> result(n);
  std::transform(values, values + n, result.begin(), OutOfBag::fixed_point);
  return result;
}

// Rows of a table as they are or, for a column that is permuted, as copies with its values in
// another order.
template <class T>
class RowsToVote {
 public:
  RowsToVote(const Table<T>& table, std::int64_t permuted) : table_(table), permuted_(permuted) {}

  void start(std::vector<std::uint32_t> rows, Stream random) {
    rows_ = std::move(rows);
    if (permuted_ < 0) return;
    partners_ = rows_;
    shuffle(partners_, random);
  }
  std::size_t size() const { return rows_.size(); }
  std::uint32_t row(std::size_t i) const { return rows_[i]; }

  void walk_block(const PackedTree& tree, std::size_t first, std::size_t n, bool plain,
                  std::uint32_t* leaf) {
    if (permuted_ < 0)
      walk_chosen(tree, table_, &rows_[first], n, plain, leaf);
    else
      walk(tree, copies(first, n), 0, n, plain, leaf);
  }

 private:
  Table<T> copies(std::size_t first, std::size_t n) {
    const std::size_t width = table_.n_features;
    const auto column = static_cast<std::size_t>(permuted_);
    values_.resize(n * width);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t feature = 0; feature < width; ++feature)
        values_[i * width + feature] = table_(rows_[first + i], feature);
      values_[i * width + column] = table_(partners_[first + i], column);
    }
    return {values_.data(), n, width, static_cast<std::ptrdiff_t>(width), 1};
  }

  const Table<T>& table_;
  std::int64_t permuted_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> partners_;
  std::vector<T> values_;
};

}  // namespace

template <class T>
OutOfBag Voters::out_of_bag(const Table<T>& table, const std::vector<std::uint32_t>& neg,
                            const std::vector<std::uint32_t>& pos, const double* values,
                            const Bags& bags, std::size_t first_tree, std::int64_t permuted,
                            int n_threads, const std::function<bool()>& interrupted) const {
  const std::vector<std::int64_t> votes = in_fixed_point(values, n_nodes_);
  const bool plain = finite_rows(table, 0, table.n_rows) && !any_category_;
  const std::uint64_t shuffling = scramble(static_cast<std::uint64_t>(permuted));
  OutOfBag whole(table.n_rows);
  std::mutex adding;
  SharedStop stop(interrupted);
  const std::size_t parts =
      thread_count(trees_.size() - std::min(first_tree, trees_.size()), n_threads);
  const auto vote_in_part = [&](std::size_t part) {
    OutOfBag own(table.n_rows);
    RowsToVote<T> rows(table, permuted);
    std::uint32_t leaf[kBlock];
    for (std::size_t i = first_tree + part; i < trees_.size(); i += parts) {
      if (stop()) throw Interrupted{};
      rows.start(left_out(bags.draw(i), neg, pos), Stream(tree_seed(shuffling, i)));
      const std::int64_t* vote = votes.data() + first_node(i);
      for (std::size_t first = 0; first < rows.size(); first += kBlock) {
        const std::size_t n = std::min(kBlock, rows.size() - first);
        rows.walk_block(trees_[i], first, n, plain, leaf);
        for (std::size_t k = 0; k < n; ++k) own.add(rows.row(first + k), vote[leaf[k]]);
      }
    }
    const std::lock_guard lock(adding);
    whole.add(own);
  };
  parallel_for(parts, n_threads, vote_in_part, [&stop] { stop(); });
  if (stop()) throw Interrupted{};
  return whole;
}

#define THRESHER_VOTES(T)                                                                  \
  template void Voters::mean(const Table<T>&, const double*, double*, int) const;          \
  template OutOfBag Voters::out_of_bag(const Table<T>&, const std::vector<std::uint32_t>&, \
                                       const std::vector<std::uint32_t>&, const double*,   \
                                       const Bags&, std::size_t, std::int64_t, int,        \
                                       const std::function<bool()>&) const
THRESHER_VOTES(float);
THRESHER_VOTES(double);
THRESHER_VOTES(std::uint8_t);

}  // namespace thresher
