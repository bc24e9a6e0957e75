// A sample of the rows of one class that does not depend on their order or place: those with the
// smallest hashes of their content. Equal rows are one entry, however many there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arrays.hpp"

namespace thresher {

inline constexpr std::size_t kSketch = 1 << 16;  // entries that are kept

struct Sketch {
  std::size_t n_features = 0;
  std::vector<std::uint64_t> hash;   // rising
  std::vector<std::int64_t> weight;  // of all rows alike, fixed point
  std::vector<double> values;        // by entry, then feature

  std::size_t size() const { return weight.size(); }
};

// Of the given rows of a table; `weight` by table row, or null for one each.
template <class T>
Sketch sketch_of(const Table<T>& table, std::span<const std::uint32_t> rows,
                 const std::int64_t* weight);

// Every row as it stands; for classes small enough, that will not be merged.
template <class T>
Sketch every_row(const Table<T>& table, std::span<const std::uint32_t> rows,
                 const std::int64_t* weight);

// The sketch of the rows of both.
Sketch merge(const Sketch& one, const Sketch& other);

extern template Sketch sketch_of(const Table<float>&, std::span<const std::uint32_t>,
                                 const std::int64_t*);
extern template Sketch sketch_of(const Table<double>&, std::span<const std::uint32_t>,
                                 const std::int64_t*);
extern template Sketch every_row(const Table<float>&, std::span<const std::uint32_t>,
                                 const std::int64_t*);
extern template Sketch every_row(const Table<double>&, std::span<const std::uint32_t>,
                                 const std::int64_t*);

}  // namespace thresher
