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
template <class Key, class Value>
Key rank_key(Value value) {
  constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
  const auto bits = std::bit_cast<Key>(value);
  return bits & sign ? ~bits : bits | sign;
}
template <class Value, class Key>
double from_rank_key(Key key) {
  constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
  return static_cast<double>(std::bit_cast<Value>(key & sign ? key & ~sign : ~key));
}

template <class Key>
struct Keyed {
  Key key;  // a value
  std::int64_t weight;
};
template <class Key>
Key key_of(Key key) {
  return key;
}
template <class Key>
Key key_of(const Keyed<Key>& item) {
  return item.key;
}
template <class Key>
std::int64_t weight_of(Key) {
  return 1;
}
template <class Key>
std::int64_t weight_of(const Keyed<Key>& item) {
  return item.weight;
}

// By digits of 11 bits, the lowest first; digits that all keys share are passed over.
template <class Key, class Item>
void sort_by_key(std::vector<Item>& items) {
  constexpr int bits = 11;
  constexpr std::size_t cells = std::size_t{1} << bits, worth_it = 500;
  if (items.size() < worth_it) {
    std::ranges::sort(items, {}, [](const Item& item) { return key_of<Key>(item); });
    return;
  }
  constexpr std::size_t n_digits = (8 * sizeof(Key) + bits - 1) / bits;
  const auto digit_of = [](const Item& item, std::size_t digit) {
    return static_cast<std::size_t>(key_of<Key>(item) >> (bits * digit)) & (cells - 1);
  };
  std::vector<std::array<std::uint32_t, cells>> counts(n_digits);
  for (const Item& item : items)
    for (std::size_t digit = 0; digit < n_digits; ++digit) ++counts[digit][digit_of(item, digit)];
  std::vector<Item> other(items.size());
  for (std::size_t digit = 0; digit < n_digits; ++digit) {
    auto& count = counts[digit];
    if (count[digit_of(items.front(), digit)] == items.size()) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& cell : count) begin += std::exchange(cell, begin);
    for (const Item& item : items) other[count[digit_of(item, digit)]++] = item;
    items.swap(other);
  }
}

struct Weighted {
  std::vector<double> values;  // distinct, rising
  std::vector<std::int64_t> weight;
};

// A column of a sketch without what is missing.
struct Column {
  std::vector<double> values;
  std::vector<std::int64_t> weight;  // empty: one each
  bool floats = true;                // no value needs more than 32 bits

  Column(const Sketch& sketch, std::size_t feature, bool all_ones) {
    values.reserve(sketch.size());
    if (!all_ones) weight.reserve(sketch.size());
    for (std::size_t i = 0; i < sketch.size(); ++i) {
      const double value = sketch.values[i * sketch.n_features + feature];
      if (value != value) continue;
      floats &= static_cast<double>(static_cast<float>(value)) == value;
      values.push_back(value);
      if (!all_ones) weight.push_back(sketch.weight[i]);
    }
  }
};

template <class Value, class Key, class Item, class MakeItem>
Weighted sorted_values(const Column& column, MakeItem make_item) {
  std::vector<Item> items(column.values.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = make_item(rank_key<Key>(static_cast<Value>(column.values[i])), i);
  sort_by_key<Key>(items);
  Weighted result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && key_of<Key>(items[i]) == key_of<Key>(items[i - 1])) {
      result.weight.back() += weight_of<Key>(items[i]);
      continue;
    }
    result.values.push_back(from_rank_key<Value>(key_of<Key>(items[i])));
    result.weight.push_back(weight_of<Key>(items[i]));
  }
  return result;
}

template <class Value, class Key>
Weighted sorted_values(const Column& column) {
  if (column.weight.empty())
    return sorted_values<Value, Key, Key>(column, [](Key key, std::size_t) { return key; });
  return sorted_values<Value, Key, Keyed<Key>>(
      column, [&](Key key, std::size_t i) { return Keyed<Key>{key, column.weight[i]}; });
}

// Half the digits where 32 bits hold every value.
Weighted weighted_values(const Sketch& sketch, std::size_t feature, bool all_ones) {
  const Column column(sketch, feature, all_ones);
  return column.floats ? sorted_values<float, std::uint32_t>(column)
                       : sorted_values<double, std::uint64_t>(column);
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
