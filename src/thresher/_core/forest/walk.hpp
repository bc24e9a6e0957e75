// Rows walk down a tree, several side by side to hide the latency of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/arrays.hpp"
#include "codes/codes.hpp"
#include "forest/packed.hpp"

namespace thresher {

struct InfiniteValue {};  // thrown where a table holds one

// A value as a number, NaN where it is missing. A tree may be walked in bins as well: its cuts are
// then the numbers of edges.
inline double number(double value) { return value; }
inline double number(float value) { return value; }
inline double number(std::uint8_t code) {
  return code == kMissing ? std::numeric_limits<double>::quiet_NaN() : code;
}

inline constexpr std::size_t kGrain = 4096;  // rows worth a thread

// Whether every value of the rows [first, last) is a number; throws where one is infinite.
template <class T>
bool finite_rows(const Table<T>& table, std::size_t first, std::size_t last);

// The leaves (their places among the nodes) of the rows [first, last). `plain`: all values are
// numbers, and no split is on a category.
template <class T>
void walk(const PackedTree& tree, const Table<T>& table, std::size_t first, std::size_t last,
          bool plain, std::uint32_t* leaf);

// The same from a level on, at whose nodes, or leaves above them, the rows are already.
template <class T>
void walk_on(const PackedTree& tree, const Table<T>& table, std::size_t first, std::size_t last,
             bool plain, std::size_t level, std::uint32_t* leaf);

// The same for n rows by their numbers.
template <class T>
void walk_chosen(const PackedTree& tree, const Table<T>& table, const std::uint32_t* rows,
                 std::size_t n, bool plain, std::uint32_t* leaf);

// The same in bins: rows of codes, `width` bytes apart.
void walk_bins(const BinNode* nodes, std::size_t n_nodes, const std::uint8_t* codes,
               std::size_t width, const std::uint32_t* rows, std::size_t n, std::uint32_t* leaf);

#define THRESHER_WALK(declare, T)                                                                \
  declare template bool finite_rows(const Table<T>&, std::size_t, std::size_t);                  \
  declare template void walk(const PackedTree&, const Table<T>&, std::size_t, std::size_t, bool, \
                             std::uint32_t*);                                                    \
  declare template void walk_on(const PackedTree&, const Table<T>&, std::size_t, std::size_t,    \
                                bool, std::size_t, std::uint32_t*);                              \
  declare template void walk_chosen(const PackedTree&, const Table<T>&, const std::uint32_t*,    \
                                    std::size_t, bool, std::uint32_t*)
THRESHER_WALK(extern, float);
THRESHER_WALK(extern, double);
THRESHER_WALK(extern, std::uint8_t);

}  // namespace thresher
