// Trees as prediction reads them: 16 bytes a node, breadth first, children as neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace thresher {

struct PackedNode {
  static constexpr std::uint32_t kMissingRight = 1U << 31;
  static constexpr std::uint32_t kCategory = 1U << 30;
  static constexpr std::uint32_t kFeature = kCategory - 1;

  double cut;             // a leaf's is infinite; a category split's is the row of its levels
  std::uint32_t left;     // the right child follows the left one; a leaf is its own left child
  std::uint32_t feature;  // and flags in the highest bits

  static PackedNode leaf(std::size_t place) {
    return {std::numeric_limits<double>::infinity(), static_cast<std::uint32_t>(place), 0};
  }
  bool category() const { return (feature & kCategory) != 0; }
  bool missing_left() const { return (feature & kMissingRight) == 0; }
  std::size_t column() const { return feature & kFeature; }
};
static_assert(sizeof(PackedNode) == 16);

// One tree; levels_left: kLevelBytes for each category split.
struct PackedTree {
  const PackedNode* nodes = nullptr;
  const std::uint8_t* levels_left = nullptr;
  std::size_t depth = 0;
};

}  // namespace thresher
