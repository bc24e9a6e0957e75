#include "anchors.hpp"

#include <bit>
#include <cmath>

#include "random.hpp"

namespace thresher {
namespace {

constexpr std::size_t kSketch = 200000;  // rows a class from which bin edges are taken

// At most `count` rows of a class, evenly spaced, as values of a feature.
template <class T>
std::vector<T> sample_values(const Table<T>& table, const ClassRows& rows, std::size_t feature,
                             std::size_t count) {
  std::vector<T> values;
  for (const std::uint32_t row : spaced(rows.row, count)) {
    const T value = table(row, feature);
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

}  // namespace

template <class T>
std::vector<Boundaries<T>> choose_anchors(const CodedTable<T>& source) {
  const bool pos_is_rare = source.pos.row.size() <= source.neg.row.size();
  const ClassRows& rare = pos_is_rare ? source.pos : source.neg;
  const ClassRows& other = pos_is_rare ? source.neg : source.pos;
  std::vector<Boundaries<T>> boundaries(source.table.n_features);
  for (std::size_t feature = 0; feature < boundaries.size(); ++feature) {
    if (source.coding.categorical[feature]) continue;
    std::vector<T> anchors;
    if (rare.row.size() <= kMaxAnchors) {
      anchors = sample_values(source.table, rare, feature, kMaxAnchors);
      keep_distinct(anchors);
    } else {
      const std::size_t size =
          std::clamp<std::size_t>(source.table.n_rows / 256, 128, kAnchorSample);
      anchors = quantile_anchors(sample_values(source.table, rare, feature, size),
                                 sample_values(source.table, other, feature, size));
    }
    boundaries[feature] = Boundaries<T>(std::move(anchors), source.table.n_rows);
  }
  return boundaries;
}

namespace {

// A row's content as a number: equal rows, equal numbers, whatever their order or place.
template <class T>
std::uint64_t content_hash(const Table<T>& table, std::size_t row) {
  std::uint64_t hash = 0;
  for (std::size_t feature = 0; feature < table.n_features; ++feature) {
    const auto value = static_cast<double>(table(row, feature));
    const double canonical =
        std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value + 0.0;
    hash = scramble(hash ^ std::bit_cast<std::uint64_t>(canonical));
  }
  return hash;
}

// The rows of a class whose content hashes are among the kSketch smallest: the same for any order
// of rows.
template <class T>
std::vector<std::uint32_t> sketch(const Table<T>& table, const ClassRows& rows) {
  if (rows.row.size() <= kSketch) return rows.row;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(rows.row.size());
  for (const std::uint32_t row : rows.row) hashes.push_back(content_hash(table, row));
  std::vector<std::uint64_t> distinct = hashes;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const std::uint64_t largest = distinct[std::min(kSketch, distinct.size()) - 1];
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    if (hashes[i] <= largest) kept.push_back(rows.row[i]);
  return kept;
}

template <class T>
using Weighted = std::vector<std::pair<T, std::int64_t>>;  // values with their weights

// Distinct values, sorted, each with the weight of all its rows.
template <class T>
Weighted<T> weighted_values(const CodedTable<T>& source, const std::vector<std::uint32_t>& rows,
                            std::size_t feature) {
  Weighted<T> all, distinct;
  for (const std::uint32_t row : rows) {
    const T value = source.table(row, feature);
    if (!std::isnan(value)) all.emplace_back(value + T{0}, source.weight_of(row));
  }
  std::sort(all.begin(), all.end());
  for (const auto& [value, weight] : all) {
    if (distinct.empty() || distinct.back().first != value)
      distinct.emplace_back(value, weight);
    else
      distinct.back().second += weight;
  }
  return distinct;
}

// The values at which the cumulative weight passes i / count of the whole, i = 1 .. count - 1.
template <class T>
void take_weighted_quantiles(const Weighted<T>& values, std::size_t count, std::vector<T>& taken) {
  double whole = 0.0, seen = 0.0;
  for (const auto& entry : values) whole += static_cast<double>(entry.second);
  std::size_t next = 1;
  for (const auto& [value, weight] : values) {
    seen += static_cast<double>(weight);
    const std::size_t before = next;
    while (next < count && seen * static_cast<double>(count) >= whole * static_cast<double>(next))
      ++next;
    if (next > before) taken.push_back(value);
  }
}

// Edges halfway between each value taken and the next value there is.
template <class T>
std::vector<T> edges_above(const std::vector<T>& taken, const std::vector<T>& distinct) {
  std::vector<T> edges;
  for (const T value : taken) {
    const auto next = std::upper_bound(distinct.begin(), distinct.end(), value);
    if (next == distinct.end()) continue;
    const T middle = value / 2 + *next / 2;
    edges.push_back(value <= middle && middle < *next ? middle : value);
  }
  return edges;
}

}  // namespace

template <class T>
std::vector<Boundaries<T>> bin_edges(const CodedTable<T>& source, int max_bins) {
  const auto bins = static_cast<std::size_t>(max_bins);
  const std::vector<std::uint32_t> neg = sketch(source.table, source.neg);
  const std::vector<std::uint32_t> pos = sketch(source.table, source.pos);
  std::vector<Boundaries<T>> edges(source.table.n_features);
  for (std::size_t feature = 0; feature < edges.size(); ++feature) {
    if (source.coding.categorical[feature]) continue;
    const Weighted<T> of_neg = weighted_values(source, neg, feature);
    const Weighted<T> of_pos = weighted_values(source, pos, feature);
    std::vector<T> distinct, taken;
    for (const auto& entry : of_neg) distinct.push_back(entry.first);
    for (const auto& entry : of_pos) distinct.push_back(entry.first);
    keep_distinct(distinct);
    if (distinct.size() <= bins) {
      taken = distinct;
    } else {
      take_weighted_quantiles(of_pos, (bins - 1) / 2 + 1, taken);
      take_weighted_quantiles(of_neg, bins - 1 - (bins - 1) / 2 + 1, taken);
      keep_distinct(taken);
    }
    edges[feature] = Boundaries<T>(edges_above(taken, distinct), source.table.n_rows);
  }
  return edges;
}

template std::vector<Boundaries<float>> choose_anchors(const CodedTable<float>&);
template std::vector<Boundaries<double>> choose_anchors(const CodedTable<double>&);
template std::vector<Boundaries<float>> bin_edges(const CodedTable<float>&, int);
template std::vector<Boundaries<double>> bin_edges(const CodedTable<double>&, int);

}  // namespace thresher
