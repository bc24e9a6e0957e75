// A set of levels of a category, or of any codes: one bit each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codes/codes.hpp"

namespace thresher {

inline constexpr std::size_t kLevelBytes = kCells / 8;

using LevelSet = std::array<std::uint8_t, kLevelBytes>;

inline void set_bit(LevelSet& bits, std::size_t level) {
  bits[level / 8] |= static_cast<std::uint8_t>(1U << (level % 8));
}

// bits: kLevelBytes of them.
inline bool has_bit(const std::uint8_t* bits, std::size_t level) {
  return (bits[level / 8] >> (level % 8)) & 1;
}

}  // namespace thresher
