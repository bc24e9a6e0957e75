// The rows of the table as the nodes of a tree share them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "codes.hpp"

namespace thresher {

template <class T>
struct Sample {
  Table<T> table;
  Coding<T> coding;
  ClassRows neg;
  ClassRows pos;
  std::vector<std::int64_t> weight;  // by table row, fixed point; empty: one each

  const std::int64_t* weights() const { return weight.empty() ? nullptr : weight.data(); }
  std::int64_t weight_of(std::uint32_t row) const { return weight.empty() ? 1 : weight[row]; }
  bool exact() const { return coding.anchored; }
  bool category(std::size_t feature) const { return coding.categorical[feature] != 0; }
  // What cuts separate: the true value or, with bins, the code.
  double value(std::uint32_t row, std::uint8_t code, std::size_t feature) const {
    return exact() ? static_cast<double>(table(row, feature)) : static_cast<double>(code);
  }
};

// The rows of a node: ranges of the sample's two classes, and their weight.
struct NodeRows {
  Range neg;
  Range pos;
  Mix mix;

  std::size_t size() const { return std::size_t{neg.size()} + pos.size(); }
  bool pos_is_rare() const { return pos.size() <= neg.size(); }
  std::size_t n_rare() const { return std::min(neg.size(), pos.size()); }
  std::size_t n_other() const { return std::max(neg.size(), pos.size()); }
};

// One class of a node.
struct ClassPart {
  const ClassRows& rows;
  Range range;
  bool positive;
};

template <class T>
ClassPart rare_part(const Sample<T>& sample, const NodeRows& node) {
  if (node.pos_is_rare()) return {sample.pos, node.pos, true};
  return {sample.neg, node.neg, false};
}
template <class T>
ClassPart other_part(const Sample<T>& sample, const NodeRows& node) {
  if (node.pos_is_rare()) return {sample.neg, node.neg, false};
  return {sample.pos, node.pos, true};
}

}  // namespace thresher
