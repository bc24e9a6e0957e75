// Which side of a split rows take, several rows at once.
#pragma once

#include <cstddef>

#include "base/vectors.hpp"
#include "explain/row_block.hpp"
#include "forest/additive.hpp"

namespace thresher {

inline constexpr std::size_t kVectors = kSide / kWidth;  // of kSide rows

// Whether each of kSide rows has a value of this column that takes the edge, and `before` holds.
THRESHER_KERNEL void take_edge(const AdditiveTrees& trees, const PackedNode& node, bool right,
                               const double* value, const Truths* before, Truths* takes) {
  const std::int64_t flip = right ? -1 : 0;
  if (node.category()) {
    auto* each = reinterpret_cast<std::int64_t*>(takes);
    for (std::size_t i = 0; i < kSide; ++i) each[i] = trees.goes_left(node, value[i]) ? -1 : 0;
    for (std::size_t k = 0; k < kVectors; ++k) takes[k] = before[k] & (takes[k] ^ flip);
    return;
  }
  const auto* values = reinterpret_cast<const Numbers*>(value);
  Numbers cut;
  set_all(cut, node.cut);
  // A missing value is neither above a cut nor at most it.
  for (std::size_t k = 0; k < kVectors; ++k) {
    Truths left;
    if (node.missing_left())
      not_above(values[k], cut, left);
    else
      at_most(values[k], cut, left);
    takes[k] = before[k] & (left ^ flip);
  }
}

}  // namespace thresher
