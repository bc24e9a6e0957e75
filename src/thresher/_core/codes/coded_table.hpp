// The training rows as trees see them: dealt to the two classes, weighed and coded once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "codes/codes.hpp"

namespace thresher {

// Rows as bins.
struct CodedRows {
  const std::uint8_t* codes;
  const std::uint8_t* labels;
  const std::int64_t* weights;  // fixed point; null: one each
  std::size_t n_rows;
  std::size_t n_features;
};

template <class T>
struct CodedTable {
  Table<T> table;
  Coding<T> coding;
  FixedPoint fixed_point;
  std::vector<std::int64_t> weight;  // by table row, fixed point; empty: one each
  ClassRows neg;                     // rows of weight zero are left out
  ClassRows pos;

  // max_bins: 0 for exact growth.
  CodedTable(const TrainingRows<T>& rows, int max_bins, int n_threads);

  // Of rows whose values are bins already: codes by row, then feature; weights in fixed point, or
  // null. There is no table behind them.
  CodedTable(const CodedRows& rows, BinEdges edges, FixedPoint fixed_point,
             std::span<const std::uint8_t> categorical);

  std::int64_t weight_of(std::uint32_t row) const { return weight.empty() ? 1 : weight[row]; }

 private:
  void deal_rows(std::span<const std::uint8_t> labels);
  BinEdges find_edges(int max_bins, int n_threads) const;
  ValuesOfClass values_of(const ClassRows& rows, std::size_t feature) const;
};

extern template struct CodedTable<float>;
extern template struct CodedTable<double>;

}  // namespace thresher
