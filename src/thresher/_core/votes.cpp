#include "votes.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "grow.hpp"
#include "random.hpp"
#include "threads.hpp"
#include "walk.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = 512;  // rows that go through all trees together

void require(bool ok) {
  if (!ok) throw std::invalid_argument("the arrays do not describe a forest");
}

// Rows of a table copied one behind the other.
template <class T>
class Copies {
 public:
  explicit Copies(const Table<T>& table) : source_(table), values_(kBlock * table.n_features) {}

  // As many of the rows as a block holds; the values of `permuted`, if it is a feature, come from
  // the rows `partner`.
  Table<T> take(const std::uint32_t* row, const std::uint32_t* partner, std::size_t n,
                std::int64_t permuted) {
    const std::size_t width = source_.n_features;
    for (std::size_t i = 0; i < n; ++i) {
      T* copy = values_.data() + i * width;
      for (std::size_t feature = 0; feature < width; ++feature)
        copy[feature] = source_(row[i], feature);
      if (permuted >= 0) {
        const auto feature = static_cast<std::size_t>(permuted);
        copy[feature] = source_(partner[i], feature);
      }
    }
    return {values_.data(), n, width, static_cast<std::ptrdiff_t>(width), 1};
  }

 private:
  const Table<T>& source_;
  std::vector<T> values_;
};

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
    trees_[i] = {nodes + begin[i], levels_left, 0};
    check_tree(i, static_cast<std::size_t>(begin[i + 1] - begin[i]), n_levels);
  }
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
void Voters::mean(const Table<T>& table, const double* values, double* result,
                  int n_threads) const {
  const auto vote = [&](std::size_t first, std::size_t last) {
    std::uint32_t leaf[kBlock];
    for (; first < last; first += kBlock) {
      const std::size_t end = std::min(last, first + kBlock);
      const bool plain = finite_rows(table, first, end) && !any_category_;
      std::fill(result + first, result + end, 0.0);
      for (const PackedTree& tree : trees_) {
        walk(tree, table, first, end, plain, leaf);
        const double* value = values + (tree.nodes - nodes_);
        for (std::size_t row = first; row < end; ++row) result[row] += value[leaf[row - first]];
      }
      for (std::size_t row = first; row < end; ++row)
        result[row] /= static_cast<double>(trees_.size());
    }
  };
  parallel_blocks(table.n_rows, kBlock, n_threads, vote);
}

template <class T>
OutOfBag Voters::out_of_bag(const Table<T>& table, const std::vector<std::uint32_t>& neg,
                            const std::vector<std::uint32_t>& pos, const double* values,
                            const Bags& bags, std::size_t first_tree, std::int64_t permuted,
                            int n_threads, const std::function<bool()>& interrupted) const {
  OutOfBag whole(table.n_rows);
  std::mutex adding;
  SharedStop stop(interrupted);
  const auto parts = static_cast<std::size_t>(n_threads);
  parallel_for(parts, n_threads, [&](std::size_t part) {
    OutOfBag own(table.n_rows);
    Copies<T> copies(table);
    std::uint32_t leaf[kBlock];
    for (std::size_t i = first_tree + part; i < trees_.size(); i += parts) {
      if (stop()) throw Interrupted{};
      const std::vector<std::uint32_t> rows = left_out(bags.draw(i), neg, pos);
      std::vector<std::uint32_t> partners = rows;
      if (permuted >= 0)
        shuffle(partners, Stream(tree_seed(scramble(static_cast<std::uint64_t>(permuted)), i)));
      const double* value = values + (trees_[i].nodes - nodes_);
      for (std::size_t first = 0; first < rows.size(); first += kBlock) {
        const std::size_t n = std::min(kBlock, rows.size() - first);
        const Table<T> block = copies.take(&rows[first], &partners[first], n, permuted);
        walk(trees_[i], block, 0, n, finite_rows(block, 0, n) && !any_category_, leaf);
        for (std::size_t k = 0; k < n; ++k) {
          const std::uint32_t row = rows[first + k];
          own.sum[row] += std::llround(std::ldexp(value[leaf[k]], OutOfBag::kDigits));
          ++own.count[row];
        }
      }
    }
    const std::lock_guard lock(adding);
    whole.add(own);
  });
  return whole;
}

template void Voters::mean(const Table<float>&, const double*, double*, int) const;
template void Voters::mean(const Table<double>&, const double*, double*, int) const;
template OutOfBag Voters::out_of_bag(const Table<float>&, const std::vector<std::uint32_t>&,
                                     const std::vector<std::uint32_t>&, const double*, const Bags&,
                                     std::size_t, std::int64_t, int,
                                     const std::function<bool()>&) const;
template OutOfBag Voters::out_of_bag(const Table<double>&, const std::vector<std::uint32_t>&,
                                     const std::vector<std::uint32_t>&, const double*, const Bags&,
                                     std::size_t, std::int64_t, int,
                                     const std::function<bool()>&) const;

}  // namespace thresher
