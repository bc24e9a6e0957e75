// The rows of one step by their true values, dealt to buckets: the way to look inside a step
// without sorting it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"

namespace thresher {

// A row of an opened step.
struct Entry {
  double value;
  std::uint32_t row;
  std::uint8_t times;  // how often it was drawn
  bool positive;
};

// Anchors split the values as in codes.hpp: odd buckets hold one value, even ones an open interval.
// Where the rarer class has at most kMaxAnchors rows, all its values are anchors and no open bucket
// mixes the classes.
class Buckets {
 public:
  // Taken from a few entries at even distances, or from all of them at even ranks.
  enum class Anchors { sampled, quantiles };

  Buckets(std::span<const Entry> entries, const std::int64_t* weight, Anchors anchors);

  std::size_t size() const { return mixes_.size(); }
  Mix mix(std::size_t bucket) const { return mixes_[bucket]; }
  static bool open(std::size_t bucket) { return bucket % 2 == 0; }
  // Separates the values of a bucket and those before it from those behind.
  double last_value(std::size_t bucket) const;

  // The entries in the order of their buckets; `entries(bucket)` is then a part of them.
  void sort();
  std::span<const Entry> entries(std::size_t bucket) const {
    return std::span(sorted_).subspan(begin_[bucket], begin_[bucket + 1] - begin_[bucket]);
  }

 private:
  void choose_anchors(Anchors anchors);
  void count(const std::int64_t* weight);

  std::span<const Entry> all_;
  std::vector<double> anchors_;
  std::vector<double> values_;
  std::vector<std::int32_t> bucket_;  // of each entry
  std::vector<Mix> mixes_;
  std::vector<std::size_t> begin_;
  std::vector<Entry> sorted_;
};

}  // namespace thresher
