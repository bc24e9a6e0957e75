// Scorers of nodes, remembered: trees of a forest have many small nodes of the same few rows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "base/random.hpp"
#include "search/criterion.hpp"

namespace thresher {

class Scorers {
 public:
  explicit Scorers(const Criterion& criterion)
      : criterion_(criterion), known_(kPlaces, {Mix{}, Scorer(criterion, Mix{1, 1})}) {}

  Scorer of(Mix mix) {
    if (mix.pure()) return Scorer(criterion_, mix);  // costs nothing
    const std::uint64_t hash =
        scramble(static_cast<std::uint64_t>(mix.neg) << 32 ^ static_cast<std::uint64_t>(mix.pos));
    Known& known = known_[hash % kPlaces];
    if (known.mix != mix) known = {mix, Scorer(criterion_, mix)};
    return known.scorer;
  }

 private:
  static constexpr std::size_t kPlaces = 2048;
  struct Known {
    Mix mix;
    Scorer scorer;
  };

  Criterion criterion_;
  std::vector<Known> known_;
};

}  // namespace thresher
