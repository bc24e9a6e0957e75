#include "codes/codes.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlock = 128;     // rows coded at once, a feature at a time
constexpr std::size_t kFewAnchors = 6;  // so few are quicker compared one by one

template <class T>
struct Block {
  T values[kBlock];
  std::int32_t number[kBlock];
  std::uint8_t codes[kBlock];
  std::size_t n;

  THRESHER_KERNEL void read(const Table<T>& table, const std::uint32_t* row, std::size_t first,
                            std::size_t feature) {
    const T* column = table.address(row ? 0 : first, feature);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = column[static_cast<std::ptrdiff_t>(row ? row[i] : i) * table.row_stride];
  }
  THRESHER_KERNEL void code_numeric(const Boundaries<T>& boundaries, bool anchored) {
    if (anchored && boundaries.count() <= kFewAnchors) {
      boundaries.count_all(values, n, number);
    } else {
      boundaries.count_below(values, n, number);
      if (anchored)
        for (std::size_t i = 0; i < n; ++i)
          number[i] =
              2 * number[i] + (boundaries[static_cast<std::size_t>(number[i])] == values[i]);
    }
    for (std::size_t i = 0; i < n; ++i)
      codes[i] = static_cast<std::uint8_t>(number[i] |
                                           -(values[i] != values[i]));  // missing: all bits set
  }
  THRESHER_KERNEL void code_category() {
    for (std::size_t i = 0; i < n; ++i)
      codes[i] = static_cast<std::uint8_t>(is_level(values[i]) ? values[i] : T{kMissing});
  }
};

template <class T>
THRESHER_KERNEL void encode_rows(const Coding<T>& coding, const Table<T>& table,
                                 const std::uint32_t* row, std::size_t first, std::size_t n,
                                 std::uint8_t* codes, std::size_t width) {
  Block<T> block;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    block.n = std::min<std::size_t>(kBlock, n - begin);
    for (std::size_t feature = 0; feature < table.n_features; ++feature) {
      block.read(table, row ? row + begin : nullptr, first + begin, feature);
      if (coding.categorical[feature])
        block.code_category();
      else
        block.code_numeric(coding.boundaries[feature], coding.anchored());
      std::uint8_t* target = codes + begin * width + feature;
      for (std::size_t i = 0; i < block.n; ++i) target[i * width] = block.codes[i];
    }
  }
}

template <class T>
THRESHER_WIDE void encode_rows_wide(const Coding<T>& coding, const Table<T>& table,
                                    const std::uint32_t* row, std::size_t first, std::size_t n,
                                    std::uint8_t* codes, std::size_t width) {
  encode_rows(coding, table, row, first, n, codes, width);
}

}  // namespace

template <class T>
void Coding<T>::encode(const Table<T>& table, const std::uint32_t* row, std::size_t first,
                       std::size_t n, std::uint8_t* codes, std::size_t width) const {
  if (wide_available())
    encode_rows_wide(*this, table, row, first, n, codes, width);
  else
    encode_rows(*this, table, row, first, n, codes, width);
}

template struct Coding<float>;
template struct Coding<double>;

}  // namespace thresher
