// Dealing the rows of a node to its children, and finding the cut that separates them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "codes/sample.hpp"
#include "search/cuts.hpp"

namespace thresher {

template <class T>
class Partition {
 public:
  Partition(const Sample<T>& sample, const Split& split)
      : sample_(sample),
        split_(split),
        feature_(static_cast<std::size_t>(split.feature)),
        side_of_(split.sides()),
        codes_decide_(std::ranges::find(side_of_, Split::kLook) == side_of_.end()) {}

  // Reorders the rows of one class, those that go left first; returns where those that go right
  // begin. Blocks at both ends are looked at, and only rows on the wrong side change places.
  std::uint32_t deal(ClassRows& rows, Range range) {
    std::uint32_t begin = range.begin, end = range.end;
    Misplaced left, right;
    while (end - begin > 2 * kBlock) {
      if (left.empty()) find(left, rows, begin, Split::kRight);
      if (right.empty()) find(right, rows, end - kBlock, Split::kLeft);
      exchange(rows, begin, left, end - kBlock, right);
      if (left.empty()) begin += kBlock;
      if (right.empty()) end -= kBlock;
    }
    return deal_rest(rows, {begin, end});
  }

  // Whether the values of rows, and not their codes alone, have decided.
  bool looked() const { return looked_; }

  // Halfway between the neighbours on the two sides; the largest number where every present value
  // goes left.
  double cut(const NodeRows& left, const NodeRows& right) {
    if (std::isinf(below_)) find_below(left);
    if (std::isinf(above_)) find_above(right);
    if (std::isinf(above_)) return std::numeric_limits<double>::max();
    if (!(below_ < above_) || std::isinf(below_)) throw TableChanged{};
    const double middle = below_ / 2 + above_ / 2;
    return below_ <= middle && middle < above_ ? middle : below_;
  }

 private:
  static constexpr std::uint32_t kBlock = 128;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // Positions of rows that are on the wrong side, among those decided last.
  struct Misplaced {
    std::uint8_t position[2 * kBlock];
    std::uint32_t count = 0;
    std::uint32_t taken = 0;

    bool empty() const { return taken == count; }
    void find(const std::uint8_t* side, std::uint32_t first, std::uint32_t last,
              std::uint8_t wrong) {
      count = taken = 0;
      for (std::uint32_t i = first; i < last; ++i) {
        position[count] = static_cast<std::uint8_t>(i);
        count += side[i] == wrong;
      }
    }
  };

  // Those of a block.
  void find(Misplaced& misplaced, const ClassRows& rows, std::uint32_t first, std::uint8_t wrong) {
    if (!codes_decide_) return misplaced.find(decide(rows, first, kBlock), 0, kBlock, wrong);
    const std::uint8_t* code = rows.at(first) + feature_;
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < kBlock; ++i, code += rows.width) {
      misplaced.position[count] = static_cast<std::uint8_t>(i);
      count += side_of_[*code] == wrong;
    }
    misplaced.count = count;
    misplaced.taken = 0;
  }

  // Rows of the two lists change places until one is empty.
  static void exchange(ClassRows& rows, std::uint32_t left_begin, Misplaced& left,
                       std::uint32_t right_begin, Misplaced& right) {
    const std::uint32_t n = std::min(left.count - left.taken, right.count - right.taken);
    for (std::uint32_t i = 0; i < n; ++i)
      rows.swap_rows(left_begin + left.position[left.taken + i],
                     right_begin + right.position[right.taken + i]);
    left.taken += n;
    right.taken += n;
  }

  // At most two blocks, in part looked at already: the same rows get the same side again.
  std::uint32_t deal_rest(ClassRows& rows, Range range) {
    const std::uint32_t n = range.size();
    const std::uint8_t* side = decide(rows, range.begin, n);
    const auto n_left = static_cast<std::uint32_t>(std::count(side, side + n, Split::kLeft));
    Misplaced left, right;
    left.find(side, 0, n_left, Split::kRight);
    right.find(side, n_left, n, Split::kLeft);
    exchange(rows, range.begin, left, range.begin, right);
    return range.begin + n_left;
  }

  // The side of each of n rows; values are read only where the code does not decide.
  const std::uint8_t* decide(const ClassRows& rows, std::uint32_t first, std::uint32_t n) {
    const std::uint8_t* code = rows.at(first) + feature_;
    const std::size_t width = rows.width;
    std::uint8_t any = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      side_[i] = side_of_[code[i * width]];
      any |= side_[i];
    }
    if (any & Split::kLook) look(rows, first, n);
    return side_;
  }

  // Values between the codes that decide are closer to the cut than all others.
  void look(const ClassRows& rows, std::uint32_t first, std::uint32_t n) {
    looked_ = true;
    Misplaced undecided;
    undecided.find(side_, 0, n, Split::kLook);
    for (std::uint32_t k = 0; k < undecided.count; ++k) {
      const std::uint32_t i = undecided.position[k];
      const double value = sample_.value(rows.row[first + i], feature_);
      const bool left = value <= split_.value;
      side_[i] = left ? Split::kLeft : Split::kRight;
      if (left)
        below_ = std::max(below_, value);
      else
        above_ = std::min(above_, value);
    }
  }

  // The largest value on the left: codes rise with values, and an odd code holds one value.
  void find_below(const NodeRows& node) {
    int closest = 0, known = 0;
    for (const ClassPart& part : {rare_part(sample_, node), other_part(sample_, node)}) {
      for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
        const int code = part.rows.at(i)[feature_];
        if (code < closest + known || code == kMissing) continue;
        const double value = sample_.value(part.rows.row[i], feature_);
        below_ = code > closest ? value : std::max(below_, value);
        closest = code;
        known = code % 2;
      }
    }
  }
  // The smallest value on the right.
  void find_above(const NodeRows& node) {
    int closest = kMissing - 1, known = 0;
    for (const ClassPart& part : {rare_part(sample_, node), other_part(sample_, node)}) {
      for (std::uint32_t i = part.range.begin; i < part.range.end; ++i) {
        const int code = part.rows.at(i)[feature_];
        if (code > closest - known) continue;
        const double value = sample_.value(part.rows.row[i], feature_);
        above_ = code < closest ? value : std::min(above_, value);
        closest = code;
        known = code % 2;
      }
    }
  }

  const Sample<T>& sample_;
  const Split& split_;
  std::size_t feature_;
  std::array<std::uint8_t, kCells> side_of_;  // by code
  bool codes_decide_;                         // no value is looked at
  std::uint8_t side_[2 * kBlock];             // of the rows decided last
  bool looked_ = false;
  double below_ = -kInfinity;  // the values next to the cut so far
  double above_ = kInfinity;
};

}  // namespace thresher
