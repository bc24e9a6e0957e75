// The best split of a node, exact: every cut of every feature is either scored, or shown not to
// win.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "codes/sample.hpp"
#include "search/buckets.hpp"
#include "search/cuts.hpp"
#include "search/opening.hpp"
#include "search/sorted_steps.hpp"
#include "search/steps.hpp"

namespace thresher {

template <class T, class Cell>
class SplitSearch : private CutSearch {
 public:
  // `poll` is called now and then, so that a long search can be stopped by an exception.
  // n_drawn: features that are looked at in a node.
  SplitSearch(const Sample<T>& sample, const Criterion& criterion, SplitLimits limits,
              std::size_t n_drawn, std::function<void()> poll);

  bool needs_histogram(const NodeRows& node) const { return path_.needs_histogram(node); }
  // Whether values of the table, which others may write to, are counted.
  bool reads_values(const NodeRows& node) const { return path_.by_values(node); }

  // The best split among `features` (rising), or nothing where none gains. `histogram`: the node's
  // counts, or null.
  std::optional<Split> best(const NodeRows& node, const Scorer& scorer,
                            const Histogram<Cell>* histogram,
                            std::span<const std::int32_t> features);

  // Tells which child will be searched for long; nothing is changed but what that costs.
  void follow_child(const Split& split, const NodeRows& child, bool right) {
    sorted_.narrow(split, child, right);
  }

 private:
  // A step that may hide a cut which wins.
  struct Hidden {
    std::int32_t feature;
    std::int16_t first;  // codes
    std::int16_t last;
    bool missing_left;
    Mix before;
    Mix after;
    std::int64_t order;  // weight of the present rows before it
    double bound;        // no cut inside scores less
  };

  void search(std::span<const std::int32_t> features);
  double charge(std::int32_t feature);

  void look_inside(std::int32_t feature, bool missing_left);
  bool nothing_inside(Mix before, Mix after) const;
  const std::vector<Step>& known_steps(std::size_t feature, bool missing_left);

  void open_hidden();
  double bound(const Hidden& hidden) const;
  void open_feature(std::span<const Hidden> hidden);
  void refine(const Hidden& hidden, std::span<const Entry> entries, Buckets::Anchors anchors);

  void scan_every_cut(std::int32_t feature, bool missing_left);

  Split finish();

  const Sample<T>& sample_;
  std::function<void()> poll_;
  Path<T, Cell> path_;
  Opening<T> opening_;
  SortedSteps sorted_;
  NodeRows node_;
  std::vector<Hidden> hidden_;
  std::vector<Step> steps_;  // of a feature, those kept in order replaced by what is inside
};

}  // namespace thresher
