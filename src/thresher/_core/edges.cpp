#include "edges.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "codes.hpp"
#include "threads.hpp"

namespace thresher {
namespace {

// A number whose order as an integer is that of the value, and back.
std::uint64_t rank_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}
double from_rank_key(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

using Keyed = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // value as a key, weight

// By digits of 11 bits, the lowest first; digits that all keys share are passed over.
void radix_sort(Keyed& items) {
  constexpr int bits = 11;
  constexpr std::size_t cells = std::size_t{1} << bits;
  std::vector<std::array<std::uint32_t, cells>> counts(64 / bits + 1);
  for (const auto& item : items)
    for (std::size_t digit = 0; digit < counts.size(); ++digit)
      ++counts[digit][item.first >> (bits * digit) & (cells - 1)];
  Keyed other(items.size());
  for (std::size_t digit = 0; digit < counts.size(); ++digit) {
    auto& count = counts[digit];
    if (std::ranges::find(count, items.size()) != count.end()) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& cell : count) begin += std::exchange(cell, begin);
    for (const auto& item : items)
      other[count[item.first >> (bits * digit) & (cells - 1)]++] = item;
    items.swap(other);
  }
}

struct Weighted {
  std::vector<double> values;  // distinct, rising
  std::vector<std::int64_t> weight;
};

Weighted weighted_values(const Sketch& sketch, std::size_t feature) {
  Keyed items;
  items.reserve(sketch.size());
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    const double value = sketch.values[i * sketch.n_features + feature];
    if (value == value) items.emplace_back(rank_key(value), sketch.weight[i]);
  }
  if (!items.empty()) radix_sort(items);
  Weighted result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && items[i].first == items[i - 1].first) {
      result.weight.back() += items[i].second;
      continue;
    }
    result.values.push_back(from_rank_key(items[i].first));
    result.weight.push_back(items[i].second);
  }
  return result;
}

// The values at which the cumulative weight passes i / count of the whole, i = 1 .. count - 1.
void take_quantiles(const Weighted& sorted, std::size_t count, std::vector<double>& taken) {
  double whole = 0.0, seen = 0.0;
  for (const std::int64_t weight : sorted.weight) whole += static_cast<double>(weight);
  std::size_t next = 1;
  for (std::size_t i = 0; i < sorted.values.size(); ++i) {
    seen += static_cast<double>(sorted.weight[i]);
    const std::size_t before = next;
    while (next < count && seen * static_cast<double>(count) >= whole * static_cast<double>(next))
      ++next;
    if (next > before) taken.push_back(sorted.values[i]);
  }
}

// Edges halfway between each value taken and the next value there is.
std::vector<double> edges_above(const std::vector<double>& taken,
                                const std::vector<double>& distinct) {
  std::vector<double> edges;
  for (const double value : taken) {
    const auto next = std::upper_bound(distinct.begin(), distinct.end(), value);
    if (next == distinct.end()) continue;
    const double middle = value / 2 + *next / 2;
    edges.push_back(value <= middle && middle < *next ? middle : value);
  }
  return edges;
}

std::vector<double> edges_of(const Weighted& neg, const Weighted& pos, std::size_t bins) {
  std::vector<double> distinct, taken;
  std::ranges::set_union(neg.values, pos.values, std::back_inserter(distinct));
  if (distinct.size() <= bins) return edges_above(distinct, distinct);
  const std::size_t of_pos = (bins - 1) / 2;
  take_quantiles(pos, of_pos + 1, taken);
  take_quantiles(neg, bins - 1 - of_pos + 1, taken);
  keep_distinct(taken);
  return edges_above(taken, distinct);
}

}  // namespace

BinEdges bin_edges(const Sketch& neg, const Sketch& pos, std::span<const std::uint8_t> categorical,
                   int max_bins, int n_threads) {
  BinEdges edges(categorical.size());
  parallel_for(edges.size(), neg.size() + pos.size() < kWorthThreads ? 1 : n_threads,
               [&](std::size_t feature) {
                 if (categorical[feature]) return;
                 edges[feature] =
                     edges_of(weighted_values(neg, feature), weighted_values(pos, feature),
                              static_cast<std::size_t>(max_bins));
               });
  return edges;
}

}  // namespace thresher
