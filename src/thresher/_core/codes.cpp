#include "codes.hpp"

namespace thresher {
namespace {

constexpr std::size_t kLanes = 8;  // rows searched at once, to hide the latency of each step

// #{boundary < value} for kLanes values: a halving search in which every lane takes the same steps.
template <class T>
void count_below(const Boundaries<T>& boundaries, const T* values, std::uint32_t* below) {
  const T* sorted = boundaries.data();
  for (std::size_t lane = 0; lane < kLanes; ++lane) below[lane] = 0;
  for (int bit = boundaries.bits() - 1; bit >= 0; --bit) {
    const T* middle = sorted + (std::size_t{1} << bit) - 1;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      below[lane] += static_cast<std::uint32_t>(middle[below[lane]] < values[lane]) << bit;
  }
}

template <class T>
void numeric_codes(const Boundaries<T>& boundaries, bool anchored, const T* values,
                   std::uint8_t* codes) {
  std::uint32_t below[kLanes];
  count_below(boundaries, values, below);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t code =
        anchored ? 2 * below[lane] + (boundaries[below[lane]] == values[lane]) : below[lane];
    codes[lane] = static_cast<std::uint8_t>(std::isnan(values[lane]) ? kMissing : code);
  }
}

template <class T>
void category_codes(const T* values, std::uint8_t* codes) {
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    codes[lane] = static_cast<std::uint8_t>(std::isnan(values[lane]) ? kMissing : values[lane]);
}

}  // namespace

template <class T>
void Coding<T>::encode(ClassRows& rows, Range range, const Table<T>& table) const {
  T values[kLanes];
  std::uint8_t codes[kLanes];
  for (std::size_t first = range.begin; first < range.end; first += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, range.end - first);
    for (std::size_t feature = 0; feature < table.n_features; ++feature) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        values[lane] = table(rows.row[first + std::min(lane, count - 1)], feature);
      if (categorical[feature])
        category_codes(values, codes);
      else
        numeric_codes(boundaries[feature], anchored, values, codes);
      for (std::size_t lane = 0; lane < count; ++lane) rows.at(first + lane)[feature] = codes[lane];
    }
  }
}

template struct Coding<float>;
template struct Coding<double>;

}  // namespace thresher
