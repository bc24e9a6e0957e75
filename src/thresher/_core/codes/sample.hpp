// The rows that a tree is grown on, as its nodes share them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/arrays.hpp"
#include "codes/coded_table.hpp"

namespace thresher {

// The rows of a node: ranges of the sample's two classes, and their weight. A row that was drawn
// several times is one row of many; sizes are for what is cheaper, never for what is better.
struct NodeRows {
  Range neg;
  Range pos;
  Mix mix;

  std::size_t size() const { return std::size_t{neg.size()} + pos.size(); }
  bool pos_is_rare() const { return pos.size() <= neg.size(); }
  std::size_t n_rare() const { return std::min(neg.size(), pos.size()); }
  std::size_t n_other() const { return std::max(neg.size(), pos.size()); }
};

// Rows of a coded table with how often each was drawn; reordered in place as nodes are split.
template <class T>
struct Sample {
  const CodedTable<T>& source;
  ClassRows neg;
  ClassRows pos;

  const Table<T>& table() const { return source.table; }
  const Coding<T>& coding() const { return source.coding; }
  bool weighted() const { return !source.weight.empty(); }
  const std::int64_t* weights() const { return weighted() ? source.weight.data() : nullptr; }
  std::int64_t weight_of(std::uint32_t row, std::uint8_t times) const {
    return source.weight_of(row) * times;
  }
  bool exact() const { return coding().anchored(); }
  bool category(std::size_t feature) const { return coding().categorical[feature] != 0; }
  double value(std::uint32_t row, std::size_t feature) const {
    return static_cast<double>(table()(row, feature));
  }

  NodeRows root() const {
    const Range of_neg = Range::of(0, neg.row.size()), of_pos = Range::of(0, pos.row.size());
    return {of_neg, of_pos, mix_of(of_neg, of_pos)};
  }
  Mix mix_of(Range of_neg, Range of_pos) const {
    if (!weighted()) return {drawn(neg, of_neg), drawn(pos, of_pos)};
    return {weight(neg, of_neg), weight(pos, of_pos)};
  }
  // Rows as often as they were drawn.
  Mix drawn(const NodeRows& node) const {
    return weighted() ? Mix{drawn(neg, node.neg), drawn(pos, node.pos)} : node.mix;
  }

 private:
  static std::int64_t drawn(const ClassRows& rows, Range range) {
    if (rows.times.empty()) return range.size();
    return std::accumulate(rows.times.begin() + range.begin, rows.times.begin() + range.end,
                           std::int64_t{0});
  }
  std::int64_t weight(const ClassRows& rows, Range range) const {
    std::int64_t sum = 0;
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      sum += weight_of(rows.row[i], rows.drawn(i));
    return sum;
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
