// The best split of a node whose values are bins: a function of its histogram alone, so that it
// does not matter where and in what order the rows were counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codes/edges.hpp"
#include "search/cuts.hpp"
#include "search/histogram.hpp"

namespace thresher {

template <class Cell>
class BinnedSearch : private CutSearch {
 public:
  BinnedSearch(const Criterion& criterion, SplitLimits limits, const BinEdges& edges,
               std::span<const std::uint8_t> categorical)
      : CutSearch(criterion, limits), edges_(edges), categorical_(categorical) {}

  // The best split among `features` (rising), or nothing where none gains.
  std::optional<Split> best(const Cells<Cell>& cells, Mix mix, std::size_t n_rows,
                            const Scorer& scorer, std::span<const std::int32_t> features);

 private:
  void search(std::span<const std::int32_t> features);

  // Every bin that has rows is a step; levels of a category by rising positive rate.
  void follow(std::size_t feature);

  // The quick way through a number's bins: only those of the node's rarer class are looked at. No
  // cut wins inside a run of the other class between them, but for the first and last allowed one.
  void pass(std::int32_t feature, bool missing_left);
  void offer(Mix left, std::int64_t order, std::size_t code);
  void offer_inside(std::size_t feature, Mix left, std::int64_t order, std::size_t first,
                    std::size_t last);
  Split finish();

  std::size_t n_codes(std::size_t feature) const {
    return categorical_[feature] ? kMissing : edges_[feature].size() + 1;
  }
  bool passes(std::size_t feature) const {
    return scorer_.concave() && !categorical_[feature] && !criterion_.mdl;
  }
  Mix mix_at(std::size_t feature, std::size_t code) const {
    return {static_cast<std::int64_t>(cells_.neg(feature)[code]),
            static_cast<std::int64_t>(cells_.pos(feature)[code])};
  }

  const BinEdges& edges_;
  std::span<const std::uint8_t> categorical_;
  Cells<Cell> cells_{};
  std::vector<Step> steps_;  // of the feature followed last
  Mix missing_;
};

extern template class BinnedSearch<std::uint32_t>;
extern template class BinnedSearch<std::int64_t>;

}  // namespace thresher
