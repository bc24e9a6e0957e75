// A few numbers side by side: one instruction works on all of them, as wide as the processor is.
// The same additions and multiplications, in the same order, for each of them: the results do not
// depend on the width.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd.hpp"

namespace thresher {

// Truths: all bits of a number set where it holds, none where it does not. Both may stand wherever
// a double may, and are handed over by reference: by value is not the same for all processors.
#if defined(__GNUC__) || defined(__clang__)
using Numbers [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Truths [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = std::int64_t;

THRESHER_KERNEL void at_most(const Numbers& a, const Numbers& b, Truths& result) {
  result = a <= b;
}
THRESHER_KERNEL void not_above(const Numbers& a, const Numbers& b, Truths& result) {
  result = ~(a > b);
}
#else
using Numbers = double;
using Truths = std::int64_t;

inline void at_most(Numbers a, Numbers b, Truths& result) { result = a <= b ? -1 : 0; }
inline void not_above(Numbers a, Numbers b, Truths& result) { result = a > b ? 0 : -1; }
#endif

inline constexpr std::size_t kWidth = sizeof(Numbers) / sizeof(double);

THRESHER_KERNEL void set_all(Numbers& numbers, double value) { numbers = value - Numbers{}; }

// a where it holds, else b.
THRESHER_KERNEL void choose(const Truths& holds, const Numbers& a, const Numbers& b,
                            Numbers& result) {
  result = holds ? a : b;
}

}  // namespace thresher
