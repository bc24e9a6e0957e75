// A step of the path that the cuts of a feature take through the counts of a node.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"

namespace thresher {

// Rows of neighbouring codes, of one value, or of one level of a category; cuts lie between steps.
struct Step {
  Mix mix;
  std::int16_t first = 0;  // codes
  std::int16_t last = 0;
  bool open = false;   // may hold several values, hence cuts inside
  double value = 0.0;  // where it is one value that is known
};

// Levels of a category by rising positive rate.
void sort_by_positive_rate(std::vector<Step>& steps);

}  // namespace thresher
