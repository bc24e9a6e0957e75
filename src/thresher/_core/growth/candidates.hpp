// Which nodes may be split, and by which features: what growth in memory and over blocks share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/random.hpp"
#include "growth/options.hpp"
#include "search/cuts.hpp"

namespace thresher {

struct NodeLimits {
  SplitLimits split;
  std::int64_t min_split = 2;   // weight of a node that may be split, fixed point
  std::int64_t max_depth = -1;  // -1: unlimited

  // `whole`: the weight of all rows of the tree.
  static NodeLimits of(const GrowOptions& options, const FixedPoint& fixed_point, Mix whole) {
    NodeLimits limits;
    limits.split.min_leaf = fixed_point.at_least(options.min_leaf_weight);
    limits.split.min_leaf_share =
        options.min_leaf_fraction * Scorer(options.criterion, whole).weighted(whole);
    limits.split.min_gain = options.min_gain;
    limits.min_split = fixed_point.at_least(options.min_split_weight);
    limits.max_depth = options.max_depth;
    return limits;
  }

  bool splittable(Mix mix, std::int64_t depth) const {
    const std::int64_t total = mix.total();
    return !mix.pure() && total >= min_split && total >= 2 * split.min_leaf &&
           (max_depth < 0 || depth < max_depth);
  }
};

class Candidates {
 public:
  Candidates(const GrowOptions& options, std::size_t n_features)
      : all_(n_features),
        wanted_(static_cast<std::size_t>(options.max_features)),
        seed_(options.seed) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  // Whether so few are drawn that counting these alone is cheaper than counting all once for both
  // children.
  bool few() const { return wanted_ > 0 && 2 * wanted_ <= all_.size(); }

  // search(features): the best split among them, if any. As many features as asked for, drawn at
  // random; if none of them can split the node, more until one can.
  template <class Search>
  std::optional<Split> first_split(std::uint64_t path, Search search) const {
    if (wanted_ == 0 || wanted_ >= all_.size()) return search(std::span(all_));
    std::vector<std::int32_t> order = shuffled(all_.size(), seed_, path);
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted_));
    const std::span<const std::int32_t> drawn(order);
    std::optional<Split> split = search(drawn.first(wanted_));
    for (std::size_t next = wanted_; !split && next < all_.size(); ++next)
      split = search(drawn.subspan(next, 1));
    return split;
  }

 private:
  std::vector<std::int32_t> all_;
  std::size_t wanted_;
  std::uint64_t seed_;
};

}  // namespace thresher
