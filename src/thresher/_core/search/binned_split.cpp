#include "search/binned_split.hpp"

#include <limits>

namespace thresher {

template <class Cell>
std::optional<Split> BinnedSearch<Cell>::best(const Cells<Cell>& cells, Mix mix, std::size_t n_rows,
                                              const Scorer& scorer,
                                              std::span<const std::int32_t> features) {
  cells_ = cells;
  enter_node(mix, scorer);
  const auto charge = [&](std::int32_t feature) {
    if (!criterion_.mdl || categorical_[static_cast<std::size_t>(feature)]) return 0.0;
    return charge_for(steps_.size(), n_rows);
  };
  if (criterion_.gain_ratio)
    search_by_ratio(
        features, [this](std::int32_t feature) { search(std::span(&feature, 1)); }, charge);
  else
    search(features);
  if (!found()) return std::nullopt;
  return finish();
}

template <class Cell>
void BinnedSearch<Cell>::search(std::span<const std::int32_t> features) {
  hull_.reset(mix_);
  for (const std::int32_t feature : features) {
    follow(static_cast<std::size_t>(feature));
    for (const bool missing_left : {false, true}) {
      if (missing_left && missing_.total() == 0) continue;
      if (scorer_.concave())
        walk(steps_, missing_, feature, missing_left, [](auto&&...) {});
      else
        scan(steps_, missing_, feature, missing_left);
    }
  }
  consider_corners();
}

template <class Cell>
void BinnedSearch<Cell>::follow(std::size_t feature) {
  const Cell* neg = cells_.neg(feature);
  const Cell* pos = cells_.pos(feature);
  const auto mix_at = [&](int code) {
    return Mix{static_cast<std::int64_t>(neg[code]), static_cast<std::int64_t>(pos[code])};
  };
  steps_.clear();
  const int n_codes =
      categorical_[feature] ? kMissing : static_cast<int>(edges_[feature].size()) + 1;
  for (int code = 0; code < n_codes; ++code) {
    if ((neg[code] | pos[code]) == 0) continue;
    const auto place = static_cast<std::int16_t>(code);
    steps_.push_back({mix_at(code), place, place, false});
  }
  missing_ = mix_at(kMissing);
  if (categorical_[feature]) sort_by_positive_rate(steps_);
}

template <class Cell>
Split BinnedSearch<Cell>::finish() {
  const auto feature = static_cast<std::size_t>(best_.feature);
  follow(feature);
  Split split = CutSearch::finish(steps_, missing_.total() > 0, categorical_[feature] != 0);
  if (split.category) return split;
  split.right_code = static_cast<std::int16_t>(split.left_code + 1);  // no value is looked at
  // Where every present value goes left, no edge separates it from those that are missing.
  split.cut = best_.right_code == kMissing
                  ? std::numeric_limits<double>::max()
                  : edges_[feature][static_cast<std::size_t>(best_.left_code)];
  return split;
}

template class BinnedSearch<std::uint32_t>;
template class BinnedSearch<std::int64_t>;

}  // namespace thresher
