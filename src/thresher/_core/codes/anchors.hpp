// Where the boundaries of codes lie in exact growth.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/distinct.hpp"
#include "codes/codes.hpp"

namespace thresher {

inline constexpr std::size_t kAnchorSample =
    512;  // rows of a class that are looked at for quantiles

// At most `count` of the items, evenly spaced.
template <class Item>
std::vector<Item> spaced(const std::vector<Item>& items, std::size_t count) {
  if (items.size() <= count) return items;
  std::vector<Item> taken(count);
  for (std::size_t i = 0; i < count; ++i) taken[i] = items[i * items.size() / count];
  return taken;
}

// `count` evenly spaced ranks of sorted values, the first and the last value among them.
template <class T>
void take_quantiles(const std::vector<T>& sorted, std::size_t count, std::vector<T>& taken) {
  if (sorted.empty()) return;
  for (std::size_t i = 0; i < count; ++i)
    taken.push_back(sorted[i * (sorted.size() - 1) / (count - 1)]);
}

// At most kMaxAnchors values, half of them from either sample: all values if they are few, else
// quantiles.
template <class T>
std::vector<T> quantile_anchors(std::vector<T> rare, std::vector<T> other) {
  std::sort(rare.begin(), rare.end());
  std::sort(other.begin(), other.end());
  std::vector<T> anchors;
  std::set_union(rare.begin(), rare.end(), other.begin(), other.end(), std::back_inserter(anchors));
  keep_distinct_sorted(anchors);
  if (anchors.size() <= kMaxAnchors) return anchors;
  anchors.clear();
  take_quantiles(rare, kMaxAnchors / 2, anchors);
  take_quantiles(other, kMaxAnchors - kMaxAnchors / 2, anchors);
  keep_distinct(anchors);
  return anchors;
}

// Anchors: all values of the rarer class if it has at most kMaxAnchors rows, else quantiles, half
// of them from the rarer class. The tree does not depend on the choice, only the time it takes.
template <class T>
std::vector<Boundaries<T>> choose_anchors(const Table<T>& table, const ClassRows& neg,
                                          const ClassRows& pos,
                                          std::span<const std::uint8_t> categorical);

}  // namespace thresher
