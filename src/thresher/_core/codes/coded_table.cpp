#include "codes/coded_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "codes/anchors.hpp"
#include "codes/edges.hpp"
#include "codes/sketch.hpp"

namespace thresher {

template <class T>
CodedTable<T>::CodedTable(const TrainingRows<T>& rows, int max_bins, int n_threads)
    : table(rows.table) {
  coding.categorical.assign(rows.categorical.begin(), rows.categorical.end());
  if (!rows.weights.empty()) {
    fixed_point = FixedPoint(rows.weights);
    weight = fixed_point.integers(rows.weights);
  }
  deal_rows(rows.labels);
  if (max_bins > 0) {
    coding.edges = find_edges(max_bins, n_threads);
    for (const std::vector<double>& edges : coding.edges) {
      if (!edges.empty() && std::isinf(edges.front())) throw TableChanged{};  // no value was
      coding.boundaries.push_back(edge_boundaries<T>(edges, table.n_rows));
    }
  } else {
    coding.boundaries = choose_anchors(table, neg, pos, coding.categorical);
  }
  for (ClassRows* part : {&neg, &pos}) {
    parallel_blocks(part->row.size(), kWorthThreads, n_threads,
                    [&](std::size_t first, std::size_t last) {
                      coding.encode(table, part->row.data() + first, 0, last - first,
                                    part->at(first), part->width);
                    });
  }
}

template <class T>
CodedTable<T>::CodedTable(const CodedRows& rows, BinEdges edges, FixedPoint fixed_point_,
                          std::span<const std::uint8_t> categorical)
    : fixed_point(fixed_point_) {
  table.n_rows = rows.n_rows;
  table.n_features = rows.n_features;
  coding.categorical.assign(categorical.begin(), categorical.end());
  coding.edges = std::move(edges);
  if (rows.weights) weight.assign(rows.weights, rows.weights + rows.n_rows);
  deal_rows(std::span(rows.labels, rows.n_rows));
  for (ClassRows* part : {&neg, &pos})
    for (std::size_t i = 0; i < part->row.size(); ++i)
      std::copy_n(rows.codes + part->row[i] * rows.n_features, rows.n_features, part->at(i));
}

// From a sample of each class, where it is large.
template <class T>
BinEdges CodedTable<T>::find_edges(int max_bins, int n_threads) const {
  Sketch sketches[2];
  const auto columns = [&](const ClassRows& rows, Sketch& sketch) -> ColumnsOfClass {
    if (rows.row.size() <= kSketch)
      return [&](std::size_t feature) { return values_of(rows, feature); };
    sketch = sketch_of(table, std::span(rows.row), weight.empty() ? nullptr : weight.data());
    return columns_of(sketch);
  };
  return bin_edges(columns(neg, sketches[0]), columns(pos, sketches[1]), coding.categorical,
                   max_bins, table.n_rows < kWorthThreads ? 1 : n_threads);
}

template <class T>
ValuesOfClass CodedTable<T>::values_of(const ClassRows& rows, std::size_t feature) const {
  ValuesOfClass column;
  column.values.reserve(rows.row.size());
  for (const std::uint32_t row : rows.row)
    column.add(static_cast<double>(table(row, feature)) + 0.0, weight_of(row), weight.empty());
  return column;
}

template <class T>
void CodedTable<T>::deal_rows(std::span<const std::uint8_t> labels) {
  const auto n_pos = static_cast<std::size_t>(std::ranges::count(labels, 1));
  pos.row.reserve(n_pos);
  neg.row.reserve(table.n_rows - n_pos);
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    if (!weight.empty() && weight[row] == 0) continue;
    (labels[row] ? pos : neg).row.push_back(static_cast<std::uint32_t>(row));
  }
  for (ClassRows* rows : {&neg, &pos}) {
    rows->width = padded_width(table.n_features);
    rows->codes.resize(rows->row.size() * rows->width);
  }
}

template struct CodedTable<float>;
template struct CodedTable<double>;

}  // namespace thresher
