// The path that the cuts of a feature take through the counts of a node, from no row on the left to
// all.
#pragma once

#include <cstdint>
#include <vector>

#include "codes/sample.hpp"
#include "search/comparisons.hpp"
#include "search/histogram.hpp"

namespace thresher {

// Rows of neighbouring codes, or of one level of a category; cuts lie between steps.
struct Step {
  Mix mix;
  std::int16_t first = 0;  // codes
  std::int16_t last = 0;
  bool open = false;  // may hold several values, hence cuts inside
};

// Levels of a category by rising positive rate.
void sort_by_positive_rate(std::vector<Step>& steps);

// Codes of the node's rarer class are steps of their own, and between them lie runs of the other
// class: no cut inside a run of one class can win, but for the first and the last allowed one.
template <class T, class Cell>
class Path {
 public:
  explicit Path(const Sample<T>& sample);

  // Whether a node is better counted by comparisons than by a histogram.
  bool prefers_comparisons(const NodeRows& node) const;

  // `histogram` holds the node's counts; without one its rows are compared.
  void enter(const NodeRows& node, const Histogram<Cell>* histogram);

  // Finds the steps of a feature in the node entered last; levels of a category by rising positive
  // rate.
  void follow(std::size_t feature);

  const std::vector<Step>& steps() const { return steps_; }
  Mix missing() const { return missing_; }  // rows without a value

 private:
  void follow_histogram(std::size_t feature);
  void follow_comparisons(std::size_t feature);

  const Sample<T>& sample_;
  bool any_category_;
  NodeRows node_;
  const Histogram<Cell>* histogram_ = nullptr;
  Comparisons comparisons_;
  std::vector<std::uint32_t> rare_order_;  // code << 16 | number of a rare row
  std::vector<Step> steps_;
  Mix missing_;
};

}  // namespace thresher
