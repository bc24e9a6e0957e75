#include "codes/edges.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "base/distinct.hpp"
#include "base/threads.hpp"

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

struct Keyed {
  std::uint64_t key;  // a value
  std::int64_t weight;
};
std::uint64_t key_of(std::uint64_t key) { return key; }
std::uint64_t key_of(const Keyed& item) { return item.key; }
std::int64_t weight_of(std::uint64_t) { return 1; }
std::int64_t weight_of(const Keyed& item) { return item.weight; }

// By digits of 11 bits, the lowest first; digits that all keys share are passed over.
template <class Item>
void sort_by_key(std::vector<Item>& items) {
  constexpr int bits = 11;
  constexpr std::size_t cells = std::size_t{1} << bits, worth_it = 500;
  if (items.size() < worth_it) {
    std::ranges::sort(items, {}, [](const Item& item) { return key_of(item); });
    return;
  }
  std::vector<std::array<std::uint32_t, cells>> counts(64 / bits + 1);
  for (const Item& item : items)
    for (std::size_t digit = 0; digit < counts.size(); ++digit)
      ++counts[digit][key_of(item) >> (bits * digit) & (cells - 1)];
  std::vector<Item> other(items.size());
  for (std::size_t digit = 0; digit < counts.size(); ++digit) {
    auto& count = counts[digit];
    if (std::ranges::find(count, items.size()) != count.end()) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& cell : count) begin += std::exchange(cell, begin);
    for (const Item& item : items)
      other[count[key_of(item) >> (bits * digit) & (cells - 1)]++] = item;
    items.swap(other);
  }
}

struct Weighted {
  std::vector<double> values;  // distinct, rising
  std::vector<std::int64_t> weight;
};

template <class Item, class MakeItem>
Weighted sorted_values(const Sketch& sketch, std::size_t feature, MakeItem make_item) {
  std::vector<Item> items;
  items.reserve(sketch.size());
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    const double value = sketch.values[i * sketch.n_features + feature];
    if (value == value) items.push_back(make_item(rank_key(value), i));
  }
  sort_by_key(items);
  Weighted result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && key_of(items[i]) == key_of(items[i - 1])) {
      result.weight.back() += weight_of(items[i]);
      continue;
    }
    result.values.push_back(from_rank_key(key_of(items[i])));
    result.weight.push_back(weight_of(items[i]));
  }
  return result;
}

Weighted weighted_values(const Sketch& sketch, std::size_t feature, bool all_ones) {
  if (all_ones)
    return sorted_values<std::uint64_t>(sketch, feature,
                                        [](std::uint64_t key, std::size_t) { return key; });
  return sorted_values<Keyed>(sketch, feature, [&](std::uint64_t key, std::size_t i) {
    return Keyed{key, sketch.weight[i]};
  });
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
  const auto is_one = [](std::int64_t weight) { return weight == 1; };
  const bool neg_ones = std::ranges::all_of(neg.weight, is_one);
  const bool pos_ones = std::ranges::all_of(pos.weight, is_one);
  parallel_for(edges.size(), neg.size() + pos.size() < kWorthThreads ? 1 : n_threads,
               [&](std::size_t feature) {
                 if (categorical[feature]) return;
                 edges[feature] = edges_of(weighted_values(neg, feature, neg_ones),
                                           weighted_values(pos, feature, pos_ones),
                                           static_cast<std::size_t>(max_bins));
               });
  return edges;
}

}  // namespace thresher
