#include "search/binned_split.hpp"

#include <algorithm>
#include <limits>

#include "base/simd.hpp"

namespace thresher {
namespace {

// The codes that have rows, and the weight of all rows up to each code.
template <class Cell>
THRESHER_KERNEL void survey(const Cell* rare, const Cell* other, CodeSet& codes, Cell* up_to) {
  codes = CodeSet::of_cells(rare);
  sum_up(other, up_to);
}
template <class Cell>
THRESHER_WIDE void survey_wide(const Cell* rare, const Cell* other, CodeSet& codes, Cell* up_to) {
  survey(rare, other, codes, up_to);
}

}  // namespace

template <class Cell>
std::optional<Split> BinnedSearch<Cell>::best(const Cells<Cell>& cells, Mix mix, std::size_t n_rows,
                                              const Scorer& scorer,
                                              std::span<const std::int32_t> features) {
  cells_ = cells;
  enter_node(mix, scorer);
  const auto charge = [&](std::int32_t feature) {
    if (!criterion_.mdl || categorical_[static_cast<std::size_t>(feature)]) return 0.0;
    return charge_for(steps_.size(), n_rows);
  };
  if (criterion_.gain_ratio)
    search_by_ratio(
        features, [this](std::int32_t feature) { search(std::span(&feature, 1)); }, charge);
  else
    search(features);
  if (!found()) return std::nullopt;
  return finish();
}

template <class Cell>
void BinnedSearch<Cell>::search(std::span<const std::int32_t> features) {
  hull_.reset(mix_);
  for (const std::int32_t feature : features) {
    const auto f = static_cast<std::size_t>(feature);
    missing_ = mix_at(f, kMissing);
    if (!passes(f)) follow(f);
    for (const bool missing_left : {false, true}) {
      if (missing_left && missing_.total() == 0) continue;
      if (passes(f))
        pass(feature, missing_left);
      else if (scorer_.concave())
        walk(steps_, missing_, feature, missing_left, [](auto&&...) {});
      else
        scan(steps_, missing_, feature, missing_left);
    }
  }
  consider_corners();
}

template <class Cell>
void BinnedSearch<Cell>::follow(std::size_t feature) {
  steps_.clear();
  for (std::size_t code = 0; code < n_codes(feature); ++code) {
    const Mix mix = mix_at(feature, code);
    if (mix.total() == 0) continue;
    const auto place = static_cast<std::int16_t>(code);
    steps_.push_back({mix, place, place, false});
  }
  if (categorical_[feature]) sort_by_positive_rate(steps_);
}

template <class Cell>
void BinnedSearch<Cell>::pass(std::int32_t feature, bool missing_left) {
  const auto f = static_cast<std::size_t>(feature);
  const bool pos_is_rare = mix_.pos <= mix_.neg;
  const Cell* rare = pos_is_rare ? cells_.pos(f) : cells_.neg(f);
  const Cell* other = pos_is_rare ? cells_.neg(f) : cells_.pos(f);
  const auto mix = [pos_is_rare](Cell of_rare, Cell of_other) {
    const auto a = static_cast<std::int64_t>(of_rare), b = static_cast<std::int64_t>(of_other);
    return pos_is_rare ? Mix{b, a} : Mix{a, b};
  };
  Mix left = missing_left ? missing_ : Mix{};
  std::int64_t order = 0;
  Cell seen = 0;  // weight of the other class up to the last step
  std::size_t run_begin = 0;
  const auto take = [&](Mix step, std::size_t last) {
    left = left + step;
    order += step.total();
    offer(left, order, last);
  };
  const auto end_run = [&](Cell other_below, std::size_t end) {
    if (other_below == seen) return;
    const Mix step = mix(0, other_below - seen);
    if (hides_cut(left, left + step)) offer_inside(f, left, order, run_begin, end - 1);
    take(step, end - 1);
  };
  const auto take_rare = [&](Cell other_below, std::size_t code) {
    end_run(other_below, code);
    take(mix(rare[code], other[code]), code);
    seen = other_below + other[code];
    run_begin = code + 1;
  };
  Cell below = 0;
  if (cells_.codes) {
    cells_.codes[f].for_each([&](std::size_t code) {
      if (code == kMissing) return;
      if (rare[code] != 0) take_rare(below, code);
      below += other[code];
    });
  } else {
    Cell up_to[kCells];
    CodeSet codes;
    (wide_available() ? survey_wide<Cell> : survey<Cell>)(rare, other, codes, up_to);
    codes.for_each([&](std::size_t code) {
      if (code != kMissing) take_rare(up_to[code] - other[code], code);
    });
    below = up_to[kMissing] - other[kMissing];
  }
  end_run(below, n_codes(f));
  const std::int64_t present = mix_.total() - missing_.total();
  hull_.end_sequence(feature, missing_left, [present](std::int32_t code, Cut& cut) {
    cut.left_code = static_cast<std::int16_t>(code);
    cut.right_code = static_cast<std::int16_t>(cut.order == present ? kMissing : code + 1);
  });
}

// A cut behind a bin.
template <class Cell>
void BinnedSearch<Cell>::offer(Mix left, std::int64_t order, std::size_t code) {
  const auto neg = static_cast<double>(left.neg), pos = static_cast<double>(left.pos);
  if (hull_.clearly_inside(neg, pos) || left == mix_ || !allowed(left)) return;
  any_cut_ = true;
  hull_.add(neg, pos, order, static_cast<std::int32_t>(code));
}

// The cuts behind the bins [first, last) of a run; that behind its last bin is offered anyway.
template <class Cell>
void BinnedSearch<Cell>::offer_inside(std::size_t feature, Mix left, std::int64_t order,
                                      std::size_t first, std::size_t last) {
  for (std::size_t code = first; code < last; ++code) {
    const Mix mix = mix_at(feature, code);
    if (mix.total() == 0) continue;
    left = left + mix;
    order += mix.total();
    offer(left, order, code);
  }
}

template <class Cell>
Split BinnedSearch<Cell>::finish() {
  const auto feature = static_cast<std::size_t>(best_.feature);
  const bool category = categorical_[feature] != 0;
  if (category) follow(feature);
  const bool any_missing = mix_at(feature, kMissing).total() > 0;
  Split split = CutSearch::finish(steps_, any_missing, category);
  if (category) return split;
  // The edge above the last bin that has rows on the left; no value is looked at.
  while (mix_at(feature, static_cast<std::size_t>(split.left_code)).total() == 0) --split.left_code;
  split.right_code = static_cast<std::int16_t>(split.left_code + 1);
  // Where every present value goes left, no edge separates it from those that are missing.
  split.cut = best_.right_code == kMissing
                  ? std::numeric_limits<double>::max()
                  : edges_[feature][static_cast<std::size_t>(split.left_code)];
  return split;
}

template class BinnedSearch<std::uint32_t>;
template class BinnedSearch<std::int64_t>;

}  // namespace thresher
