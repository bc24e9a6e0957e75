// Weights as integers: sums do not depend on their order. The unit is a power of two, so weights
// that are few binary digits long (whole numbers, halves) are kept exactly.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace thresher {

class FixedPoint {
 public:
  FixedPoint() = default;  // the unit is 1
  // The finest unit for which the sum of all weights stays below 2^52, exact as a double.
  explicit FixedPoint(std::span<const double> weights)
      : FixedPoint(*std::ranges::max_element(weights), weights.size()) {}
  FixedPoint(double largest, std::size_t n)  // largest < 2^(exponent + 1)
      : digits_(52 - (exponent_of(largest) + 1) - static_cast<int>(std::bit_width(n))) {}

  static FixedPoint of_digits(int digits) {
    FixedPoint result;
    result.digits_ = digits;
    return result;
  }
  int digits() const { return digits_; }

  // A unit in which weights that were sums of fixed point numbers up to `whole` are integers again.
  static FixedPoint of_sums(double whole) { return of_digits(51 - exponent_of(whole)); }

  // Weights in this unit. None is so large that their sum could pass 2^53, which only weights
  // that changed since the unit was chosen could.
  std::vector<std::int64_t> integers(std::span<const double> weights) const {
    const std::int64_t most = std::int64_t{1} << (53 - std::bit_width(weights.size()));
    std::vector<std::int64_t> result(weights.size());
    std::ranges::transform(weights, result.begin(), [&](double weight) {
      return weight > 0.0 ? std::clamp<std::int64_t>(integer(weight), 1, most) : 0;
    });
    return result;
  }

  // The smallest integer that stands for at least `weight`; an empty child is never allowed.
  std::int64_t at_least(double weight) const {
    const double scaled = std::ceil(std::ldexp(weight, digits_));
    return static_cast<std::int64_t>(std::clamp(scaled, 1.0, 0x1p60));
  }
  std::int64_t integer(double weight) const { return std::llround(std::ldexp(weight, digits_)); }
  double real(std::int64_t integer) const {
    return std::ldexp(static_cast<double>(integer), -digits_);
  }

 private:
  // Of the leading binary digit; 0 for what has none: zero, infinity, NaN.
  static int exponent_of(double value) {
    return value > 0.0 && std::isfinite(value) ? std::ilogb(value) : 0;
  }

  int digits_ = 0;  // binary digits behind the point
};

}  // namespace thresher
