// The path that the cuts of a feature take through the counts of a node, from no row on the left to
// all.
#pragma once

#include <cstdint>
#include <vector>

#include "codes/sample.hpp"
#include "search/comparisons.hpp"
#include "search/few_rows.hpp"
#include "search/histogram.hpp"
#include "search/step.hpp"

namespace thresher {

// Codes of the node's rarer class are steps of their own, and between them lie runs of the other
// class: no cut inside a run of one class can win, but for the first and the last allowed one.
template <class T, class Cell>
class Path {
 public:
  // n_drawn: features that are looked at in a node.
  Path(const Sample<T>& sample, std::size_t n_drawn);

  // Whether a node is better counted without a histogram: by its values, or by comparisons.
  bool needs_histogram(const NodeRows& node) const;
  // Whether true values are counted, not codes.
  bool by_values(const NodeRows& node) const { return prefers_values_ && FewRows<T>::fits(node); }

  // `histogram` holds the node's counts; without one its rows are compared. Few rows need neither.
  void enter(const NodeRows& node, const Histogram<Cell>* histogram);

  // Finds the steps of a feature in the node entered last; levels of a category by rising positive
  // rate.
  void follow(std::size_t feature);

  const std::vector<Step>& steps() const { return steps_; }
  Mix missing() const { return missing_; }  // rows without a value
  bool any_missing(std::size_t feature) const;

 private:
  void follow_histogram(std::size_t feature);
  void follow_comparisons(std::size_t feature);

  const Sample<T>& sample_;
  bool comparable_;  // all rows count alike, and all columns are numbers
  bool prefers_values_;
  NodeRows node_;
  const Histogram<Cell>* histogram_ = nullptr;
  bool by_values_ = false;
  FewRows<T> few_;
  Comparisons comparisons_;
  std::vector<std::uint32_t> rare_order_;  // code << 16 | number of a rare row
  std::vector<Step> steps_;
  Mix missing_;
};

}  // namespace thresher
