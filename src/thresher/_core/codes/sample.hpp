// The rows that a tree is grown on, as its nodes share them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/arrays.hpp"
#include "codes/coded_table.hpp"

namespace thresher {

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

// Rows of a coded table, each as often as it was drawn; reordered in place as nodes are split.
template <class T>
struct Sample {
  const CodedTable<T>& source;
  ClassRows neg;
  ClassRows pos;

  const Table<T>& table() const { return source.table; }
  const Coding<T>& coding() const { return source.coding; }
  bool weighted() const { return !source.weight.empty(); }
  const std::int64_t* weights() const { return weighted() ? source.weight.data() : nullptr; }
  std::int64_t weight_of(std::uint32_t row) const { return source.weight_of(row); }
  bool exact() const { return coding().anchored(); }
  bool category(std::size_t feature) const { return coding().categorical[feature] != 0; }
  double value(std::uint32_t row, std::size_t feature) const {
    return static_cast<double>(table()(row, feature));
  }

  NodeRows root() const {
    return {
        Range::of(0, neg.row.size()), Range::of(0, pos.row.size()), {whole_of(neg), whole_of(pos)}};
  }

 private:
  std::int64_t whole_of(const ClassRows& rows) const {
    if (!weighted()) return static_cast<std::int64_t>(rows.row.size());
    return std::accumulate(
        rows.row.begin(), rows.row.end(), std::int64_t{0},
        [this](std::int64_t sum, std::uint32_t row) { return sum + weight_of(row); });
  }
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
