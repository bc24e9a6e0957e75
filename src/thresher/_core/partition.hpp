// Dealing the rows of a node to its children, and finding the cut that separates them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
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
    for (std::uint32_t first = range.begin; first < range.end; first += kBlock) {
      const std::uint32_t n = std::min(kBlock, range.end - first);
      decide(rows, first, n);
      middle = rows.width == kChunk ? move<kChunk>(rows, first, n, middle)
                                    : move<0>(rows, first, n, middle);
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
  static constexpr std::uint32_t kBlock = 256;

  // The side of each row in a block; values are read only where the code does not decide, or next to the cut.
  void decide(const ClassRows& rows, std::uint32_t first, std::uint32_t n) {
    const std::uint8_t* code = rows.at(first) + feature_;
    const std::size_t width = rows.width;
    std::uint8_t any = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      side_[i] = split_.side[code[i * width]];
      any |= side_[i];
    }
    if (!(any & (Split::kLook | Split::kBorder))) return;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (side_[i] & Split::kLook) {
        const double value = sample_.value(rows.row[first + i], rows.at(first + i), feature_);
        side_[i] = value <= split_.value ? Split::kLeft : Split::kRight;
        remember(side_[i] == Split::kLeft, code[i * width], value);
      } else if (side_[i] & Split::kBorder) {
        const int c = code[i * width];
        side_[i] &= Split::kRight;
        const bool left = side_[i] == Split::kLeft;
        if (left ? c >= left_code_ + left_known_ : c <= right_code_ - right_known_)
          remember(left, c, sample_.value(rows.row[first + i], rows.at(first + i), feature_));
      }
    }
  }

  // Rows on the right change places with their like, so that no branch depends on the data.
  template <std::size_t Width>
  std::uint32_t move(ClassRows& rows, std::uint32_t first, std::uint32_t n, std::uint32_t middle) {
    const std::size_t width = Width > 0 ? Width : rows.width;
    std::uint32_t* row = rows.row.data();
    std::uint8_t* codes = rows.codes.data();
    for (std::uint32_t i = 0; i < n; ++i) {
      std::swap(row[first + i], row[middle]);
      std::uint8_t* a = codes + (first + i) * width;
      std::uint8_t* b = codes + middle * width;
      for (std::size_t chunk = 0; chunk < width; chunk += kChunk) {
        std::uint8_t x[kChunk], y[kChunk];
        std::memcpy(x, a + chunk, kChunk);
        std::memcpy(y, b + chunk, kChunk);
        std::memcpy(a + chunk, y, kChunk);
        std::memcpy(b + chunk, x, kChunk);
      }
      middle += side_[i] == Split::kLeft;
    }
    return middle;
  }

  // Keeps the values closest to the cut. Codes rise with values; an odd code holds one value, read once.
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
  int left_code_ = -1;  // closest codes on the two sides so far
  int right_code_ = kMissing;
  int left_known_ = 0;  // 1: the code holds one value, which has been read
  int right_known_ = 0;
  double below_ = 0.0;
  double above_ = 0.0;
};

}  // namespace thresher
