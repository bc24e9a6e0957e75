#include "codes.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = 64;  // rows coded at once, a feature at a time

template <class T>
struct Block {
  T values[kBlock];
  std::int32_t below[kBlock];
  std::uint8_t codes[kBlock];
  std::size_t n;

  void code_numeric(const Boundaries<T>& boundaries, bool anchored) {
    boundaries.count_below(values, n, below);
    for (std::size_t i = 0; i < n; ++i) {
      const bool equal = boundaries[static_cast<std::size_t>(below[i])] == values[i];
      const std::int32_t code = anchored ? 2 * below[i] + equal : below[i];
      codes[i] = static_cast<std::uint8_t>(code | -(values[i] != values[i]));  // missing: all bits set
    }
  }
  void code_category() {
    for (std::size_t i = 0; i < n; ++i)
      codes[i] = static_cast<std::uint8_t>(values[i] == values[i] ? values[i] : T{kMissing});
  }
};

}  // namespace

template <class T>
void Coding<T>::encode(ClassRows& rows, Range range, const Table<T>& table) const {
  Block<T> block;
  for (std::size_t first = range.begin; first < range.end; first += kBlock) {
    block.n = std::min<std::size_t>(kBlock, range.end - first);
    const std::uint32_t* row = rows.row.data() + first;
    for (std::size_t feature = 0; feature < table.n_features; ++feature) {
      for (std::size_t i = 0; i < block.n; ++i) block.values[i] = table(row[i], feature);
      if (categorical[feature])
        block.code_category();
      else
        block.code_numeric(boundaries[feature], anchored);
      std::uint8_t* target = rows.at(first) + feature;
      for (std::size_t i = 0; i < block.n; ++i) target[i * rows.width] = block.codes[i];
    }
  }
}

template struct Coding<float>;
template struct Coding<double>;

}  // namespace thresher
