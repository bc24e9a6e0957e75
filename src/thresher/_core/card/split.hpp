// The best question for rows of a node, from the sums of their codes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "card/trees.hpp"
#include "codes/codes.hpp"

namespace thresher {

// What is summed over rows of one code: their weight, and what a gain is made of.
struct Sum {
  double amount = 0.0;
  double weight = 0.0;

  Sum& operator+=(const Sum& other) {
    amount += other.amount;
    weight += other.weight;
    return *this;
  }
  friend Sum operator+(Sum one, const Sum& other) { return one += other; }
  friend Sum operator-(const Sum& one, const Sum& other) {
    return {one.amount - other.amount, one.weight - other.weight};
  }
};
using Cells = std::array<Sum, kCells>;

struct CardSplit {
  double gain = 0.0;  // what is not above is no split
  Question question;
};

// The codes with rows in the order in which prefixes of them go left: of numbers as they are, of
// categories by the mean amount. Ties go by the code.
inline std::vector<std::size_t> prefix_order(const Cells& cells, bool is_category) {
  std::vector<std::size_t> codes;
  for (std::size_t code = 0; code < kMissing; ++code)
    if (cells[code].weight > 0.0) codes.push_back(code);
  if (is_category)
    std::ranges::stable_sort(
        codes, {}, [&](std::size_t code) { return cells[code].amount / cells[code].weight; });
  return codes;
}

// Codes that were not seen go where more weight goes, left on a tie.
Question question_of(const Cells& cells, std::size_t feature, bool is_category,
                     const std::vector<std::size_t>& left_codes, bool missing_left);

// The best prefix and side of missing values, each side with a weight of at least min_weight.
// gain(left, right): what is to be largest. Of equal ones the first, missing values on the left.
template <class Gain>
CardSplit best_split(const Cells& cells, std::size_t feature, bool is_category, double min_weight,
                     const Gain& gain) {
  const std::vector<std::size_t> order = prefix_order(cells, is_category);
  const Sum missing = cells[kMissing];
  Sum whole = missing, prefix;
  for (const std::size_t code : order) whole += cells[code];
  double best = 0.0;
  std::size_t length = 0;
  bool missing_left = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    prefix += cells[order[i]];
    for (const bool with_missing : {true, false}) {
      if (!with_missing && missing.weight == 0.0) continue;
      const Sum left = with_missing ? prefix + missing : prefix, right = whole - left;
      if (left.weight < min_weight || right.weight < min_weight) continue;
      const double found = gain(left, right);
      if (!(found > best)) continue;
      best = found, length = i + 1, missing_left = with_missing;
    }
  }
  CardSplit split;
  if (length == 0) return split;
  split.gain = best;
  split.question = question_of(cells, feature, is_category,
                               {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(length)},
                               missing_left);
  return split;
}

}  // namespace thresher
