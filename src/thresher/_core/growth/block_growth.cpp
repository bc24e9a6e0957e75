#include "growth/block_growth.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "growth/grower.hpp"
#include "growth/records.hpp"
#include "search/binned_split.hpp"
#include "search/random_split.hpp"

namespace thresher {
namespace {

std::int32_t rim_node(const CodeTree& tree, const std::uint8_t* codes) {
  std::int32_t node = 0;
  while (true) {
    const auto at = static_cast<std::size_t>(node);
    const std::int32_t feature = tree.feature[at];
    if (feature < 0) return node;
    const bool left = has_bit(tree.goes_left + kLevelBytes * at, codes[feature]);
    node = tree.left[at] + (left ? 0 : 1);
  }
}

}  // namespace

std::uint64_t content_hash(const CodedRows& rows, std::size_t row) {
  const std::uint8_t* codes = rows.codes + row * rows.n_features;
  std::uint64_t hash = scramble(rows.labels[row]);
  for (std::size_t first = 0; first < rows.n_features; first += 8) {
    std::uint64_t eight = 0;
    for (std::size_t i = first; i < std::min(first + 8, rows.n_features); ++i)
      eight = eight << 8 | codes[i];
    hash = scramble(hash ^ eight);
  }
  return rows.weights ? scramble(hash ^ static_cast<std::uint64_t>(rows.weights[row])) : hash;
}

void route(const CodedRows& rows, const CodeTree& tree, std::int32_t* node, int n_threads) {
  parallel_blocks(rows.n_rows, kWorthThreads, n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row)
      node[row] = rim_node(tree, rows.codes + row * rows.n_features);
  });
}

template <class Cell>
void count(const CodedRows& rows, const std::int32_t* slot, Cell* cells) {
  const std::size_t plane = rows.n_features * kCells;
  const std::size_t node = n_planes(rows.weights != nullptr) * plane;
  const auto add = [&](Cell* target, const std::uint8_t* codes, Cell amount) {
    for (std::size_t feature = 0; feature < rows.n_features; ++feature)
      target[feature * kCells + codes[feature]] += amount;
  };
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    if (slot[row] < 0) continue;
    const std::uint8_t* codes = rows.codes + row * rows.n_features;
    Cell* target =
        cells + static_cast<std::size_t>(slot[row]) * node + (rows.labels[row] != 0 ? plane : 0);
    if (!rows.weights) {
      add(target, codes, Cell{1});
      continue;
    }
    add(target, codes, static_cast<Cell>(rows.weights[row]));
    add(target + 2 * plane, codes, Cell{1});
  }
}

void BlockGrowth::best_splits(const std::int64_t* cells, std::size_t n, const std::uint64_t* path,
                              NodeSplit* splits, int n_threads) const {
  const std::size_t node = n_planes(weighted_) * n_features() * kCells;
  const Candidates candidates(options_, n_features());
  parallel_for(n, n_threads, [&](std::size_t i) {
    splits[i] = best_split(cells + i * node, path[i], candidates);
  });
}

NodeSplit BlockGrowth::best_split(const std::int64_t* cells, std::uint64_t path,
                                  const Candidates& candidates) const {
  LevelSet every_code;
  every_code.fill(0xff);
  const NodeCounts node = counts_of(cells, 0, every_code.data());
  const Scorer its_scorer = scorer(node.weight);
  BinnedSearch<std::int64_t> search(options_.criterion, limits_.split, edges_, categorical_);
  RandomSearch random(options_.criterion, limits_.split, options_.seed);
  const Cells<std::int64_t> weights{cells, cells + n_features() * kCells, kCells};
  NodeBins<std::int64_t> columns(edges_, categorical_);
  columns.enter(weights);
  const auto found = candidates.first_split(path, [&](std::span<const std::int32_t> features) {
    if (options_.random_cuts) return random.best(columns, node.weight, its_scorer, path, features);
    return search.best(weights, node.weight, static_cast<std::size_t>(node.rows.total()),
                       its_scorer, features);
  });
  NodeSplit result;
  if (!found) return result;
  result.split = *found;
  result.decrease = its_scorer.weighted(node.weight) * found->gain;
  const std::array<std::uint8_t, kCells> side = found->sides();
  for (std::size_t code = 0; code < kCells; ++code)
    if (side[code] == Split::kLeft) set_bit(result.goes_left, code);
  result.left = counts_of(cells, static_cast<std::size_t>(found->feature), result.goes_left.data());
  result.child_path = {child_path(path, false), child_path(path, true)};
  return result;
}

// Of the rows whose code of a feature is among the given ones.
NodeCounts BlockGrowth::counts_of(const std::int64_t* cells, std::size_t feature,
                                  const std::uint8_t* codes) const {
  const auto sum = [&](std::size_t plane) {
    const std::int64_t* cell = cells + (plane * n_features() + feature) * kCells;
    std::int64_t total = 0;
    for (std::size_t code = 0; code < kCells; ++code)
      if (has_bit(codes, code)) total += cell[code];
    return total;
  };
  NodeCounts counts;
  counts.weight = {sum(0), sum(1)};
  counts.rows = weighted_ ? Mix{sum(2), sum(3)} : counts.weight;
  return counts;
}

GrownTree BlockGrowth::grow(const CodedRows& rows, std::int64_t depth, std::uint64_t path,
                            int n_threads) const {
  CodedTable<float> source(rows, edges_, fixed_point_, categorical_);
  Sample<float> sample{source, std::move(source.neg), std::move(source.pos)};
  GrowOptions options = options_;
  options.n_threads = n_threads;
  return TreeWriter(grow_records(sample, options, limits_, {depth, path}), fixed_point_).write();
}

template void count(const CodedRows&, const std::int32_t*, std::uint32_t*);
template void count(const CodedRows&, const std::int32_t*, std::int64_t*);

}  // namespace thresher
