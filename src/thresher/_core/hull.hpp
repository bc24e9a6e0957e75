// The cuts that can win. A cut is a point (neg, pos): the weight of either class in its left child. A concave
// score has its minimum over all reachable points at a corner of their convex hull, so the hull is kept and the
// score, which may cost logarithms, is evaluated at its few corners alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "arrays.hpp"

namespace thresher {

// A cut, or (feature < 0) one of the two ends of the hull, where one child would be empty.
struct Point {
  double neg = 0.0;
  double pos = 0.0;
  double score = std::numeric_limits<double>::quiet_NaN();  // until it is evaluated
  double value = 0.0;        // codes in [open_first, open_last] go left if their true value is <= this
  std::int64_t order = 0;    // weight of the present rows on the left: orders the cuts of a feature
  std::int32_t feature = -1;
  std::int16_t open_first = 0;  // codes below go left
  std::int16_t open_last = -1;  // codes above go right
  bool missing_left = false;
  bool mirrored = false;  // neg and pos are those of the right child

  auto key() const { return std::tuple(feature, order, missing_left); }
  // Smaller score, then feature, cut and side: a total order that no order of search can change.
  bool better_than(const Point& other) const {
    return std::tuple(score, key()) < std::tuple(other.score, other.key());
  }
};

// Whether b lies on or under the line from a to c, for a.neg <= b.neg <= c.neg.
inline bool on_or_under(double a_neg, double a_pos, double b_neg, double b_pos, double c_neg,
                        double c_pos) {
  return (b_pos - a_pos) * (c_neg - a_neg) <= (c_pos - a_pos) * (b_neg - a_neg);
}

class Hull {
 public:
  // Score is symmetric in the two children, so a point under the diagonal is replaced by its mirror image above
  // it and the upper chain from (0, 0) to the whole node is all there is.
  void reset(Mix node) {
    neg_ = static_cast<double>(node.neg);
    pos_ = static_cast<double>(node.pos);
    chain_.assign(1, Point{});
    Point end;
    end.neg = neg_;
    end.pos = pos_;
    chain_.push_back(end);
    begin_sequence();
  }

  // Points of one feature arrive in rising order of neg and pos, closed by end_sequence().
  void begin_sequence() {
    above_.clear();
    under_.clear();
  }
  void add(const Point& point) {
    const double height = point.pos * neg_ - point.neg * pos_;
    if (height >= 0.0)
      push_upper(above_, point);
    else
      push_lower(under_, point);
  }
  void end_sequence() {
    merge(above_);
    for (Point& point : under_) mirror(point);
    std::reverse(under_.begin(), under_.end());
    merge(under_);
    begin_sequence();
  }

  // Whether a cut with these counts could be a corner.
  bool reaches(double neg, double pos) const {
    if (pos * neg_ < neg * pos_) {
      neg = neg_ - neg;
      pos = pos_ - pos;
    }
    auto right = std::upper_bound(chain_.begin(), chain_.end(), neg,
                                  [](double x, const Point& corner) { return x < corner.neg; });
    if (right == chain_.end()) --right;
    const Point& left = *(right - 1);
    return (pos - left.pos) * (right->neg - left.neg) >= (right->pos - left.pos) * (neg - left.neg);
  }

  std::vector<Point>& corners() { return chain_; }

 private:
  void mirror(Point& point) const {
    point.neg = neg_ - point.neg;
    point.pos = pos_ - point.pos;
    point.mirrored = true;
  }

  static void push_upper(std::vector<Point>& chain, const Point& point) {
    while (chain.size() >= 2) {
      const Point& a = chain[chain.size() - 2];
      const Point& b = chain.back();
      if (!on_or_under(a.neg, a.pos, b.neg, b.pos, point.neg, point.pos)) break;
      chain.pop_back();
    }
    chain.push_back(point);
  }
  // The same with the axes exchanged.
  static void push_lower(std::vector<Point>& chain, const Point& point) {
    while (chain.size() >= 2) {
      const Point& a = chain[chain.size() - 2];
      const Point& b = chain.back();
      if (!on_or_under(a.pos, a.neg, b.pos, b.neg, point.pos, point.neg)) break;
      chain.pop_back();
    }
    chain.push_back(point);
  }

  // Takes sorted points into the chain; of equal points the one with the lower key stays.
  void merge(const std::vector<Point>& points) {
    if (points.empty()) return;
    merged_.clear();
    auto old = chain_.begin();
    for (const Point& point : points) {
      const auto place = std::tuple(point.neg, point.pos);
      while (old != chain_.end() && std::tuple(old->neg, old->pos) < place) push_upper(merged_, *old++);
      const bool equal = old != chain_.end() && std::tuple(old->neg, old->pos) == place;
      if (!equal)
        push_upper(merged_, point);
      else if (point.key() < old->key())
        *old = point;
    }
    while (old != chain_.end()) push_upper(merged_, *old++);
    chain_.swap(merged_);
  }

  double neg_ = 0.0;
  double pos_ = 0.0;
  std::vector<Point> chain_;
  std::vector<Point> merged_;
  std::vector<Point> above_;
  std::vector<Point> under_;
};

}  // namespace thresher
