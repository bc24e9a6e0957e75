// log, log1p, exp and expm1 from additions, multiplications and divisions alone: the same bits on
// every platform, which libm does not promise. Errors stay below a few units in the last place.
#pragma once

#include <bit>
#include <cstdint>

namespace thresher::elementary {

inline constexpr double kLn2 = 0.693147180559945309417232121458;
inline constexpr double kLn2High = 0x1.62e42fefa0000p-1;  // trailing zeros: n * kLn2High is exact
inline constexpr double kLn2Low = 0x1.cf79abc9e3b39p-40;
inline constexpr double kSqrt2 = 1.41421356237309504880168872421;

// 2 artanh(s) = log((1 + s) / (1 - s)) for |s| <= 0.1716, by its Taylor series.
inline double twice_artanh(double s) {
  const double z = s * s;
  double sum = 1.0 / 21;
  sum = sum * z + 1.0 / 19;
  sum = sum * z + 1.0 / 17;
  sum = sum * z + 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  return 2.0 * (s + s * z * sum);
}

// Natural logarithm of a positive normal number.
inline double log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1023);
  auto mantissa =
      std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);  // in [1, 2)
  if (mantissa > kSqrt2) {
    mantissa *= 0.5;
    exponent += 1.0;
  }
  const double fraction = twice_artanh((mantissa - 1.0) / (mantissa + 1.0));
  return exponent * kLn2High + (exponent * kLn2Low + fraction);
}

// log(1 + x) without the rounding of 1 + x, x > -1.
inline double log1p(double x) {
  const bool near_one = x > -0.29 && x < 0.41;
  return near_one ? twice_artanh(x / (2.0 + x)) : log(1.0 + x);
}

// exp(x) - 1 for |x| <= ln(2) / 2, by its Taylor series.
inline double expm1_small(double x) {
  double sum = 1.0 / 87178291200;  // 1 / 14!
  sum = sum * x + 1.0 / 6227020800;
  sum = sum * x + 1.0 / 479001600;
  sum = sum * x + 1.0 / 39916800;
  sum = sum * x + 1.0 / 3628800;
  sum = sum * x + 1.0 / 362880;
  sum = sum * x + 1.0 / 40320;
  sum = sum * x + 1.0 / 5040;
  sum = sum * x + 1.0 / 720;
  sum = sum * x + 1.0 / 120;
  sum = sum * x + 1.0 / 24;
  sum = sum * x + 1.0 / 6;
  sum = sum * x + 1.0 / 2;
  return x + x * x * sum;
}

// exp(x) for x <= 700; what is below the smallest normal number is zero.
inline double exp(double x) {
  if (x < -708.0) return 0.0;
  const double shifted = x / kLn2 + 0x1.8p52;  // rounds to the nearest integer n
  const double n = shifted - 0x1.8p52;
  const double rest = (x - n * kLn2High) - n * kLn2Low;
  const auto power = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52;
  return std::bit_cast<double>(power) * (1.0 + expm1_small(rest));
}

// exp(x) - 1, accurate near zero.
inline double expm1(double x) { return x > -0.34 && x < 0.34 ? expm1_small(x) : exp(x) - 1.0; }

}  // namespace thresher::elementary
