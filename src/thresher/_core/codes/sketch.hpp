// A sample of the rows of one class that does not depend on their order or place: those with the
// smallest hashes of their content. Equal rows are one entry, however many there are.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/arrays.hpp"

namespace thresher {

inline constexpr std::size_t kSketch = 1 << 16;  // entries that are kept
inline constexpr std::uint64_t kEveryHash = std::numeric_limits<std::uint64_t>::max();

struct Sketch {
  std::size_t n_features = 0;
  std::vector<std::uint64_t> hash;   // rising
  std::vector<std::int64_t> weight;  // of all rows alike, fixed point
  std::vector<double> values;        // by entry, then feature

  std::size_t size() const { return weight.size(); }
};

// Of the given rows of a table; `weight` by table row, or null for one each. Rows whose hash is
// above `limit` are passed over: where many blocks are merged, most rows cannot stay.
template <class T>
Sketch sketch_of(const Table<T>& table, std::span<const std::uint32_t> rows,
                 const std::int64_t* weight, std::uint64_t limit = kEveryHash);

// The limit that kSketch of n different rows, and hardly more, keep to.
std::uint64_t sketch_limit(std::size_t n);

// The sketch of the rows of both.
Sketch merge(const Sketch& one, const Sketch& other);

extern template Sketch sketch_of(const Table<float>&, std::span<const std::uint32_t>,
                                 const std::int64_t*, std::uint64_t);
extern template Sketch sketch_of(const Table<double>&, std::span<const std::uint32_t>,
                                 const std::int64_t*, std::uint64_t);

}  // namespace thresher
