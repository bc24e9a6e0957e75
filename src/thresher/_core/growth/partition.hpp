// Dealing the rows of a node to its children, and finding the cut that separates them.
#pragma once

#include <algorithm>
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
      : sample_(sample), split_(split), feature_(static_cast<std::size_t>(split.feature)) {}

  // Reorders the rows of one class, those that go left first; returns where those that go right
  // begin. Blocks at both ends are looked at, and only rows on the wrong side change places.
  std::uint32_t deal(ClassRows& rows, Range range) {
    std::uint32_t begin = range.begin, end = range.end;
    Misplaced left, right;
    while (end - begin > 2 * kBlock) {
      if (left.empty()) left.find(decide(rows, begin, kBlock), kBlock, Split::kRight);
      if (right.empty()) right.find(decide(rows, end - kBlock, kBlock), kBlock, Split::kLeft);
      while (!left.empty() && !right.empty())
        rows.swap_rows(begin + left.pop(), end - kBlock + right.pop());
      if (left.empty()) begin += kBlock;
      if (right.empty()) end -= kBlock;
    }
    return deal_rest(rows, {begin, end});
  }

  // Whether the values of rows, and not their codes alone, have decided.
  bool looked() const { return looked_; }

  // Halfway between the neighbours on the two sides; the largest number where every present value
  // goes left.
  double cut() const {
    if (right_code_ == kMissing) return std::numeric_limits<double>::max();
    if (!(below_ < above_) || std::isinf(below_) || std::isinf(above_)) throw TableChanged{};
    const double middle = below_ / 2 + above_ / 2;
    return below_ <= middle && middle < above_ ? middle : below_;
  }

 private:
  static constexpr std::uint32_t kBlock = 128;

  // Positions in a block of the rows that are on the wrong side.
  struct Misplaced {
    std::uint8_t position[kBlock];
    std::uint32_t count = 0;
    std::uint32_t taken = 0;

    bool empty() const { return taken == count; }
    std::uint32_t pop() { return position[taken++]; }
    void find(const std::uint8_t* side, std::uint32_t n, std::uint8_t wrong) {
      count = taken = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        position[count] = static_cast<std::uint8_t>(i);
        count += side[i] == wrong;
      }
    }
  };

  // At most two blocks, in part looked at already: the same rows get the same side again.
  std::uint32_t deal_rest(ClassRows& rows, Range range) {
    std::uint32_t middle = range.begin;
    for (std::uint32_t first = range.begin; first < range.end; first += kBlock) {
      const std::uint32_t n = std::min(kBlock, range.end - first);
      const std::uint8_t* side = decide(rows, first, n);
      for (std::uint32_t i = 0; i < n; ++i)
        if (side[i] == Split::kLeft) rows.swap_rows(middle++, first + i);
    }
    return middle;
  }

  // The side of each row in a block; values are read only where the code does not decide, or next
  // to the cut.
  const std::uint8_t* decide(const ClassRows& rows, std::uint32_t first, std::uint32_t n) {
    const std::uint8_t* code = rows.at(first) + feature_;
    const std::size_t width = rows.width;
    std::uint8_t any = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      side_[i] = split_.side[code[i * width]];
      any |= side_[i];
    }
    if (!(any & (Split::kLook | Split::kBorder))) return side_;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (side_[i] & Split::kLook) {
        looked_ = true;
        const double value = sample_.value(rows.row[first + i], feature_);
        side_[i] = value <= split_.value ? Split::kLeft : Split::kRight;
        remember(side_[i] == Split::kLeft, code[i * width], value);
      } else if (side_[i] & Split::kBorder) {
        const int c = code[i * width];
        side_[i] &= Split::kRight;
        const bool left = side_[i] == Split::kLeft;
        if (left ? c >= left_code_ + left_known_ : c <= right_code_ - right_known_)
          remember(left, c, sample_.value(rows.row[first + i], feature_));
      }
    }
    return side_;
  }

  // Keeps the values closest to the cut. Codes rise with values; an odd code holds one value, read
  // once.
  void remember(bool left, int code, double value) {
    if (left) {
      below_ = code > left_code_ ? value : std::max(below_, value);
      left_code_ = std::max(left_code_, code);
      left_known_ = code % 2;
    } else {
      above_ = code < right_code_ ? value : std::min(above_, value);
      right_code_ = std::min(right_code_, code);
      right_known_ = code % 2;
    }
  }

  const Sample<T>& sample_;
  const Split& split_;
  std::size_t feature_;
  std::uint8_t side_[kBlock];
  bool looked_ = false;
  int left_code_ = -1;  // closest codes on the two sides so far
  int right_code_ = kMissing;
  int left_known_ = 0;  // 1: the code holds one value, which has been read
  int right_known_ = 0;
  double below_ = 0.0;
  double above_ = 0.0;
};

}  // namespace thresher
