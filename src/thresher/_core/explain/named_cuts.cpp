#include "explain/named_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "explain/row_block.hpp"

namespace thresher {
namespace {

constexpr std::size_t kRows = 64;  // rows worth a thread

// Cuts with their weights.
class Cuts {
 public:
  void clear() {
    cuts_.clear();
    total_ = 0.0;
  }
  void add(double cut, double weight) {
    cuts_.emplace_back(cut, weight);
    total_ += weight;
  }
  bool empty() const { return cuts_.empty(); }
  double total() const { return total_; }

  double median() {
    std::sort(cuts_.begin(), cuts_.end());
    double sum = 0.0;
    for (const auto& [cut, weight] : cuts_) {
      sum += weight;
      if (2.0 * sum >= total_) return cut;
    }
    return cuts_.back().first;
  }

 private:
  std::vector<std::pair<double, double>> cuts_;
  double total_ = 0.0;
};

// The cuts on one column that the paths of a row pass.
struct Passed {
  Cuts below, above;  // the value

  NamedCut named() {
    if (below.empty() && above.empty()) return {std::numeric_limits<double>::quiet_NaN(), false};
    const bool is_above = above.empty() || (!below.empty() && below.total() >= above.total());
    return {is_above ? below.median() : above.median(), is_above};
  }
};

// Names the cuts of one row after the other.
class Namer {
 public:
  Namer(const WeighedTrees& weighed, std::size_t n)
      : weighed_(weighed),
        trees_(weighed.trees()),
        passed_(n),
        asked_(trees_.columns().used.size()) {}

  void name(const std::int32_t* columns, const RowBlock& block, std::size_t row, NamedCut* result) {
    start(columns);
    for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree) walk(tree, block, row);
    std::transform(passed_.begin(), passed_.end(), result,
                   [](Passed& passed) { return passed.named(); });
  }

 private:
  void start(const std::int32_t* columns) {
    const std::vector<std::size_t>& used = trees_.columns().used;
    std::fill(asked_.begin(), asked_.end(), passed_.size());
    for (std::size_t k = 0; k < passed_.size(); ++k) {
      passed_[k].below.clear();
      passed_[k].above.clear();
      if (columns[k] < 0) continue;
      const auto column = static_cast<std::size_t>(columns[k]);
      const auto place = std::lower_bound(used.begin(), used.end(), column);
      if (place != used.end() && *place == column)
        asked_[static_cast<std::size_t>(place - used.begin())] = k;
    }
  }

  void walk(std::size_t tree, const RowBlock& block, std::size_t row) {
    const PackedNode* nodes = trees_.nodes(tree).data();
    const double* expected = weighed_.expected(tree);
    for (std::uint32_t at = 0; nodes[at].left != at;) {
      const PackedNode& node = nodes[at];
      const double value = block.column(node.column())[row];
      const std::size_t k = asked_[node.column()];
      if (k < passed_.size() && !node.category() && value == value) {
        Cuts& cuts = value > node.cut ? passed_[k].below : passed_[k].above;
        cuts.add(node.cut, std::abs(expected[node.left + 1] - expected[node.left]));
      }
      at = node.left + !trees_.goes_left(node, value);
    }
  }

  const WeighedTrees& weighed_;
  const AdditiveTrees& trees_;
  std::vector<Passed> passed_;
  std::vector<std::size_t> asked_;  // of each column its place in passed_, or the size of that
};

}  // namespace

template <class T>
void named_cuts(const WeighedTrees& trees, const Table<T>& table,
                std::span<const std::int32_t> columns, std::size_t n, NamedCut* result,
                int n_threads) {
  const auto find = [&](std::size_t first, std::size_t last) {
    RowBlock block(trees.trees().columns(), kRows);
    Namer namer(trees, n);
    for (; first < last; first += kRows) {
      block.read(table, first, std::min(last, first + kRows));
      for (std::size_t row = 0; row < block.size(); ++row) {
        const std::size_t at = (first + row) * n;
        namer.name(columns.data() + at, block, row, result + at);
      }
    }
  };
  parallel_blocks(table.n_rows, kRows, n_threads, find);
}

template void named_cuts(const WeighedTrees&, const Table<float>&, std::span<const std::int32_t>,
                         std::size_t, NamedCut*, int);
template void named_cuts(const WeighedTrees&, const Table<double>&, std::span<const std::int32_t>,
                         std::size_t, NamedCut*, int);

}  // namespace thresher
