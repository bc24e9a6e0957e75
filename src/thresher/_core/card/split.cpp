#include "card/split.hpp"

namespace thresher {

Question question_of(const Cells& cells, std::size_t feature, bool is_category,
                     const std::vector<std::size_t>& left_codes, bool missing_left) {
  Question question;
  question.feature = static_cast<std::int32_t>(feature);
  std::array<bool, kCells> goes_left{};
  double left = 0.0, all = 0.0;
  for (const Sum& cell : cells) all += cell.weight;
  for (const std::size_t code : left_codes) {
    goes_left[code] = true;
    left += cells[code].weight;
  }
  const bool missing_seen = cells[kMissing].weight > 0.0;
  if (missing_seen && missing_left) left += cells[kMissing].weight;
  const bool heavier_left = left >= all - left;
  goes_left[kMissing] = missing_seen ? missing_left : heavier_left;
  if (!is_category) {
    question.cut = static_cast<std::int32_t>(left_codes.back());
    std::fill_n(goes_left.begin(), left_codes.back() + 1, true);
  }
  for (std::size_t code = 0; code < kCells; ++code) {
    const bool unseen_level =
        is_category && code < kMissing && cells[code].weight == 0.0 && heavier_left;
    if (goes_left[code] || unseen_level) set_bit(question.goes_left, code);
  }
  return question;
}

}  // namespace thresher
