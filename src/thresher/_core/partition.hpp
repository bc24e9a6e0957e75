// Dealing the rows of a node to its children, and finding the cut that separates them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "split.hpp"

namespace thresher {

template <class T>
class Partition {
 public:
  Partition(const Sample<T>& sample, const Split& split)
      : sample_(sample), split_(split), feature_(static_cast<std::size_t>(split.feature)) {}

  // Reorders the rows of one class, those that go left first; returns where those that go right begin.
  std::uint32_t deal(ClassRows& rows, Range range) {
    std::uint32_t middle = range.begin;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const int code = rows.at(i)[feature_];
      const bool left = goes_left(rows, i, code);
      rows.swap_rows(middle, i);  // also where i stays on the right: it only changes places with its like
      middle += left;
    }
    return middle;
  }

  // Halfway between the neighbours on the two sides; the largest number where every present value goes left.
  double cut() const {
    if (right_code_ == kMissing) return std::numeric_limits<double>::max();
    if (!sample_.exact())
      return static_cast<double>(sample_.coding.boundaries[feature_][static_cast<std::size_t>(below_)]);
    const double middle = below_ / 2 + above_ / 2;
    return below_ <= middle && middle < above_ ? middle : below_;
  }

 private:
  bool goes_left(const ClassRows& rows, std::uint32_t i, int code) {
    const Side side = split_.side[static_cast<std::size_t>(code)];
    if (side == Side::look) [[unlikely]] {
      const double value = sample_.value(rows.row[i], rows.at(i), feature_);
      const bool left = value <= split_.value;
      remember(left, code, value);
      return left;
    }
    const bool left = side == Side::left;
    // Only rows at least as close to the cut as all before them need their value read; one is enough where a code
    // holds one value (odd codes).
    if (left ? code >= left_code_ + left_known_ : code <= right_code_ - right_known_) [[unlikely]]
      if (code != kMissing) remember(left, code, sample_.value(rows.row[i], rows.at(i), feature_));
    return left;
  }

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
  int left_code_ = -1;          // nearest codes on the two sides so far
  int right_code_ = kMissing;
  int left_known_ = 0;  // 1: the code holds one value, which has been read
  int right_known_ = 0;
  double below_ = 0.0;
  double above_ = 0.0;
};

}  // namespace thresher
