// The rows that a card learns from: codes by column, what is to be said of each row, its weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thresher {

class CardRows {
 public:
  // codes: row by row, kMissing where a value is missing; they are dealt to columns here.
  CardRows(const std::uint8_t* codes, std::span<const std::uint8_t> categorical,
           std::span<const double> target, std::span<const double> weight)
      : target_(target), weight_(weight), categorical_(categorical) {
    codes_.resize(n_rows() * n_features());
    for (std::size_t row = 0; row < n_rows(); ++row)
      for (std::size_t feature = 0; feature < n_features(); ++feature)
        codes_[feature * n_rows() + row] = codes[row * n_features() + feature];
  }

  std::size_t n_rows() const { return target_.size(); }
  std::size_t n_features() const { return categorical_.size(); }
  const std::uint8_t* column(std::size_t feature) const {
    return codes_.data() + feature * n_rows();
  }
  bool is_category(std::size_t feature) const { return categorical_[feature] != 0; }
  std::span<const double> target() const { return target_; }
  std::span<const double> weight() const { return weight_; }

 private:
  std::vector<std::uint8_t> codes_;
  std::span<const double> target_;
  std::span<const double> weight_;
  std::span<const std::uint8_t> categorical_;
};

}  // namespace thresher
