// The best of random cuts (extra-trees): one cut of each feature, drawn between the node's smallest
// and largest value. A draw follows from the node's path and the feature, never from the rows'
// order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codes/sample.hpp"
#include "search/cuts.hpp"

namespace thresher {

template <class T>
class RandomSearch : private CutSearch {
 public:
  RandomSearch(const Sample<T>& sample, const Criterion& criterion, SplitLimits limits,
               std::uint64_t seed)
      : CutSearch(criterion, limits), sample_(sample), seed_(seed) {}

  // The best of the drawn cuts of `features`, or nothing where none gains.
  std::optional<Split> best(const NodeRows& node, const Scorer& scorer, std::uint64_t path,
                            std::span<const std::int32_t> features);

 private:
  void search(std::int32_t feature, std::uint64_t path);
  void draw_number(std::int32_t feature, double share);
  void draw_levels(std::int32_t feature, double share);
  void consider_both_sides(Cut cut, Mix present_left);

  void read_values(std::size_t feature);
  template <class Is>
  Mix weight_where(Is is) const;
  void count_levels(std::size_t feature);
  std::array<ClassPart, 2> parts() const;

  Split finish();

  const Sample<T>& sample_;
  std::uint64_t seed_;
  NodeRows node_;
  std::vector<double> values_;  // of the feature read last, those of the rarer class first
  double low_ = 0.0;            // smallest and largest of them; low_ > high_ where all are missing
  double high_ = 0.0;
  std::vector<Step> steps_;  // levels of the category counted last, by rising positive rate
  Mix missing_;
};

extern template class RandomSearch<float>;
extern template class RandomSearch<double>;

}  // namespace thresher
