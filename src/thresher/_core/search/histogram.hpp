// Weight of each class by feature and code.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "codes/codes.hpp"

namespace thresher {

// Counts of a node by feature and code, wherever they are. Cell: uint32 where every row counts one,
// int64 for weights in fixed point.
template <class Cell>
struct Cells {
  const Cell* neg_data;
  const Cell* pos_data;
  std::size_t stride;  // from feature to feature

  const Cell* neg(std::size_t feature) const { return neg_data + feature * stride; }
  const Cell* pos(std::size_t feature) const { return pos_data + feature * stride; }
};

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
      const Cell times = rows.drawn(i);
      const Cell step = weight ? static_cast<Cell>(weight[rows.row[i]]) * times : times;
      for (std::size_t first = 0; first < rows.width; first += kChunk)
        for (std::size_t f = first; f < first + kChunk; ++f) cells[f * kCells + codes[f]] += step;
    }
  }

  std::vector<Cell> neg_;
  std::vector<Cell> pos_;
};

}  // namespace thresher
