// Values without repeats.
#pragma once

#include <algorithm>
#include <vector>

namespace thresher {

template <class T>
void keep_distinct_sorted(std::vector<T>& values) {
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Sorts and removes repeated values.
template <class T>
void keep_distinct(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  keep_distinct_sorted(values);
}

}  // namespace thresher
