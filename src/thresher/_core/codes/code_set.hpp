// Sets of codes, a bit each, that are read in rising order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/simd.hpp"
#include "codes/codes.hpp"

namespace thresher {

class CodeSet {
 public:
  // The codes whose cells are not empty.
  template <class Cell>
  THRESHER_KERNEL static CodeSet of_cells(const Cell* cells) {
    constexpr std::size_t together = sizeof(std::uint64_t);
    CodeSet codes;
    std::uint8_t any[kCells];
    for (std::size_t i = 0; i < kCells; ++i) any[i] = cells[i] != 0;
    for (std::size_t first = 0; first < kCells; first += together) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, any + first, together);
      const std::uint64_t bits = bytes * 0x0102040810204080ULL >> 56;  // one of each byte
      codes.words_[first / kBits] |= bits << first % kBits;
    }
    return codes;
  }

  void add(std::uint8_t code) { words_[code / kBits] |= std::uint64_t{1} << code % kBits; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < kWords; ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        visit(i * kBits + static_cast<std::size_t>(std::countr_zero(rest)));
  }

 private:
  static constexpr std::size_t kBits = 64, kWords = kCells / kBits;

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace thresher
