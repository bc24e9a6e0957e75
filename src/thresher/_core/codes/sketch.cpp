#include "codes/sketch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = 64;  // rows hashed side by side: a chain of steps would wait

// One bit pattern for equal values: a single zero, a single NaN.
std::uint64_t content(double value) {
  const double canonical = value == value ? value + 0.0 : std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(canonical);
}

template <class T>
std::vector<std::uint64_t> content_hashes(const Table<T>& table,
                                          std::span<const std::uint32_t> rows) {
  std::vector<std::uint64_t> hashes(rows.size(), 0);
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const std::size_t n = std::min(kBlock, rows.size() - first);
    std::uint64_t* hash = hashes.data() + first;
    for (std::size_t feature = 0; feature < table.n_features; ++feature)
      for (std::size_t i = 0; i < n; ++i)
        hash[i] = scramble(hash[i] ^ content(static_cast<double>(table(rows[first + i], feature))));
  }
  return hashes;
}

using Hashed = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // hash, row; rising

Hashed rows_up_to(const std::vector<std::uint64_t>& hashes, std::span<const std::uint32_t> rows,
                  std::uint64_t largest) {
  Hashed chosen;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (hashes[i] <= largest) chosen.emplace_back(hashes[i], rows[i]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::size_t count_distinct(const Hashed& chosen) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    count += i == 0 || chosen[i].first != chosen[i - 1].first;
  return count;
}

// The rows whose hashes may be among the smallest: few, unless most rows are alike.
Hashed candidates(const std::vector<std::uint64_t>& hashes, std::span<const std::uint32_t> rows,
                  std::uint64_t limit) {
  const std::uint64_t expected = sketch_limit(rows.size());
  if (expected < limit) {
    Hashed few = rows_up_to(hashes, rows, expected);
    if (count_distinct(few) >= kSketch) return few;
  }
  return rows_up_to(hashes, rows, limit);
}

template <class T>
void add_entry(Sketch& sketch, const Table<T>& table, std::uint32_t row, std::int64_t weight) {
  sketch.weight.push_back(weight);
  for (std::size_t feature = 0; feature < table.n_features; ++feature)
    sketch.values.push_back(static_cast<double>(table(row, feature)) + 0.0);
}

void copy_entry(Sketch& sketch, const Sketch& from, std::size_t i) {
  sketch.hash.push_back(from.hash[i]);
  sketch.weight.push_back(from.weight[i]);
  const auto first = from.values.begin() + static_cast<std::ptrdiff_t>(i * from.n_features);
  sketch.values.insert(sketch.values.end(), first,
                       first + static_cast<std::ptrdiff_t>(from.n_features));
}

}  // namespace

std::uint64_t sketch_limit(std::size_t n) {
  return n <= 2 * kSketch ? kEveryHash : kEveryHash / n * (kSketch + kSketch / 16);
}

template <class T>
Sketch sketch_of(const Table<T>& table, std::span<const std::uint32_t> rows,
                 const std::int64_t* weight, std::uint64_t limit) {
  Sketch sketch;
  sketch.n_features = table.n_features;
  for (const auto& [hash, row] : candidates(content_hashes(table, rows), rows, limit)) {
    const std::int64_t own = weight ? weight[row] : 1;
    if (!sketch.hash.empty() && sketch.hash.back() == hash) {
      sketch.weight.back() += own;
      continue;
    }
    if (sketch.size() == kSketch) break;
    sketch.hash.push_back(hash);
    add_entry(sketch, table, row, own);
  }
  return sketch;
}

Sketch merge(const Sketch& one, const Sketch& other) {
  Sketch merged;
  merged.n_features = one.n_features;
  std::size_t a = 0, b = 0;
  while (merged.size() < kSketch && (a < one.size() || b < other.size())) {
    const bool from_one = b == other.size() || (a < one.size() && one.hash[a] <= other.hash[b]);
    const bool in_both = a < one.size() && b < other.size() && one.hash[a] == other.hash[b];
    copy_entry(merged, from_one ? one : other, from_one ? a : b);
    if (in_both) merged.weight.back() += other.weight[b];
    a += from_one;
    b += !from_one || in_both;
  }
  return merged;
}

template Sketch sketch_of(const Table<float>&, std::span<const std::uint32_t>, const std::int64_t*,
                          std::uint64_t);
template Sketch sketch_of(const Table<double>&, std::span<const std::uint32_t>, const std::int64_t*,
                          std::uint64_t);

}  // namespace thresher
