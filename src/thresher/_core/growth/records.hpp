// Nodes as they are grown, and as they are handed over.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/fixed_point.hpp"
#include "codes/level_set.hpp"
#include "codes/sample.hpp"
#include "growth/tree.hpp"
#include "search/cuts.hpp"

namespace thresher {

// A node of the growing tree, in the order of its making.
struct Record {
  Record(const NodeRows& its_rows, const Scorer& its_scorer) : rows(its_rows), scorer(its_scorer) {}

  NodeRows rows;
  Scorer scorer;
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::optional<Split> split;
};

// Records in preorder as the arrays of the finished tree.
class TreeWriter {
 public:
  TreeWriter(const std::vector<Record>& records, FixedPoint fixed_point)
      : records_(records), fixed_point_(fixed_point) {}

  GrownTree write() {
    std::vector<std::pair<std::int32_t, std::int32_t>> stack{
        {0, -1}};  // record, parent if a right child
    while (!stack.empty()) {
      const auto [record, parent] = stack.back();
      stack.pop_back();
      const auto node = static_cast<std::int32_t>(tree_.feature.size());
      if (parent >= 0) tree_.right[static_cast<std::size_t>(parent)] = node;
      const Record& r = records_[static_cast<std::size_t>(record)];
      write_node(r);
      if (!r.split) continue;
      tree_.left.back() = node + 1;
      stack.emplace_back(r.right, node);
      stack.emplace_back(r.left, -1);
    }
    return std::move(tree_);
  }

 private:
  void write_node(const Record& record) {
    const Split split = record.split.value_or(Split{});
    tree_.feature.push_back(split.feature);
    tree_.cut.push_back(split.cut);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.missing_left.push_back(split.missing_left);
    tree_.category.push_back(
        split.category ? static_cast<std::int32_t>(tree_.levels_left.size() / kLevelBytes) : -1);
    if (split.category) {
      tree_.levels_left.insert(tree_.levels_left.end(), split.levels_left.begin(),
                               split.levels_left.end());
      tree_.levels_seen.insert(tree_.levels_seen.end(), split.levels_seen.begin(),
                               split.levels_seen.end());
    }
    tree_.rows.push_back(record.rows.neg.size());
    tree_.rows.push_back(record.rows.pos.size());
    tree_.weight.push_back(fixed_point_.real(record.rows.mix.neg));
    tree_.weight.push_back(fixed_point_.real(record.rows.mix.pos));
    tree_.alpha.push_back(record.scorer.alpha());
    tree_.impurity.push_back(record.scorer.impurity());
    tree_.gain.push_back(split.gain);
  }

  const std::vector<Record>& records_;
  FixedPoint fixed_point_;
  GrownTree tree_;
};

}  // namespace thresher
