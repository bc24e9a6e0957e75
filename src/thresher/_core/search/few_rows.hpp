// A node of a few dozen rows, by their true values: every value ranked among the others, so that
// no histogram is cleared and scanned, no code opened, and only the features asked for are looked
// at. Most nodes of a forest are so small.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codes/sample.hpp"
#include "search/step.hpp"

namespace thresher {

template <class T>
class FewRows {
 public:
  explicit FewRows(const Sample<T>& sample) : sample_(sample) {}

  static bool fits(const NodeRows& node) { return node.size() <= kMost; }

  void enter(const NodeRows& node);

  // One step for each value of the feature, or level of a category; returns what is missing.
  Mix follow(std::size_t feature, std::vector<Step>& steps);
  bool any_missing(std::size_t feature) const;

 private:
  static constexpr std::size_t kMost = 64;

  struct Row {
    const T* values;
    const std::uint8_t* codes;
    Mix mix;
  };
  void add(ClassPart part);
  Mix read(std::size_t feature);

  const Sample<T>& sample_;
  std::array<Row, kMost> rows_;
  std::size_t n_rows_ = 0;
  // Of the rows that have a value of the feature read last.
  std::size_t n_ = 0;
  std::array<std::uint8_t, kMost> present_;  // their numbers
  std::array<T, kMost> values_{};
  std::array<std::int32_t, kMost> rank_;  // how many values are smaller
  std::array<Step, kMost> by_rank_;
};

extern template class FewRows<float>;
extern template class FewRows<double>;

}  // namespace thresher
