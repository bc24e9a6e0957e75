// Counter-based random numbers: a draw depends on where it is made (seed, path of the node), never
// on when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
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

// Random numbers one after the other.
class Stream {
 public:
  explicit Stream(std::uint64_t state) : state_(state) {}

  // One of 0 .. n-1, n below 2^32; its probability is off by less than a share n / 2^32.
  std::size_t below(std::size_t n) {
    state_ = scramble(state_);
    return static_cast<std::size_t>((state_ >> 32) * n >> 32);
  }

 private:
  std::uint64_t state_;
};

// A number of [0, 1) for the item of the node at `path`; other draws of the node do not tell it.
inline double uniform(std::uint64_t seed, std::uint64_t path, std::uint64_t item) {
  const std::uint64_t draw = scramble(scramble(scramble(seed) ^ ~path) + item);
  return static_cast<double>(draw >> 11) * 0x1p-53;
}

// Puts the items in a random order.
template <class Item>
void shuffle(std::vector<Item>& items, Stream random) {
  for (std::size_t i = 0; i + 1 < items.size(); ++i)
    std::swap(items[i], items[i + random.below(items.size() - i)]);
}

// A random order of 0 .. n-1 for the node at `path`.
inline std::vector<std::int32_t> shuffled(std::size_t n, std::uint64_t seed, std::uint64_t path) {
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, Stream(scramble(seed) ^ path));
  return order;
}

}  // namespace thresher
