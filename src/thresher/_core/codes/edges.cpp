#include "codes/edges.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
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

// By digits, the lowest first; digits that all keys share are passed over.
template <class Key, int bits, class Item>
void sort_by_digits(std::vector<Item>& items) {
  constexpr std::size_t cells = std::size_t{1} << bits;
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

template <class Key, class Item>
void sort_by_key(std::vector<Item>& items) {
  constexpr std::size_t few = 200, many = 8000;  // items for which other ways are quicker
  if (items.size() < few)
    std::ranges::sort(items, {}, [](const Item& item) { return key_of<Key>(item); });
  else if (items.size() < many)
    sort_by_digits<Key, 8>(items);
  else
    sort_by_digits<Key, 11>(items);
}

// The values of a column in rising order.
class Sorted {
 public:
  // Half the digits are sorted where 32 bits hold every value.
  explicit Sorted(const ValuesOfClass& column) {
    const auto is_float = [](double value) {
      return static_cast<double>(static_cast<float>(value)) == value;
    };
    if (std::ranges::all_of(column.values, is_float))
      sort<float, std::uint32_t>(column);
    else
      sort<double, std::uint64_t>(column);
  }

  std::size_t size() const { return values_.size(); }
  double operator[](std::size_t i) const { return values_[i]; }

  // The place of the first value above `value`, which is not before `from`.
  std::size_t above(double value, std::size_t from) const {
    std::size_t step = 1, end = from;
    while (end < size() && values_[end] <= value) {
      from = end + 1;
      end += step;
      step *= 2;
    }
    const auto first = values_.begin();
    return static_cast<std::size_t>(
        std::upper_bound(first + static_cast<std::ptrdiff_t>(from),
                         first + static_cast<std::ptrdiff_t>(std::min(end, size())), value) -
        first);
  }

  // The values at which the cumulative weight passes i / count of the whole, i = 1 .. count - 1.
  void take_quantiles(std::size_t count, std::vector<double>& taken) const {
    if (size() == 0) return;
    const auto pass = [&](double seen, double whole, std::size_t& next) {
      const std::size_t before = next;
      while (next < count && seen * static_cast<double>(count) >= whole * static_cast<double>(next))
        ++next;
      return next > before;
    };
    std::size_t next = 1;
    if (weight_.empty()) {  // ranks are weights: most values need no look
      for (std::size_t i = 0; i < size() && next < count;) {
        const std::size_t rank = (size() * next + count - 1) / count;
        i = above(values_[std::max(rank, i + 1) - 1], std::max(rank, i + 1) - 1);
        if (pass(static_cast<double>(i), static_cast<double>(size()), next))
          taken.push_back(values_[i - 1]);
      }
      return;
    }
    double whole = 0.0, seen = 0.0;
    for (const std::int64_t weight : weight_) whole += static_cast<double>(weight);
    for (std::size_t i = 0; i < size(); ++i) {
      seen += static_cast<double>(weight_[i]);
      const bool last_of_its_value = i + 1 == size() || values_[i + 1] > values_[i];
      if (last_of_its_value && pass(seen, whole, next)) taken.push_back(values_[i]);
    }
  }

 private:
  template <class Value, class Key>
  void sort(const ValuesOfClass& column) {
    const std::size_t n = column.values.size();
    const auto key_at = [&](std::size_t i) {
      return rank_key<Key>(static_cast<Value>(column.values[i]));
    };
    values_.resize(n);
    if (column.weight.empty()) {
      std::vector<Key> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = key_at(i);
      sort_by_key<Key>(keys);
      for (std::size_t i = 0; i < n; ++i) values_[i] = from_rank_key<Value>(keys[i]);
      return;
    }
    std::vector<Keyed<Key>> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = {key_at(i), column.weight[i]};
    sort_by_key<Key>(items);
    weight_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      values_[i] = from_rank_key<Value>(items[i].key);
      weight_[i] = items[i].weight;
    }
  }

  std::vector<double> values_;
  std::vector<std::int64_t> weight_;  // empty: one each
};

// The different values of both, or nothing where there are more than so many.
std::optional<std::vector<double>> few_values(const Sorted& neg, const Sorted& pos,
                                              std::size_t most) {
  std::vector<double> values;
  for (std::size_t i = 0, j = 0; i < neg.size() || j < pos.size();) {
    if (values.size() == most) return std::nullopt;
    const bool from_neg = j == pos.size() || (i < neg.size() && neg[i] <= pos[j]);
    values.push_back(from_neg ? neg[i] : pos[j]);
    i = neg.above(values.back(), i);
    j = pos.above(values.back(), j);
  }
  return values;
}

// Edges halfway between each value taken, rising, and the next value there is.
std::vector<double> edges_above(const std::vector<double>& taken, const Sorted& neg,
                                const Sorted& pos) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> edges;
  std::size_t i = 0, j = 0;
  for (const double value : taken) {
    i = neg.above(value, i);
    j = pos.above(value, j);
    const double next = std::min(i < neg.size() ? neg[i] : none, j < pos.size() ? pos[j] : none);
    if (next == none) continue;
    const double middle = value / 2 + next / 2;
    edges.push_back(value <= middle && middle < next ? middle : value);
  }
  return edges;
}

std::vector<double> edges_of(const Sorted& neg, const Sorted& pos, std::size_t bins) {
  if (const auto few = few_values(neg, pos, bins)) return edges_above(*few, neg, pos);
  std::vector<double> taken;
  const std::size_t of_pos = (bins - 1) / 2;
  pos.take_quantiles(of_pos + 1, taken);
  neg.take_quantiles(bins - 1 - of_pos + 1, taken);
  keep_distinct(taken);
  return edges_above(taken, neg, pos);
}

}  // namespace

ColumnsOfClass columns_of(const Sketch& sketch) {
  const bool all_ones = std::ranges::all_of(sketch.weight, [](auto weight) { return weight == 1; });
  return [&sketch, all_ones](std::size_t feature) {
    ValuesOfClass column;
    column.values.reserve(sketch.size());
    for (std::size_t i = 0; i < sketch.size(); ++i)
      column.add(sketch.values[i * sketch.n_features + feature], sketch.weight[i], all_ones);
    return column;
  };
}

BinEdges bin_edges(const ColumnsOfClass& neg, const ColumnsOfClass& pos,
                   std::span<const std::uint8_t> categorical, int max_bins, int n_threads) {
  BinEdges edges(categorical.size());
  parallel_for(edges.size(), n_threads, [&](std::size_t feature) {
    if (categorical[feature]) return;
    edges[feature] =
        edges_of(Sorted(neg(feature)), Sorted(pos(feature)), static_cast<std::size_t>(max_bins));
  });
  return edges;
}

BinEdges bin_edges(const Sketch& neg, const Sketch& pos, std::span<const std::uint8_t> categorical,
                   int max_bins, int n_threads) {
  return bin_edges(columns_of(neg), columns_of(pos), categorical, max_bins,
                   neg.size() + pos.size() < kWorthThreads ? 1 : n_threads);
}

}  // namespace thresher
