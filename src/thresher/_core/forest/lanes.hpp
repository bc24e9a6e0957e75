// Rows walk down a tree, several side by side to hide the latency of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace thresher {

inline constexpr std::size_t kLanes = 16;      // rows side by side
inline constexpr std::size_t kCheckEvery = 4;  // levels: have all rows arrived?

// row_at(i): address of the i-th of n rows; step(row, at): the child of node `at` that a row goes
// to, a leaf itself.
template <class T, class RowAt, class Step>
void walk_lanes(std::size_t depth, std::size_t n, RowAt row_at, Step step, std::uint32_t* leaf) {
  const T* row[kLanes];
  std::uint32_t at[kLanes];
  for (std::size_t first = 0; first < n; first += kLanes) {
    const std::size_t here = std::min(kLanes, n - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      row[lane] = row_at(first + std::min(lane, here - 1));
      at[lane] = 0;
    }
    for (std::size_t level = 0; level < depth; level += kCheckEvery) {
      std::uint32_t moved = 0;
      for (std::size_t i = 0; i < kCheckEvery; ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::uint32_t next = step(row[lane], at[lane]);
          if (i + 1 == kCheckEvery) moved |= next ^ at[lane];
          at[lane] = next;
        }
      }
      if (moved == 0) break;
    }
    std::copy_n(at, here, leaf + first);
  }
}

}  // namespace thresher
