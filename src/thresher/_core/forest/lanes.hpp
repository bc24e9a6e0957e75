// Rows walk down a tree, several side by side to hide the latency of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace thresher {

inline constexpr std::size_t kLanes = 12;  // rows side by side
inline constexpr std::size_t kLevels = 6;  // that they go down before those who arrived step out
inline constexpr std::size_t kUnderWay = 512;  // rows that start together

// leaf: where each row starts, then its leaf, at most `depth` levels below. row_at(i): address of
// the i-th of n rows; step(row, at): the child of node `at` that a row goes to, a leaf itself.
template <class T, class RowAt, class Step>
void walk_lanes(std::size_t depth, std::size_t n, RowAt row_at, Step step, std::uint32_t* leaf) {
  std::uint16_t on_the_way[kUnderWay];
  for (std::size_t first = 0; first < n; first += kUnderWay, leaf += kUnderWay) {
    std::size_t count = std::min(kUnderWay, n - first);
    for (std::size_t i = 0; i < count; ++i) on_the_way[i] = static_cast<std::uint16_t>(i);
    for (std::size_t level = 0; level < depth && count > 0; level += kLevels) {
      std::size_t kept = 0;
      for (std::size_t begin = 0; begin < count; begin += kLanes) {
        const std::size_t here = std::min(kLanes, count - begin);
        const T* row[kLanes];
        std::uint32_t at[kLanes], before[kLanes];
        std::uint16_t number[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          number[lane] = on_the_way[begin + std::min(lane, here - 1)];
          row[lane] = row_at(first + number[lane]);
          at[lane] = leaf[number[lane]];
        }
        for (std::size_t i = 0; i < kLevels; ++i)
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            before[lane] = at[lane];
            at[lane] = step(row[lane], at[lane]);
          }
        for (std::size_t lane = 0; lane < here; ++lane) {
          leaf[number[lane]] = at[lane];
          on_the_way[kept] = number[lane];
          kept += at[lane] != before[lane];
        }
      }
      count = kept;
    }
  }
}

}  // namespace thresher
