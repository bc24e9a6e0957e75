// Wider instructions where the processor has them. A kernel is written once as an inline body and
// compiled twice; the results are the same: integer counts, comparisons, and sums of doubles in one
// order, which are never contracted.
#pragma once

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define THRESHER_HAS_WIDE 1
#define THRESHER_WIDE __attribute__((target("avx2,bmi2")))
#define THRESHER_KERNEL [[gnu::always_inline]] inline
#else
#define THRESHER_HAS_WIDE 0
#define THRESHER_WIDE
#define THRESHER_KERNEL inline
#endif

namespace thresher {

inline bool wide_available() {
#if THRESHER_HAS_WIDE
  static const bool available =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
  return available;
#else
  return false;
#endif
}

// Asks for a cache line that will be read soon.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

}  // namespace thresher
