// Trees as prediction reads them: 16 bytes a node, breadth first, children as neighbours.
#pragma once

#include <cmath>
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

// A node in half the room, for rows of floats or bins without missing values, and trees without
// categories, of few nodes and features: twice as many stay in cache.
struct ShortNode {
  static constexpr std::uint32_t kFeatures = 1U << 8;
  static constexpr std::uint32_t kNodes = 1U << 24;

  float cut;           // the largest float up to the node's: floats pass it or not alike
  std::uint32_t next;  // left child, then 8 bits for the feature

  static bool fits(const PackedNode& node) {
    return node.left < kNodes && node.column() < kFeatures && !node.category();
  }
  explicit ShortNode(const PackedNode& node)
      : cut(largest_up_to(node.cut)),
        next(node.left * kFeatures + static_cast<std::uint32_t>(node.column())) {}

  std::uint32_t left() const { return next / kFeatures; }
  std::size_t column() const { return next % kFeatures; }

 private:
  static float largest_up_to(double value) {
    constexpr float largest = std::numeric_limits<float>::max(), infinity = HUGE_VALF;
    if (value < -largest) return -infinity;
    if (value > largest) return std::isinf(value) ? infinity : largest;
    const auto nearest = static_cast<float>(value);
    return nearest > value ? std::nextafter(nearest, -infinity) : nearest;
  }
};
static_assert(sizeof(ShortNode) == 8);

// A node for rows of bins, missing values among them, without categories.
struct BinNode {
  static constexpr std::size_t kFeatures = std::size_t{1} << 16;

  std::uint32_t left;
  std::uint16_t column;
  std::uint8_t last;   // the code, shifted, up to which rows go left; a leaf's is the largest
  std::uint8_t shift;  // 1 where missing values go left: their code, the largest, becomes 0

  // code: of the last bin on the left.
  static BinNode split(const PackedNode& node, std::uint8_t code) {
    const auto shift = static_cast<std::uint8_t>(node.missing_left());
    return {node.left, static_cast<std::uint16_t>(node.column()),
            static_cast<std::uint8_t>(code + shift), shift};
  }
  static BinNode leaf(const PackedNode& node) { return {node.left, 0, 0xFF, 0}; }

  std::uint32_t next(const std::uint8_t* row) const {
    return left + (static_cast<std::uint8_t>(row[column] + shift) > last);
  }
};
static_assert(sizeof(BinNode) == 8);

// One tree; levels_left: kLevelBytes for each category split.
struct PackedTree {
  const PackedNode* nodes = nullptr;
  const std::uint8_t* levels_left = nullptr;
  const ShortNode* short_nodes = nullptr;  // where every node fits into one
  std::size_t depth = 0;
};

}  // namespace thresher
