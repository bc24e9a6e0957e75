// The cuts that can win. A cut is a point (neg, pos): the weight of either class in its left child.
// A concave score has its minimum over all reachable points at a corner of their convex hull, so
// the hull is kept and the score, which may cost logarithms, is evaluated at its few corners alone.
//
// Cross products are rounded. Counts are integers below 2^52, so their differences are exact, but a
// product may need more than 53 bits: with weights of many digits, or where neg * pos of a node
// passes 2^53. Rounding can make two products equal and never exchanges them. Hence a strict
// comparison is right, and the others err only by taking a point for one on the line, if it lies
// closer to it than 2^-52 of the line's rise, less than one unit of weight. `clearly_inside` and
// `reaches` therefore never turn down a cut that may win. A chain may drop a corner that lies as
// little above the line of its neighbours; on the line a concave score is least at one of these, so
// the tree takes a cut that is worse by no more than such slivers make: a tie, but for rounding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "base/arrays.hpp"

namespace thresher {

// A cut, or (feature < 0) one of the two ends of the hull, where one child would be empty.
struct Cut {
  double neg = 0.0;
  double pos = 0.0;
  double score = std::numeric_limits<double>::quiet_NaN();  // until it is evaluated
  double value = 0.0;      // codes between left_code and right_code: left if the value is <= this
  std::int64_t order = 0;  // weight of the present rows on the left: orders the cuts of a feature
  std::int32_t feature = -1;
  std::int16_t left_code = -1;  // codes up to this one go left
  std::int16_t right_code = 0;  // codes from this one on go right
  bool missing_left = false;
  bool mirrored = false;  // neg and pos are those of the right child

  auto key() const { return std::tuple(feature, order, missing_left); }
  // Smaller score, then feature, cut and side: a total order that no order of search can change.
  bool better_than(const Cut& other) const {
    return score < other.score || (score == other.score && key() < other.key());
  }
};

// Whether b lies on or under the line from a to c, for a.neg <= b.neg <= c.neg.
inline bool on_or_under(double a_neg, double a_pos, double b_neg, double b_pos, double c_neg,
                        double c_pos) {
  return (b_pos - a_pos) * (c_neg - a_neg) <= (c_pos - a_pos) * (b_neg - a_neg);
}

class Hull {
 public:
  // The score is symmetric in the two children, so a point under the diagonal is replaced by its
  // mirror image above it, and the upper chain from (0, 0) to the whole node is all there is.
  void reset(Mix node) {
    neg_ = static_cast<double>(node.neg);
    pos_ = static_cast<double>(node.pos);
    chain_.assign(2, Cut{});
    chain_[1].neg = neg_;
    chain_[1].pos = pos_;
    peak_neg_ = peak_pos_ = 0.0;
  }

  // Points of one feature arrive in rising order of neg and pos; `place` tells the caller which cut
  // it was.
  void add(double neg, double pos, std::int64_t order, std::int32_t place) {
    if (clearly_inside(neg, pos)) return;
    const Point point{neg, pos, order, place};
    if (above(neg, pos)) {
      while (above_.size() >= 2 && covers(above_[above_.size() - 2], above_.back(), point))
        above_.pop_back();
      above_.push_back(point);
    } else {
      while (under_.size() >= 2 && carries(under_[under_.size() - 2], under_.back(), point))
        under_.pop_back();
      under_.push_back(point);
    }
  }

  // Inside the triangle of the two ends and the corner farthest from the diagonal: most points of
  // most features are, and need no closer look. No branch depends on the side of the diagonal,
  // which is hard to foresee.
  bool clearly_inside(double neg, double pos) const {
    const bool up = above(neg, pos);
    const double x = up ? neg : neg_ - neg;
    const double y = up ? pos : pos_ - pos;
    return (y * peak_neg_ < peak_pos_ * x) &
           ((y - peak_pos_) * (neg_ - peak_neg_) < (pos_ - peak_pos_) * (x - peak_neg_));
  }

  // Takes the points added since the last call into the hull; describe(place, cut) completes the
  // cuts that stay.
  template <class Describe>
  void end_sequence(std::int32_t feature, bool missing_left, Describe describe) {
    if (above_.empty() && under_.empty()) return;
    Cut cut;
    cut.feature = feature;
    cut.missing_left = missing_left;
    fresh_.clear();
    for (const Point& point : above_) {
      cut.neg = point.neg;
      cut.pos = point.pos;
      cut.order = point.order;
      if (!reaches_upper(cut.neg, cut.pos)) continue;
      describe(point.place, cut);
      fresh_.push_back(cut);
    }
    merge();
    cut.mirrored = true;
    for (auto point = under_.rbegin(); point != under_.rend(); ++point) {
      cut.neg = neg_ - point->neg;
      cut.pos = pos_ - point->pos;
      cut.order = point->order;
      if (!reaches_upper(cut.neg, cut.pos)) continue;
      describe(point->place, cut);
      fresh_.push_back(cut);
    }
    merge();
    above_.clear();
    under_.clear();
  }

  // Whether a cut with these counts would lie on the hull or outside of it.
  bool reaches(double neg, double pos) const {
    if (clearly_inside(neg, pos)) return false;
    return above(neg, pos) ? reaches_upper(neg, pos) : reaches_upper(neg_ - neg, pos_ - pos);
  }

  std::vector<Cut>& corners() { return chain_; }

 private:
  struct Point {
    double neg;
    double pos;
    std::int64_t order;
    std::int32_t place;
  };
  static bool covers(const Point& a, const Point& b, const Point& c) {
    return on_or_under(a.neg, a.pos, b.neg, b.pos, c.neg, c.pos);
  }
  static bool carries(const Point& a, const Point& b, const Point& c) {  // the axes exchanged
    return on_or_under(a.pos, a.neg, b.pos, b.neg, c.pos, c.neg);
  }

  bool above(double neg, double pos) const { return pos * neg_ >= neg * pos_; }

  void find_peak() {
    double highest = 0.0;
    for (const Cut& corner : chain_) {
      const double height = corner.pos * neg_ - corner.neg * pos_;
      if (height <= highest) continue;
      highest = height;
      peak_neg_ = corner.neg;
      peak_pos_ = corner.pos;
    }
  }

  bool reaches_upper(double neg, double pos) const {
    auto right = std::upper_bound(chain_.begin(), chain_.end(), neg,
                                  [](double x, const Cut& corner) { return x < corner.neg; });
    if (right == chain_.end()) --right;
    const Cut& left = *(right - 1);
    return (pos - left.pos) * (right->neg - left.neg) >= (right->pos - left.pos) * (neg - left.neg);
  }

  // Takes the fresh cuts, sorted, into the chain; of equal points the one with the lower key stays.
  void merge() {
    if (fresh_.empty()) return;
    merged_.clear();
    const auto push = [this](const Cut& cut) {
      while (merged_.size() >= 2) {
        const Cut& a = merged_[merged_.size() - 2];
        const Cut& b = merged_.back();
        if (!on_or_under(a.neg, a.pos, b.neg, b.pos, cut.neg, cut.pos)) break;
        merged_.pop_back();
      }
      merged_.push_back(cut);
    };
    auto old = chain_.begin();
    for (const Cut& cut : fresh_) {
      const auto place = std::tuple(cut.neg, cut.pos);
      while (old != chain_.end() && std::tuple(old->neg, old->pos) < place) push(*old++);
      const bool equal = old != chain_.end() && std::tuple(old->neg, old->pos) == place;
      if (!equal)
        push(cut);
      else if (cut.key() < old->key())
        *old = cut;
    }
    while (old != chain_.end()) push(*old++);
    chain_.swap(merged_);
    fresh_.clear();
    find_peak();
  }

  double neg_ = 0.0;
  double pos_ = 0.0;
  double peak_neg_ = 0.0;
  double peak_pos_ = 0.0;
  std::vector<Cut> chain_;
  std::vector<Cut> fresh_;
  std::vector<Cut> merged_;
  std::vector<Point> above_;
  std::vector<Point> under_;
};

}  // namespace thresher
