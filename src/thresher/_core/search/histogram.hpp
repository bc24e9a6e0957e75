// Weight of each class by feature and code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "codes/code_set.hpp"
#include "codes/codes.hpp"

namespace thresher {

// Counts of a node by feature and code, wherever they are. Cell: uint32 where every row counts one,
// int64 for weights in fixed point.
template <class Cell>
struct Cells {
  const Cell* neg_data;
  const Cell* pos_data;
  std::size_t stride;              // from feature to feature
  const CodeSet* codes = nullptr;  // by feature: those that have rows; null: not known

  const Cell* neg(std::size_t feature) const { return neg_data + feature * stride; }
  const Cell* pos(std::size_t feature) const { return pos_data + feature * stride; }
};

// The sum of a feature's cells up to each.
template <class Cell>
THRESHER_KERNEL void sum_up(const Cell* cells, Cell* up_to) {
  Cell sum = 0;
  for (std::size_t code = 0; code < kCells; ++code) up_to[code] = sum += cells[code];
}
#if defined(__GNUC__) && __GNUC__ >= 12
template <>
THRESHER_KERNEL void sum_up(const std::uint32_t* cells, std::uint32_t* up_to) {
  using Eight [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = std::uint32_t;
  const Eight zero{};
  Eight before{};
  for (std::size_t code = 0; code < kCells; code += 8) {
    Eight sum = *reinterpret_cast<const Eight*>(cells + code);
    sum += __builtin_shufflevector(zero, sum, 0, 8, 9, 10, 11, 12, 13, 14);
    sum += __builtin_shufflevector(zero, sum, 0, 0, 8, 9, 10, 11, 12, 13);
    sum += __builtin_shufflevector(zero, sum, 0, 0, 0, 0, 8, 9, 10, 11);
    sum += before;
    *reinterpret_cast<Eight*>(up_to + code) = sum;
    before = __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
  }
}
#endif

template <class Cell>
class Histogram {
 public:
  explicit Histogram(std::size_t width) : neg_(width * kCells), pos_(width * kCells) {}

  const Cell* neg(std::size_t feature) const { return neg_.data() + feature * kCells; }
  const Cell* pos(std::size_t feature) const { return pos_.data() + feature * kCells; }
  Cells<Cell> cells() const { return {neg_.data(), pos_.data(), kCells}; }

  void clear() {
    std::fill(neg_.begin(), neg_.end(), Cell{0});
    std::fill(pos_.begin(), pos_.end(), Cell{0});
  }
  // Counts a node's rows by these features alone, whatever stood there before.
  void recount(std::span<const std::int32_t> features, const ClassRows& neg, Range of_neg,
               const ClassRows& pos, Range of_pos, const std::int64_t* weight) {
    for (const std::int32_t feature : features) {
      std::fill_n(neg_.data() + static_cast<std::size_t>(feature) * kCells, kCells, Cell{0});
      std::fill_n(pos_.data() + static_cast<std::size_t>(feature) * kCells, kCells, Cell{0});
    }
    count_some(neg_.data(), neg, of_neg, weight, features);
    count_some(pos_.data(), pos, of_pos, weight, features);
  }
  void count_neg(const ClassRows& rows, Range range, const std::int64_t* weight) {
    count(neg_.data(), rows, range, weight);
  }
  void count_pos(const ClassRows& rows, Range range, const std::int64_t* weight) {
    count(pos_.data(), rows, range, weight);
  }
  void subtract(const Histogram& other) {
    for (std::size_t i = 0; i < neg_.size(); ++i) neg_[i] -= other.neg_[i];
    for (std::size_t i = 0; i < pos_.size(); ++i) pos_[i] -= other.pos_[i];
  }
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < neg_.size(); ++i) neg_[i] += other.neg_[i];
    for (std::size_t i = 0; i < pos_.size(); ++i) pos_[i] += other.pos_[i];
  }

 private:
  // Row by row: neighbouring increments fall into the cells of different features and never wait
  // for each other.
  static void count(Cell* cells, const ClassRows& rows, Range range, const std::int64_t* weight) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const std::uint8_t* codes = rows.at(i);
      const Cell step = rows.template weight_of<Cell>(i, weight);
      for (std::size_t first = 0; first < rows.width; first += kChunk)
        for (std::size_t f = first; f < first + kChunk; ++f) cells[f * kCells + codes[f]] += step;
    }
  }

  // A few features at a time, so many that their increments hide each other's latency.
  static void count_some(Cell* cells, const ClassRows& rows, Range range,
                         const std::int64_t* weight, std::span<const std::int32_t> features) {
    constexpr std::size_t together = 4;
    for (; features.size() >= together; features = features.subspan(together))
      count_columns<together>(cells, rows, range, weight, features.data());
    for (; !features.empty(); features = features.subspan(1))
      count_columns<1>(cells, rows, range, weight, features.data());
  }
  template <std::size_t N>
  static void count_columns(Cell* cells, const ClassRows& rows, Range range,
                            const std::int64_t* weight, const std::int32_t* features) {
    std::size_t column[N];
    Cell* counts[N];
    for (std::size_t k = 0; k < N; ++k) {
      column[k] = static_cast<std::size_t>(features[k]);
      counts[k] = cells + column[k] * kCells;
    }
    const auto count = [&](auto step_of) {
      const std::uint8_t* codes = rows.at(range.begin);
      for (std::uint32_t i = range.begin; i < range.end; ++i, codes += rows.width) {
        const Cell step = step_of(i);
        for (std::size_t k = 0; k < N; ++k) counts[k][codes[column[k]]] += step;
      }
    };
    if (weight || rows.times.empty())
      count([&](std::uint32_t i) { return rows.template weight_of<Cell>(i, weight); });
    else
      count([times = rows.times.data()](std::uint32_t i) { return Cell{times[i]}; });
  }

  std::vector<Cell> neg_;
  std::vector<Cell> pos_;
};

}  // namespace thresher
