#include "codes/anchors.hpp"

#include <cmath>

namespace thresher {
namespace {

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

template std::vector<Boundaries<float>> choose_anchors(const CodedTable<float>&);
template std::vector<Boundaries<double>> choose_anchors(const CodedTable<double>&);

}  // namespace thresher
