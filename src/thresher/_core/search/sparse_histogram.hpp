// Weight of each class by feature and code of a node that has fewer rows than a feature has codes:
// it is known which cells have rows, so that no others are cleared or looked at. Most nodes of a
// forest are so small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "codes/code_set.hpp"
#include "codes/codes.hpp"
#include "search/histogram.hpp"

namespace thresher {

template <class Cell>
class SparseHistogram {
 public:
  explicit SparseHistogram(std::size_t width)
      : neg_(width * kCells), pos_(width * kCells), codes_(width) {}

  static bool fits(std::size_t n_rows) { return n_rows <= kMost; }

  Cells<Cell> cells() const { return {neg_.data(), pos_.data(), kCells, codes_.data()}; }

  // Counts a node's rows by these features, and forgets what stood there before.
  void recount(std::span<const std::int32_t> features, const ClassRows& neg, Range of_neg,
               const ClassRows& pos, Range of_pos, const std::int64_t* weight) {
    forget();
    counted_.assign(features.begin(), features.end());
    constexpr std::size_t together = 4;  // so many that their increments hide each other's latency
    for (; features.size() >= together; features = features.subspan(together))
      count<together>(features.data(), neg, of_neg, pos, of_pos, weight);
    for (; !features.empty(); features = features.subspan(1))
      count<1>(features.data(), neg, of_neg, pos, of_pos, weight);
  }

 private:
  static constexpr std::size_t kMost = 64;

  void forget() {
    for (const std::int32_t feature : counted_) {
      const auto f = static_cast<std::size_t>(feature);
      Cell *neg = neg_.data() + f * kCells, *pos = pos_.data() + f * kCells;
      codes_[f].for_each([&](std::size_t code) { neg[code] = pos[code] = 0; });
      codes_[f] = {};
    }
  }

  template <std::size_t N>
  void count(const std::int32_t* features, const ClassRows& neg, Range of_neg, const ClassRows& pos,
             Range of_pos, const std::int64_t* weight) {
    std::size_t column[N];
    CodeSet codes[N];
    for (std::size_t k = 0; k < N; ++k) column[k] = static_cast<std::size_t>(features[k]);
    const auto count_class = [&](std::vector<Cell>& cells, const ClassRows& rows, Range range) {
      Cell* counts[N];
      for (std::size_t k = 0; k < N; ++k) counts[k] = cells.data() + column[k] * kCells;
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const std::uint8_t* row = rows.at(i);
        const auto step = rows.template weight_of<Cell>(i, weight);
        for (std::size_t k = 0; k < N; ++k) {
          const std::uint8_t code = row[column[k]];
          counts[k][code] += step;
          codes[k].add(code);
        }
      }
    };
    count_class(neg_, neg, of_neg);
    count_class(pos_, pos, of_pos);
    for (std::size_t k = 0; k < N; ++k) codes_[column[k]] = codes[k];
  }

  std::vector<Cell> neg_;
  std::vector<Cell> pos_;
  std::vector<CodeSet> codes_;         // by feature: which cells have rows
  std::vector<std::int32_t> counted_;  // features counted last
};

}  // namespace thresher
