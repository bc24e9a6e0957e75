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
std::vector<Boundaries<T>> choose_anchors(const Table<T>& table, const ClassRows& neg,
                                          const ClassRows& pos,
                                          std::span<const std::uint8_t> categorical) {
  const bool pos_is_rare = pos.row.size() <= neg.row.size();
  const ClassRows& rare = pos_is_rare ? pos : neg;
  const ClassRows& other = pos_is_rare ? neg : pos;
  std::vector<Boundaries<T>> boundaries(table.n_features);
  for (std::size_t feature = 0; feature < boundaries.size(); ++feature) {
    if (categorical[feature]) continue;
    std::vector<T> anchors;
    if (rare.row.size() <= kMaxAnchors) {
      anchors = sample_values(table, rare, feature, kMaxAnchors);
      keep_distinct(anchors);
    } else {
      const std::size_t size = std::clamp<std::size_t>(table.n_rows / 256, 128, kAnchorSample);
      anchors = quantile_anchors(sample_values(table, rare, feature, size),
                                 sample_values(table, other, feature, size));
    }
    boundaries[feature] = Boundaries<T>(std::move(anchors), table.n_rows);
  }
  return boundaries;
}

template std::vector<Boundaries<float>> choose_anchors(const Table<float>&, const ClassRows&,
                                                       const ClassRows&,
                                                       std::span<const std::uint8_t>);
template std::vector<Boundaries<double>> choose_anchors(const Table<double>&, const ClassRows&,
                                                        const ClassRows&,
                                                        std::span<const std::uint8_t>);

}  // namespace thresher
