// The best of random cuts (extra-trees): one cut of each feature. Numbers are cut between the
// node's smallest and largest value; over bins, between its smallest and largest bin. A draw
// follows from the node's path and the feature, never from the rows' order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "codes/edges.hpp"
#include "codes/sample.hpp"
#include "search/cuts.hpp"
#include "search/histogram.hpp"

namespace thresher {

// A cut drawn for a feature of numbers.
struct DrawnCut {
  double value = 0.0;           // left if a value is <= this
  std::int16_t left_code = -1;  // as in Cut
  std::int16_t right_code = 0;
  Mix left;  // present rows on the left
  Mix missing;

  // Present values are told from missing ones alone.
  static DrawnCut of_missing(Mix present, Mix missing);
};

// The columns of a node in exact growth. Codes tell the order of most values; those in the first,
// the last and the cut's own code are looked at.
template <class T>
class NodeValues {
 public:
  explicit NodeValues(const Sample<T>& sample) : sample_(sample) {}
  void enter(const NodeRows& node) { node_ = node; }

  bool category(std::size_t feature) const { return sample_.category(feature); }
  // The cut at this share of the way between the ends; nothing where all values are missing.
  std::optional<DrawnCut> draw(std::size_t feature, double share);
  std::array<Mix, kCells> levels(std::size_t feature) const;

 private:
  std::array<ClassPart, 2> parts() const;
  void read_codes(std::size_t feature);
  template <class Visit>
  void for_each_of(int code, std::size_t feature, Visit visit) const;
  template <class Is>
  Mix weight_where(Is is) const;

  const Sample<T>& sample_;
  NodeRows node_;
  std::vector<std::uint8_t> codes_;  // of the feature read last, those of the rarer class first
};

// The columns of a node whose values are bins: its counts tell all.
template <class Cell>
class NodeBins {
 public:
  NodeBins(const BinEdges& edges, std::span<const std::uint8_t> categorical)
      : edges_(edges), categorical_(categorical) {}
  void enter(const Cells<Cell>& cells) { cells_ = cells; }

  bool category(std::size_t feature) const { return categorical_[feature] != 0; }
  std::optional<DrawnCut> draw(std::size_t feature, double share) const;
  std::array<Mix, kCells> levels(std::size_t feature) const;

 private:
  Mix mix_at(std::size_t feature, std::size_t code) const {
    return {static_cast<std::int64_t>(cells_.neg(feature)[code]),
            static_cast<std::int64_t>(cells_.pos(feature)[code])};
  }

  const BinEdges& edges_;
  std::span<const std::uint8_t> categorical_;
  Cells<Cell> cells_{};
};

class RandomSearch : private CutSearch {
 public:
  RandomSearch(const Criterion& criterion, SplitLimits limits, std::uint64_t seed)
      : CutSearch(criterion, limits), seed_(seed) {}

  // The best of the drawn cuts of `features`, or nothing where none gains. Columns: NodeValues or
  // NodeBins that have entered the node.
  template <class Columns>
  std::optional<Split> best(Columns& columns, Mix mix, const Scorer& scorer, std::uint64_t path,
                            std::span<const std::int32_t> features) {
    enter_node(mix, scorer);
    const auto search = [&](std::int32_t feature) {
      const auto f = static_cast<std::size_t>(feature);
      const double share = uniform(seed_, path, f);
      if (columns.category(f))
        draw_levels(feature, share, columns.levels(f));
      else if (const std::optional<DrawnCut> drawn = columns.draw(f, share))
        consider_drawn(feature, *drawn);
    };
    if (criterion_.gain_ratio)  // one cut of each feature: there is no choice to charge for
      search_by_ratio(features, search, [](std::int32_t) { return 0.0; });
    else
      for (const std::int32_t feature : features) search(feature);
    if (!found()) return std::nullopt;
    const auto f = static_cast<std::size_t>(best_.feature);
    const bool category = columns.category(f);
    if (category) follow(columns.levels(f));
    Split split = finish(steps_, any_missing_[f] != 0, category);
    if (!category) split.value = split.cut = best_.value;
    return split;
  }

 private:
  void draw_levels(std::int32_t feature, double share, const std::array<Mix, kCells>& mixes);
  void consider_drawn(std::int32_t feature, const DrawnCut& drawn);
  void consider_both_sides(Cut cut, Mix present_left, Mix missing);
  void follow(const std::array<Mix, kCells>& mixes);

  std::uint64_t seed_;
  std::vector<Step> steps_;  // levels of the category followed last, by rising positive rate
  std::vector<std::uint8_t> any_missing_;  // by feature, of the last node that drew it
};

extern template class NodeValues<float>;
extern template class NodeValues<double>;
extern template class NodeBins<std::uint32_t>;
extern template class NodeBins<std::int64_t>;

}  // namespace thresher
