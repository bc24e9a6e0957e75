// Counter-based random numbers: a draw depends on where it is made (seed, path of the node), never
// on when.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace thresher {

// The finaliser of SplitMix64: a bijection of 64 bits that looks random.
inline std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The path of a child from its parent's; the root's is 1.
inline std::uint64_t child_path(std::uint64_t parent, bool right) {
  return scramble(parent * 2 + (right ? 1 : 0));
}

// A random order of 0 .. n-1 for the node at `path`.
inline std::vector<std::int32_t> shuffled(std::size_t n, std::uint64_t seed, std::uint64_t path) {
  std::vector<std::int32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::int32_t>(i);
  std::uint64_t state = scramble(seed) ^ path;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    state = scramble(state);
    // The bias of the remainder is below n / 2^64.
    std::swap(order[i], order[i + state % (n - i)]);
  }
  return order;
}

}  // namespace thresher
