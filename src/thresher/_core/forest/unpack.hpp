// A packed tree in full: preorder, with what follows from the counts.
#pragma once

#include <cstdint>

#include "forest/packed.hpp"
#include "growth/tree.hpp"
#include "search/criterion.hpp"

namespace thresher {

// As grow would have returned it. weight: null where the rows are all there is.
GrownTree unpack(const PackedTree& tree, const std::uint32_t* rows, const double* weight,
                 const std::uint8_t* levels_seen, const Criterion& criterion);

}  // namespace thresher
