#include "search/step.hpp"

#include <algorithm>

namespace thresher {

void sort_by_positive_rate(std::vector<Step>& steps) {
  std::ranges::stable_sort(steps, {}, [](const Step& step) {
    return static_cast<double>(step.mix.pos) / static_cast<double>(step.mix.total());
  });
}

}  // namespace thresher
