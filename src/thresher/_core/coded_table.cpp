#include "coded_table.hpp"

#include <algorithm>

#include "anchors.hpp"
#include "threads.hpp"

namespace thresher {

template <class T>
CodedTable<T>::CodedTable(const Table<T>& table_, const std::uint8_t* labels, const double* weights,
                          const std::uint8_t* categorical, int max_bins, int n_threads)
    : table(table_) {
  coding.categorical.assign(categorical, categorical + table.n_features);
  coding.anchored = max_bins == 0;
  if (weights) {
    fixed_point = FixedPoint(weights, table.n_rows);
    weight = fixed_point.integers(weights, table.n_rows);
  }
  deal_rows(labels, weights);
  coding.boundaries = max_bins > 0 ? bin_edges(*this, max_bins) : choose_anchors(*this);
  for (ClassRows* rows : {&neg, &pos}) {
    parallel_blocks(rows->row.size(), kWorthThreads, n_threads,
                    [&](std::size_t first, std::size_t last) {
                      coding.encode(*rows, Range::of(first, last), table);
                    });
  }
}

template <class T>
void CodedTable<T>::deal_rows(const std::uint8_t* labels, const double* weights) {
  const auto n_pos = static_cast<std::size_t>(std::count(labels, labels + table.n_rows, 1));
  pos.row.reserve(n_pos);
  neg.row.reserve(table.n_rows - n_pos);
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    if (weights && weights[row] <= 0.0) continue;
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
