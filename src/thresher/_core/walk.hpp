// Rows walk down a tree, several side by side to hide the latency of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arrays.hpp"
#include "packed.hpp"

namespace thresher {

struct InfiniteValue {};  // thrown where a table holds one

inline constexpr std::size_t kGrain = 4096;  // rows worth a thread

// Whether every value of the rows [first, last) is a number; throws where one is infinite.
template <class T>
bool finite_rows(const Table<T>& table, std::size_t first, std::size_t last);

// The leaves (their places among the nodes) of the rows [first, last). `plain`: all values are
// numbers, and no split is on a category.
template <class T>
void walk(const PackedTree& tree, const Table<T>& table, std::size_t first, std::size_t last,
          bool plain, std::uint32_t* leaf);

// The same for n rows by their numbers.
template <class T>
void walk_chosen(const PackedTree& tree, const Table<T>& table, const std::uint32_t* rows,
                 std::size_t n, bool plain, std::uint32_t* leaf);

extern template bool finite_rows(const Table<float>&, std::size_t, std::size_t);
extern template bool finite_rows(const Table<double>&, std::size_t, std::size_t);
extern template void walk(const PackedTree&, const Table<float>&, std::size_t, std::size_t, bool,
                          std::uint32_t*);
extern template void walk(const PackedTree&, const Table<double>&, std::size_t, std::size_t, bool,
                          std::uint32_t*);
extern template void walk_chosen(const PackedTree&, const Table<float>&, const std::uint32_t*,
                                 std::size_t, bool, std::uint32_t*);
extern template void walk_chosen(const PackedTree&, const Table<double>&, const std::uint32_t*,
                                 std::size_t, bool, std::uint32_t*);

}  // namespace thresher
