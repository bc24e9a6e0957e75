#include "explain/named_cuts.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/threads.hpp"
#include "explain/row_block.hpp"

namespace thresher {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kGrainOfCuts = 64;  // rows worth a thread

double median(std::vector<double>& cuts) {
  const auto middle = cuts.begin() + static_cast<std::ptrdiff_t>((cuts.size() - 1) / 2);
  std::nth_element(cuts.begin(), middle, cuts.end());
  return *middle;
}

// The cuts on one column that a row's paths have.
struct Cuts {
  std::vector<double> lower, upper;       // the tightest of each tree
  double tightest_lower, tightest_upper;  // of the tree at hand

  void clear() {
    lower.clear();
    upper.clear();
  }
  void start_tree() { tightest_lower = tightest_upper = kNone; }
  void pass(double cut, double value) {
    if (value > cut)
      tightest_lower = tightest_lower >= cut ? tightest_lower : cut;
    else
      tightest_upper = tightest_upper <= cut ? tightest_upper : cut;
  }
  void end_tree() {
    if (tightest_lower == tightest_lower) lower.push_back(tightest_lower);
    if (tightest_upper == tightest_upper) upper.push_back(tightest_upper);
  }
  NamedCut named() {
    if (lower.empty() && upper.empty()) return {kNone, false};
    const bool above = lower.size() >= upper.size();
    return {median(above ? lower : upper), above};
  }
};

}  // namespace

template <class T>
void named_cuts(const AdditiveTrees& trees, const Table<T>& table,
                std::span<const std::int32_t> columns, std::size_t n, NamedCut* result,
                int n_threads) {
  const AdditiveTrees::Columns& known = trees.columns();
  const auto find = [&](std::size_t first, std::size_t last) {
    RowBlock block(known, kGrainOfCuts);
    std::vector<Cuts> cuts(n);
    std::vector<std::size_t> asked(known.used.size());  // place among the row's columns, n: none
    for (std::size_t row = first; row < last; ++row) {
      const std::size_t at = (row - first) % kGrainOfCuts;
      if (at == 0) block.read(table, row, std::min(last, row + kGrainOfCuts));
      std::fill(asked.begin(), asked.end(), n);
      for (std::size_t k = 0; k < n; ++k) {
        cuts[k].clear();
        const std::int32_t column = columns[row * n + k];
        if (column < 0) continue;
        const auto place = std::lower_bound(known.used.begin(), known.used.end(),
                                            static_cast<std::size_t>(column));
        if (place != known.used.end() && *place == static_cast<std::size_t>(column))
          asked[static_cast<std::size_t>(place - known.used.begin())] = k;
      }
      for (std::size_t tree = 0; tree < trees.n_trees(); ++tree) {
        const PackedNode* nodes = trees.nodes(tree).data();
        for (Cuts& one : cuts) one.start_tree();
        for (std::uint32_t place = 0; nodes[place].left != place;) {
          const PackedNode& node = nodes[place];
          const double value = block.column(node.column())[at];
          const std::size_t k = asked[node.column()];
          if (k < n && !node.category() && value == value) cuts[k].pass(node.cut, value);
          place = node.left + !trees.goes_left(node, value);
        }
        for (Cuts& one : cuts) one.end_tree();
      }
      for (std::size_t k = 0; k < n; ++k) result[row * n + k] = cuts[k].named();
    }
  };
  parallel_blocks(table.n_rows, kGrainOfCuts, n_threads, find);
}

template void named_cuts(const AdditiveTrees&, const Table<float>&, std::span<const std::int32_t>,
                         std::size_t, NamedCut*, int);
template void named_cuts(const AdditiveTrees&, const Table<double>&, std::span<const std::int32_t>,
                         std::size_t, NamedCut*, int);

}  // namespace thresher
