// The values inside opened steps of a feature. Marks are the values that a path through these steps
// must visit: those of the rarer class, and every value where the first or the last allowed cut has
// to be found.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sample.hpp"

namespace thresher {

struct Mark {
  double value;
  std::int16_t code;
  Mix at;      // rows that have the value
  Mix before;  // rows of the other class between the mark before, in the same code, and this one
};

template <class T>
class Marks {
 public:
  // Which values of a code are marks.
  enum class Slot : std::uint8_t { closed, rare_values, every_value };

  explicit Marks(const Sample<T>& sample) : sample_(sample) {}

  // First the slots are set, then the marks found.
  void close_all() { slots_.fill(Slot::closed); }
  void open(int first_code, int last_code, Slot slot) {
    for (int code = first_code; code <= last_code; ++code) {
      Slot& place = slots_[static_cast<std::size_t>(code)];
      place = std::max(place, slot);
    }
  }
  const std::vector<Mark>& find(const NodeRows& node, std::size_t feature);

 private:
  void mark(ClassPart part, std::size_t feature, Slot least);
  void merge_equal();
  void count_between(ClassPart other, std::size_t feature);

  struct Row {
    std::uint32_t row;
    std::uint8_t code;
  };

  const Sample<T>& sample_;
  std::array<Slot, kCells> slots_{};  // by code
  std::vector<Mark> marks_;
  std::vector<Row> others_;  // rows of the more frequent class between marks
  std::vector<double> other_values_;
  std::vector<double> mark_values_;
  std::vector<std::int32_t> ranks_;
};

}  // namespace thresher
