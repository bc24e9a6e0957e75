// The first levels of a tree for a block of rows at once: each of their cuts is asked of all rows,
// column by column, which costs less than that every row finds its own way there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/simd.hpp"
#include "forest/packed.hpp"

namespace thresher {

#if defined(__GNUC__) || defined(__clang__)
// Values side by side, and the same number of places among the nodes, as wide as they are.
template <class T>
struct Abreast {
  using Place = std::conditional_t<sizeof(T) == sizeof(float), std::int32_t, std::int64_t>;
  using Values [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = T;
  using Places [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = Place;
};
#else
template <class T>
struct Abreast {
  using Place = std::int32_t;
  using Values = T;
  using Places = Place;
};
#endif

template <class T>
class TopLevels {
 public:
  static constexpr std::size_t kLevels = 3;
  static constexpr std::size_t kRows = 512;  // of a block; in its columns they are neighbours

  // node_at(place): a node with its cut, column() and left child; a leaf is its own left child and
  // has a cut that no value passes.
  template <class NodeAt>
  explicit TopLevels(NodeAt node_at) {
    std::array<std::uint32_t, 2 * kEntries> place{};
    for (std::size_t k = 1; k < kEntries; ++k) {
      const auto node = node_at(place[k]);
      const bool leaf = left_of(node) == place[k];
      cut_[k] = static_cast<T>(node.cut);
      begin_[k] = node.column() * kRows;
      place[2 * k] = left_of(node);
      place[2 * k + 1] = leaf ? place[k] : left_of(node) + 1;
    }
    for (std::size_t k = 0; k < kEntries; ++k) entry_[k] = static_cast<Place>(place[kEntries + k]);
  }

  // columns: the values of kRows rows, one column behind the other; at: where each row is then.
  void decide(const T* columns, std::uint32_t* at) const {
    wide_available() ? decide_wide(columns, at) : decide_body(columns, at);
  }

 private:
  using Place = typename Abreast<T>::Place;
  using Values = typename Abreast<T>::Values;
  using Places = typename Abreast<T>::Places;
  static constexpr std::size_t kEntries = std::size_t{1} << kLevels;
  static constexpr std::size_t kTogether = sizeof(Values) / sizeof(T);

  static std::uint32_t left_of(const ShortNode& node) { return node.left(); }
  static std::uint32_t left_of(const PackedNode& node) { return node.left; }

  THRESHER_KERNEL void decide_body(const T* columns, std::uint32_t* at) const {
    for (std::size_t row = 0; row < kRows; row += kTogether) {
      Place found[kTogether];
      go<1>(columns + row, *reinterpret_cast<Places*>(found));
      for (std::size_t i = 0; i < kTogether; ++i)
        at[row + i] = static_cast<std::uint32_t>(found[i]);
    }
  }
  THRESHER_WIDE void decide_wide(const T* columns, std::uint32_t* at) const {
    decide_body(columns, at);
  }

  // The children of the k-th cut are the cuts 2 k and 2 k + 1, or where rows enter what is below.
  template <std::size_t k>
  THRESHER_KERNEL void go(const T* rows, Places& result) const {
    if constexpr (k >= kEntries) {
      result = entry_[k - kEntries] - Places{};
    } else {
      Places left, right;
      go<2 * k>(rows, left);
      go<2 * k + 1>(rows, right);
      result =
          *reinterpret_cast<const Values*>(rows + begin_[k]) > cut_[k] - Values{} ? right : left;
    }
  }

  std::array<T, kEntries> cut_{};
  std::array<std::size_t, kEntries> begin_{};  // of the column in a block
  std::array<Place, kEntries> entry_{};
};

}  // namespace thresher
