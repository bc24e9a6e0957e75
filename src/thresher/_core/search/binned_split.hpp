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
  void follow(std::size_t feature);
  Split finish();

  const BinEdges& edges_;
  std::span<const std::uint8_t> categorical_;
  Cells<Cell> cells_{};
  std::vector<Step> steps_;  // of the feature followed last
  Mix missing_;
};

extern template class BinnedSearch<std::uint32_t>;
extern template class BinnedSearch<std::int64_t>;

}  // namespace thresher
