// The rows of opened steps of one feature, gathered in one pass over a node.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codes/sample.hpp"
#include "search/buckets.hpp"

namespace thresher {

template <class T>
class Opening {
 public:
  explicit Opening(const Sample<T>& sample) : sample_(sample) {}

  // First the steps are named by their codes, then their rows gathered.
  void close() {
    slot_.fill(kClosed);
    n_slots_ = 0;
  }
  void open(int first_code, int last_code) {
    if (slot_[static_cast<std::size_t>(first_code)] != kClosed) return;
    for (int code = first_code; code <= last_code; ++code)
      slot_[static_cast<std::size_t>(code)] = static_cast<std::uint8_t>(n_slots_);
    ++n_slots_;
  }
  void gather(const NodeRows& node, std::size_t feature);

  // The rows of the step that begins with this code.
  std::span<const Entry> entries(int first_code) const {
    const std::size_t slot = slot_[static_cast<std::size_t>(first_code)];
    return std::span(entries_).subspan(begin_[slot], begin_[slot + 1] - begin_[slot]);
  }

 private:
  static constexpr std::uint8_t kClosed = 255;
  void find(ClassPart part, std::size_t feature);

  struct Found {
    std::uint32_t row;
    std::uint8_t code;
    std::uint8_t times;
    bool positive;
  };

  const Sample<T>& sample_;
  std::array<std::uint8_t, kCells> slot_{};  // by code
  std::size_t n_slots_ = 0;
  std::vector<Found> found_;
  std::size_t n_found_ = 0;
  std::vector<std::size_t> begin_;
  std::vector<Entry> entries_;
};

}  // namespace thresher
