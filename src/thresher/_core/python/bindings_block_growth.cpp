// The Python face of growth over blocks: sketches, edges, codes, counts and splits as arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/threads.hpp"
#include "growth/block_growth.hpp"
#include "python/bindings.hpp"

namespace thresher {
namespace {

using SketchArrays = std::tuple<Vector<std::uint64_t>, Vector<std::int64_t>, Grid<double>>;

// ---- edges ----

nb::tuple to_tuple(Sketch sketch) {
  const std::size_t n_features = sketch.n_features;
  return nb::make_tuple(to_numpy(std::move(sketch.hash)), to_numpy(std::move(sketch.weight)),
                        to_numpy(std::move(sketch.values), n_features));
}

Sketch to_sketch(const SketchArrays& arrays) {
  const auto& [hash, weight, values] = arrays;
  require(hash.shape(0) == weight.shape(0) && weight.shape(0) == values.shape(0),
          "the arrays of a sketch need one length");
  Sketch sketch;
  sketch.n_features = values.shape(1);
  const auto fill = [](auto& target, const auto& items) {
    target.assign(items.begin(), items.end());
  };
  fill(sketch.hash, items_of(hash));
  fill(sketch.weight, items_of(weight));
  fill(sketch.values, items_of(values));
  return sketch;
}

template <class T>
nb::tuple sketch_rows(const Matrix<T>& x, const Vector<std::uint8_t>& y,
                      const std::optional<Vector<std::int64_t>>& weights,
                      std::pair<std::uint64_t, std::uint64_t> limits) {
  const Table<T> table = table_of(x);
  require(y.shape(0) == table.n_rows && (!weights || weights->shape(0) == table.n_rows),
          "y and weights need one entry a row");
  require(table.n_rows < std::numeric_limits<std::uint32_t>::max(),
          "a block has fewer than 2^32 - 1 rows");
  std::optional<Items<std::int64_t>> own_weights;
  if (weights) own_weights.emplace(weights->data(), table.n_rows);
  const std::int64_t* weight = weights ? own_weights->data() : nullptr;
  Sketch sketches[2];
  run_freely([&] {
    std::vector<std::uint32_t> rows[2];
    for (std::size_t row = 0; row < table.n_rows; ++row)
      if (!weight || weight[row] > 0)
        rows[y.data()[row] != 0].push_back(static_cast<std::uint32_t>(row));
    const std::uint64_t limit[2] = {limits.first, limits.second};
    for (const std::size_t label : {0, 1})
      sketches[label] =
          sketch_of(table, std::span<const std::uint32_t>(rows[label]), weight, limit[label]);
  });
  return nb::make_tuple(to_tuple(std::move(sketches[0])), to_tuple(std::move(sketches[1])));
}

nb::tuple merge_sketches(const SketchArrays& one, const SketchArrays& other) {
  Sketch a = to_sketch(one), b = to_sketch(other), merged;
  require(a.n_features == b.n_features, "sketches of the same columns are needed");
  run_freely([&] { merged = merge(a, b); });
  return to_tuple(std::move(merged));
}

std::vector<Array<double>> find_edges(const SketchArrays& neg, const SketchArrays& pos,
                                      const Vector<std::uint8_t>& categorical, int max_bins,
                                      int n_threads) {
  const Sketch of_neg = to_sketch(neg), of_pos = to_sketch(pos);
  require(of_neg.n_features == categorical.shape(0) && of_pos.n_features == categorical.shape(0),
          "categorical needs one entry a column");
  BinEdges edges;
  run_freely([&] { edges = bin_edges(of_neg, of_pos, span_of(categorical), max_bins, n_threads); });
  std::vector<Array<double>> result;
  for (std::vector<double>& of_feature : edges) result.push_back(to_numpy(std::move(of_feature)));
  return result;
}

// ---- codes ----

template <class T>
Array<std::uint8_t> bin_rows(const Matrix<T>& x, const ArraysOfColumns& edges,
                             const Vector<std::uint8_t>& categorical, int n_threads) {
  const Table<T> table = table_of(x);
  require(categorical.shape(0) == table.n_features, "categorical needs one entry a column");
  Coding<T> coding;
  coding.categorical.assign(categorical.data(), categorical.data() + table.n_features);
  coding.edges = to_edges(edges, table.n_features);
  std::vector<std::uint8_t> codes(table.n_rows * table.n_features);
  run_freely([&] {
    for (const std::vector<double>& of_feature : coding.edges)
      coding.boundaries.push_back(edge_boundaries<T>(of_feature, table.n_rows));
    parallel_blocks(table.n_rows, kWorthThreads, n_threads,
                    [&](std::size_t first, std::size_t last) {
                      coding.encode(table, nullptr, first, last - first,
                                    codes.data() + first * table.n_features, table.n_features);
                    });
  });
  return to_numpy(std::move(codes), table.n_features);
}

// ---- growth ----

// Of the content of each row.
Array<std::uint64_t> hash_rows(const Grid<std::uint8_t>& codes, const Vector<std::uint8_t>& labels,
                               const std::optional<Vector<std::int64_t>>& weights) {
  const BoundRows rows(codes, labels, weights);
  std::vector<std::uint64_t> hashes(rows.n_rows);
  run_freely([&] {
    for (std::size_t row = 0; row < rows.n_rows; ++row) hashes[row] = content_hash(rows, row);
  });
  return to_numpy(std::move(hashes));
}

Array<std::int32_t> route_rows(const Grid<std::uint8_t>& codes, const Vector<std::int32_t>& feature,
                               const Vector<std::int32_t>& left, const Levels& goes_left,
                               int n_threads) {
  const std::size_t n = feature.shape(0);
  require(n > 0 && left.shape(0) == n && goes_left.shape(0) == n,
          "the arrays of a tree need one length");
  const auto its_feature = items_of(feature), its_left = items_of(left);
  for (std::size_t node = 0; node < n; ++node) {
    const std::int64_t asks = its_feature[node], child = its_left[node];
    const bool inner = asks < static_cast<std::int64_t>(codes.shape(1)) &&
                       child > static_cast<std::int64_t>(node) &&
                       child + 1 < static_cast<std::int64_t>(n);
    require(asks < 0 || inner, "the arrays do not describe a tree");
  }
  const CodedRows rows{codes.data(), nullptr, nullptr, codes.shape(0), codes.shape(1)};
  std::vector<std::int32_t> node(rows.n_rows);
  run_freely([&] {
    route(rows, {its_feature.data(), its_left.data(), goes_left.data(), n}, node.data(), n_threads);
  });
  return to_numpy(std::move(node));
}

template <class Cell>
nb::object counted(const CodedRows& rows, const Items<std::int32_t>& slot, std::size_t n_slots) {
  const std::size_t planes = n_planes(rows.weights != nullptr);
  std::vector<Cell> cells(n_slots * planes * rows.n_features * kCells);
  run_freely([&] { count(rows, slot.data(), cells.data()); });
  return nb::cast(to_numpy(std::move(cells)))
      .attr("reshape")(n_slots, planes, rows.n_features, kCells);
}

// Weights are counted in 64 bits, rows in 32.
nb::object count_rows(const Grid<std::uint8_t>& codes, const Vector<std::uint8_t>& labels,
                      const std::optional<Vector<std::int64_t>>& weights,
                      const Vector<std::int32_t>& slot, std::size_t n_slots) {
  const BoundRows rows(codes, labels, weights);
  require(slot.shape(0) == rows.n_rows, "slot needs one entry a row");
  const auto slots = items_of(slot);
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    require(slots[row] < static_cast<std::int64_t>(n_slots), "there is no such slot");
    require(rows.labels[row] <= 1, "labels are 0 or 1");
  }
  return weights ? counted<std::int64_t>(rows, slots, n_slots)
                 : counted<std::uint32_t>(rows, slots, n_slots);
}

using Mixes = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Cubes = nb::ndarray<const std::int64_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

Mix mix_at(const Items<std::int64_t>& mixes, std::size_t i) {
  return {mixes[2 * i], mixes[2 * i + 1]};
}

BlockGrowth make_block_growth(const GrowOptions& options, const ArraysOfColumns& edges,
                              const Vector<std::uint8_t>& categorical, std::optional<int> digits,
                              std::pair<std::int64_t, std::int64_t> whole) {
  GrowOptions own = options;
  own.interrupted = SignalCheck();
  return BlockGrowth(own, to_edges(edges, categorical.shape(0)),
                     {categorical.data(), categorical.data() + categorical.shape(0)},
                     FixedPoint::of_digits(digits.value_or(0)), digits.has_value(),
                     {whole.first, whole.second});
}

nb::object may_split(const BlockGrowth& growth, const Mixes& mixes,
                     const Vector<std::int64_t>& depth) {
  require(depth.shape(0) == mixes.shape(0), "depth needs one entry a node");
  std::vector<std::uint8_t> result(mixes.shape(0));
  const auto of_mixes = items_of(mixes), depths = items_of(depth);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = growth.may_split(mix_at(of_mixes, i), depths[i]);
  return nb::cast(to_numpy(std::move(result))).attr("view")("bool");
}

// A column of an array of splits.
template <class T, std::size_t width, class Get>
nb::object column(const std::vector<NodeSplit>& splits, Get get) {
  std::vector<T> values;
  for (const NodeSplit& split : splits) {
    const std::array<T, width> entry = get(split);
    values.insert(values.end(), entry.begin(), entry.end());
  }
  return nb::cast(to_numpy(std::move(values), width > 1 ? width : 0));
}

nb::dict best_splits(const BlockGrowth& growth, const Cubes& cells,
                     const Vector<std::uint64_t>& path, int n_threads) {
  require(cells.shape(0) == path.shape(0) && cells.shape(1) == n_planes(growth.weighted()) &&
              cells.shape(2) == growth.n_features() && cells.shape(3) == kCells,
          "the counts have a wrong shape");
  std::vector<NodeSplit> splits(cells.shape(0));
  run_freely([&] {
    growth.best_splits(items_of(cells).data(), splits.size(), items_of(path).data(), splits.data(),
                       n_threads);
  });
  using I = std::int64_t;
  nb::dict fields;
  fields["feature"] =
      column<std::int32_t, 1>(splits, [](auto& s) { return std::array{s.split.feature}; });
  fields["cut"] = column<double, 1>(splits, [](auto& s) { return std::array{s.split.cut}; });
  fields["missing_left"] = column<std::uint8_t, 1>(splits, [](auto& s) {
                             return std::array{static_cast<std::uint8_t>(s.split.missing_left)};
                           }).attr("view")("bool");
  fields["is_category"] = column<std::uint8_t, 1>(splits, [](auto& s) {
                            return std::array{static_cast<std::uint8_t>(s.split.category)};
                          }).attr("view")("bool");
  fields["levels_left"] =
      column<std::uint8_t, kLevelBytes>(splits, [](auto& s) { return s.split.levels_left; });
  fields["levels_seen"] =
      column<std::uint8_t, kLevelBytes>(splits, [](auto& s) { return s.split.levels_seen; });
  fields["goes_left"] =
      column<std::uint8_t, kLevelBytes>(splits, [](auto& s) { return s.goes_left; });
  fields["gain"] = column<double, 1>(splits, [](auto& s) { return std::array{s.split.gain}; });
  fields["decrease"] = column<double, 1>(splits, [](auto& s) { return std::array{s.decrease}; });
  fields["left_weight"] = column<I, 2>(
      splits, [](auto& s) { return std::array<I, 2>{s.left.weight.neg, s.left.weight.pos}; });
  fields["left_rows"] = column<I, 2>(
      splits, [](auto& s) { return std::array<I, 2>{s.left.rows.neg, s.left.rows.pos}; });
  fields["child_path"] = column<std::uint64_t, 2>(splits, [](auto& s) { return s.child_path; });
  return fields;
}

// Weight, alpha* and impurity of nodes, and the factors of the classes.
nb::dict describe(const BlockGrowth& growth, const Mixes& mixes) {
  std::vector<double> weight, alpha, impurity;
  const auto of_mixes = items_of(mixes);
  for (std::size_t i = 0; i < mixes.shape(0); ++i) {
    const Mix mix = mix_at(of_mixes, i);
    const Scorer scorer = growth.scorer(mix);
    weight.push_back(growth.fixed_point().real(mix.neg));
    weight.push_back(growth.fixed_point().real(mix.pos));
    alpha.push_back(scorer.alpha());
    impurity.push_back(scorer.impurity());
  }
  nb::dict fields;
  fields["weight"] = to_numpy(std::move(weight), 2);
  fields["alpha"] = to_numpy(std::move(alpha));
  fields["impurity"] = to_numpy(std::move(impurity));
  const Criterion& criterion = growth.criterion();
  fields["class_weight"] =
      to_numpy(std::vector<double>{criterion.weight_neg, criterion.weight_pos});
  return fields;
}

nb::dict grow_subtree(const BlockGrowth& growth, const Grid<std::uint8_t>& codes,
                      const Vector<std::uint8_t>& labels,
                      const std::optional<Vector<std::int64_t>>& weights, std::int64_t depth,
                      std::uint64_t path, int n_threads) {
  const BoundRows rows(codes, labels, weights);
  require(rows.n_features == growth.n_features(), "codes need the columns of the edges");
  GrownTree tree;
  run_freely([&] { tree = growth.grow(rows, depth, path, n_threads); });
  return to_dict(std::move(tree), growth.criterion());
}

template <class T>
void bind_tables(nb::module_& module) {
  module.def(
      "sketch_rows", &sketch_rows<T>, "X"_a, "y"_a, "weights"_a.none(), "limits"_a,
      "Sketches (hashes, weights, values) of the rows of class 0 and of class 1 whose hashes "
      "are up to the limits.");
  module.def("bin_rows", &bin_rows<T>, "X"_a, "edges"_a, "categorical"_a, "n_threads"_a = 1,
             "The bin of each value, 255 where it is missing.");
}

}  // namespace

void bind_block_growth(nb::module_& module) {
  bind_tables<double>(module);
  bind_tables<float>(module);
  module.attr("SKETCH_SIZE") = kSketch;
  module.def("sketch_limit", &sketch_limit, "n"_a,
             "The hash up to which a sketch of n different rows looks.");
  module.def("merge_sketches", &merge_sketches, "one"_a, "other"_a,
             "The sketch of the rows of both.");
  module.def("find_edges", &find_edges, "neg"_a, "pos"_a, "categorical"_a, "max_bins"_a,
             "n_threads"_a = 1, "The edges of bins, for each column.");
  module.def(
      "weight_digits",
      [](double largest, std::size_t n) { return FixedPoint(largest, n).digits(); }, "largest"_a,
      "n"_a, "Binary digits behind the point that n weights up to `largest` are kept with.");
  module.def(
      "fixed_weights",
      [](const Vector<double>& weights, int digits) {
        return to_numpy(FixedPoint::of_digits(digits).integers(items_of(weights).span()));
      },
      "weights"_a, "digits"_a, "Weights as integers, in units of 2^-digits.");
  module.def("hash_rows", &hash_rows, "codes"_a, "labels"_a, "weights"_a.none(),
             "A number that follows from the content of each row, for an order of rows.");
  module.def("route_rows", &route_rows, "codes"_a, "feature"_a, "left"_a, "goes_left"_a,
             "n_threads"_a = 1, "The node of a growing tree's rim that each row falls into.");
  module.def("count_rows", &count_rows, "codes"_a, "labels"_a, "weights"_a.none(), "slot"_a,
             "n_slots"_a, "Counts (slot, plane, column, bin) of the rows whose slot is not -1.");
  nb::class_<BlockGrowth>(module, "BlockGrowth",
                          "What the nodes of a tree grown over blocks share.")
      .def(nb::new_(&make_block_growth), "options"_a, "edges"_a, "categorical"_a, "digits"_a.none(),
           "whole"_a)
      .def("may_split", &may_split, "weight"_a, "depth"_a, "Whether each node may be split.")
      .def("best_splits", &best_splits, "cells"_a, "path"_a, "n_threads"_a = 1,
           "The best split of each node from its counts; feature -1 where there is none.")
      .def("describe", &describe, "weight"_a, "Weight, alpha and impurity of nodes.")
      .def("grow", &grow_subtree, "codes"_a, "labels"_a, "weights"_a.none(), "depth"_a, "path"_a,
           "n_threads"_a = 1, "The subtree of a node from all its rows.");
}

}  // namespace thresher
