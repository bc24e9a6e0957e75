// The arrays of trees whose leaves are added up, as Python holds them.
#pragma once

#include "forest/additive.hpp"
#include "python/bindings.hpp"

namespace thresher {

class BoundArrays {
 public:
  BoundArrays(const Vector<std::int64_t>& begin, const Vector<std::int32_t>& feature,
              const Vector<double>& cut, const Vector<bool>& missing_left,
              const Vector<std::int32_t>& level_set, const Vector<std::int64_t>& set_begin,
              const Vector<std::uint8_t>& set_bits, const Vector<double>& value,
              const Vector<bool>& zero_is_missing)
      : begin_(items_of(begin)),
        feature_(items_of(feature)),
        cut_(items_of(cut)),
        missing_left_(truths(missing_left)),
        level_set_(items_of(level_set)),
        set_begin_(items_of(set_begin)),
        set_bits_(span_of(set_bits)),
        value_(items_of(value)),
        zero_is_missing_(truths(zero_is_missing)) {}

  AdditiveArrays arrays() const {
    return {begin_.span(),     feature_.span(), cut_.span(),   missing_left_,   level_set_.span(),
            set_begin_.span(), set_bits_,       value_.span(), zero_is_missing_};
  }

 private:
  static std::span<const std::uint8_t> truths(const Vector<bool>& array) {
    return {reinterpret_cast<const std::uint8_t*>(array.data()), array.shape(0)};
  }

  Items<std::int64_t> begin_;
  Items<std::int32_t> feature_;
  Items<double> cut_;
  std::span<const std::uint8_t> missing_left_;
  Items<std::int32_t> level_set_;
  Items<std::int64_t> set_begin_;
  std::span<const std::uint8_t> set_bits_;
  Items<double> value_;
  std::span<const std::uint8_t> zero_is_missing_;
};

}  // namespace thresher
