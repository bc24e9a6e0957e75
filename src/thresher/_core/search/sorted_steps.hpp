// Steps that a node and its descendants open again and again, kept in the order of their values. In
// a chain of nodes that lose a row or two at each split nearly all steps stay as they are: what is
// inside them need not be looked for again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codes/sample.hpp"
#include "search/buckets.hpp"
#include "search/cuts.hpp"
#include "search/step.hpp"

namespace thresher {

class SortedSteps {
 public:
  explicit SortedSteps(std::size_t n_features) : kept_(n_features), n_sorted_(n_features) {}

  bool any(std::size_t feature) const { return n_sorted_[feature] > 0; }

  // The way through a step of the node along the corners of its inner cuts, the only ones that can
  // win; empty where it is not known.
  std::span<const Step> inside(const NodeRows& node, std::size_t feature, const Step& step) const;

  // Takes notice that a code of the node was opened; its entries are kept if that happens often.
  void notice(const NodeRows& node, std::size_t feature, int code, Mix mix,
              std::span<const Entry> entries, const std::int64_t* weight);

  // The step that a split cuts through is from now on the part of it that the child gets.
  void narrow(const Split& split, const NodeRows& child, bool right);

 private:
  static constexpr int kOften = 8;

  struct Value {
    double value;
    Mix mix;
  };
  // A step holds the same rows in a node and in a descendant where it has the same weight.
  struct Kept {
    NodeRows node;
    Mix mix;
    int openings = 0;
    bool narrowed = false;      // since it was opened last
    std::vector<Value> values;  // rising; empty until it was opened often
    std::vector<Step> inside;
  };

  void sort(Kept& kept, std::span<const Entry> entries, const std::int64_t* weight);
  void find_corners(Kept& kept, int code);

  Kept* find(std::size_t feature, int code) const {
    return kept_[feature].empty() ? nullptr : kept_[feature][static_cast<std::size_t>(code)].get();
  }

  std::vector<std::vector<std::unique_ptr<Kept>>> kept_;  // by feature and code
  std::vector<std::size_t> n_sorted_;                     // by feature
  std::vector<Mix> sums_;
  std::vector<std::size_t> upper_, lower_;
};

}  // namespace thresher
