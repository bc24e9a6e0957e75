// Growth over blocks: sketches, bins, counts and splits against growth in memory.
#pragma once

#include "codes/edges.hpp"
#include "codes/sketch.hpp"
#include "forest_checks.hpp"
#include "growth/block_growth.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

// A table as bins, made block by block.
template <class T>
struct Binned {
  FixedPoint fixed_point;
  BinEdges edges;
  std::vector<std::uint8_t> codes, labels;
  std::vector<std::int64_t> weights;  // empty: one each
  Mix whole;
  std::size_t n_features;

  Binned(const Data<T>& data, int max_bins) : n_features(data.n_features) {
    std::vector<std::int64_t> all;
    if (!data.weights.empty()) {
      fixed_point = FixedPoint(data.weights);
      all = fixed_point.integers(data.weights);
    }
    const std::int64_t* weight = all.empty() ? nullptr : all.data();
    Sketch sketches[2];
    for (const std::uint8_t label : {0, 1}) {
      const std::vector<std::uint32_t> rows = rows_of_class(data, label);
      const std::span<const std::uint32_t> every(rows);
      const std::size_t half = rows.size() / 3;
      sketches[label] = merge(sketch_of(data.table(), every.subspan(half), weight),
                              sketch_of(data.table(), every.first(half), weight));
      for (const std::uint32_t row : rows)
        (label ? whole.pos : whole.neg) += weight ? weight[row] : 1;
    }
    edges = bin_edges(sketches[0], sketches[1], data.categorical, max_bins, 2);
    put_into_bins(data, all);
  }

  CodedRows rows() const {
    return {codes.data(), labels.data(), weights.empty() ? nullptr : weights.data(), labels.size(),
            n_features};
  }

 private:
  void put_into_bins(const Data<T>& data, const std::vector<std::int64_t>& all) {
    Coding<T> coding;
    coding.categorical = data.categorical;
    coding.edges = edges;
    for (const std::vector<double>& of_feature : edges)
      coding.boundaries.push_back(edge_boundaries<T>(of_feature, data.n_rows));
    std::vector<std::uint8_t> row_codes(n_features);
    for (std::size_t row = 0; row < data.n_rows; ++row) {
      if (!data.counts(row)) continue;
      coding.encode(data.table(), nullptr, row, 1, row_codes.data(), n_features);
      codes.insert(codes.end(), row_codes.begin(), row_codes.end());
      labels.push_back(data.labels[row]);
      if (!all.empty()) weights.push_back(all[row]);
    }
  }
};

// The split of the root from counts that were added up in two parts.
template <class Cell, class T>
NodeSplit root_split(const BlockGrowth& growth, const Binned<T>& binned) {
  const CodedRows rows = binned.rows();
  const std::size_t n_cells = n_planes(rows.weights != nullptr) * rows.n_features * kCells;
  std::vector<Cell> cells(n_cells);
  for (const std::int32_t part : {0, 1}) {
    std::vector<std::int32_t> slot;
    for (std::size_t row = 0; row < rows.n_rows; ++row)
      slot.push_back(static_cast<std::int32_t>(row % 2) == part ? 0 : -1);
    count(rows, slot.data(), cells.data());
  }
  const std::vector<std::int64_t> sums(cells.begin(), cells.end());
  const std::uint64_t path = 1;
  NodeSplit split;
  growth.best_splits(sums.data(), 1, &path, &split, 2);
  return split;
}

template <class T>
void check_block_growth(std::uint64_t seed, std::size_t n_rows, bool weighted) {
  const Data<T> data = random_table<T>(seed, n_rows, weighted);
  GrowOptions options;
  options.criterion = criterion_named(seed % 2 ? "gini" : "adaptive_renyi");
  options.max_bins = seed % 3 ? 255 : 9;
  options.min_leaf_weight = 2.0;
  const GrownTree expected = data.grow(options);
  const Binned<T> binned(data, options.max_bins);
  const BlockGrowth growth(options, binned.edges, data.categorical, binned.fixed_point, weighted,
                           binned.whole);
  const std::string where = " of table " + std::to_string(seed);
  check(same(growth.grow(binned.rows(), 0, 1, 2), expected), "tree" + where);

  const NodeSplit split = weighted ? root_split<std::int64_t>(growth, binned)
                                   : root_split<std::uint32_t>(growth, binned);
  check(split.split.feature == expected.feature[0], "feature" + where);
  if (split.split.feature < 0) return;
  check(split.split.cut == expected.cut[0], "cut" + where);
  const auto left = static_cast<std::size_t>(expected.left[0]);
  check(split.left.rows == Mix{expected.rows[2 * left], expected.rows[2 * left + 1]},
        "rows on the left" + where);

  const std::int32_t feature[] = {split.split.feature, -1, -1}, children[] = {1, -1, -1};
  std::vector<std::uint8_t> goes_left(3 * kLevelBytes);
  std::copy(split.goes_left.begin(), split.goes_left.end(), goes_left.begin());
  std::vector<std::int32_t> node(binned.labels.size());
  route(binned.rows(), {feature, children, goes_left.data(), 3}, node.data(), 2);
  check(std::ranges::count(node, 1) == split.left.rows.total(), "routes" + where);

  const ForestOptions trees{Bootstrap::stratified, 0, 3, [](std::size_t) {}};
  check(same(grow_forest(binned.rows(), binned.edges, binned.fixed_point, data.categorical, options,
                         trees),
             grow_trees(data, options, trees)),
        "forest" + where);
}

// Hashes follow from what a row holds: equal rows have equal ones, others differ.
inline void content_hashes() {
  const std::vector<std::uint8_t> codes{1, 2, 3, 1, 2, 3, 1, 2, 4}, labels{0, 0, 0}, other{0, 1, 0};
  const std::vector<std::int64_t> weights{5, 6, 5};
  const CodedRows rows{codes.data(), labels.data(), nullptr, 3, 3};
  check(content_hash(rows, 0) == content_hash(rows, 1), "equal rows");
  check(content_hash(rows, 0) != content_hash(rows, 2), "another value");
  const CodedRows relabelled{codes.data(), other.data(), nullptr, 3, 3};
  check(content_hash(relabelled, 0) != content_hash(relabelled, 1), "another label");
  const CodedRows weighted{codes.data(), labels.data(), weights.data(), 3, 3};
  check(content_hash(weighted, 0) != content_hash(weighted, 1), "another weight");
}

// A node whose rows are alike has no split.
inline void no_split() {
  const std::vector<std::uint8_t> codes{1, 1, 1, 1}, labels{0, 1, 0, 1};
  const CodedRows rows{codes.data(), labels.data(), nullptr, 4, 1};
  const BlockGrowth growth(GrowOptions(), {{0.5, 1.5}}, {0}, FixedPoint(), false, {2, 2});
  std::vector<std::int64_t> cells(n_planes(false) * kCells);
  const std::vector<std::int32_t> slot(4, 0);
  count(rows, slot.data(), cells.data());
  const std::uint64_t path = 1;
  NodeSplit split;
  growth.best_splits(cells.data(), 1, &path, &split, 1);
  check(split.split.feature < 0 && growth.may_split({2, 2}, 0), "rows that are alike");
}

inline void check_blocks() {
  group("content hashes", content_hashes);
  group("no split", no_split);
  group("growth over blocks", [] {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      check_block_growth<double>(seed, 300 + 10 * seed, seed % 4 == 1);
      check_block_growth<float>(seed, 300 + 10 * seed, seed % 4 == 2);
    }
    check_block_growth<double>(7, 150000, false);
  });
}

}  // namespace thresher::checks
