#include "search/steps.hpp"

#include <algorithm>

namespace thresher {
namespace {

// By insertion: the rare rows of a node that is compared are few.
void sort_few(std::vector<std::uint32_t>& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::uint32_t value = values[i];
    std::size_t j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

}  // namespace

template <class T, class Cell>
Path<T, Cell>::Path(const Sample<T>& sample, std::size_t n_drawn)
    : sample_(sample),
      comparable_(!sample.weighted() &&
                  std::ranges::none_of(sample.coding().categorical, [](auto c) { return c != 0; })),
      // Comparisons count all features at once, values only those asked for.
      prefers_values_(!comparable_ || 2 * n_drawn <= sample.table().n_features),
      few_(sample) {}

// Comparing costs rare * other, a histogram its rows and its cells; weights and categories need the
// histogram.
template <class T, class Cell>
bool Path<T, Cell>::needs_histogram(const NodeRows& node) const {
  if (by_values(node)) return false;
  constexpr std::size_t pairs_per_row = 8;    // that cost as much as one row of a histogram
  constexpr std::size_t rows_per_scan = 600;  // that cost as much as clearing and scanning it
  return !comparable_ || node.n_rare() > kMaxAnchors ||
         node.n_rare() * node.n_other() > pairs_per_row * (node.n_other() + rows_per_scan);
}

template <class T, class Cell>
void Path<T, Cell>::enter(const NodeRows& node, const Histogram<Cell>* histogram) {
  node_ = node;
  by_values_ = by_values(node);
  histogram_ = by_values_ ? nullptr : histogram;
  if (by_values_) return few_.enter(node);
  if (histogram_) return;
  const ClassPart rare = rare_part(sample_, node);
  const ClassPart other = other_part(sample_, node);
  comparisons_.count(rare.rows, rare.range, other.rows, other.range);
}

template <class T, class Cell>
void Path<T, Cell>::follow(std::size_t feature) {
  steps_.clear();
  if (by_values_)
    missing_ = few_.follow(feature, steps_);
  else if (histogram_)
    follow_histogram(feature);
  else
    follow_comparisons(feature);
  if (sample_.category(feature)) sort_by_positive_rate(steps_);
}

template <class T, class Cell>
bool Path<T, Cell>::any_missing(std::size_t feature) const {
  if (by_values_) return few_.any_missing(feature);
  if (histogram_)
    return (histogram_->neg(feature)[kMissing] | histogram_->pos(feature)[kMissing]) != 0;
  const ClassPart rare = rare_part(sample_, node_);
  if (comparisons_.present(feature) < (rare.positive ? node_.mix.neg : node_.mix.pos)) return true;
  for (std::uint32_t i = rare.range.begin; i < rare.range.end; ++i)
    if (rare.rows.at(i)[feature] == kMissing) return true;
  return false;
}

template <class T, class Cell>
void Path<T, Cell>::follow_histogram(std::size_t feature) {
  const Cell* neg = histogram_->neg(feature);
  const Cell* pos = histogram_->pos(feature);
  const Cell* rare = node_.pos_is_rare() ? pos : neg;
  const bool category = sample_.category(feature);
  Step run;  // of the more frequent class, being collected
  const auto end_run = [&] {
    if (run.mix.total() > 0) steps_.push_back({run.mix, run.first, run.last, true});
    run.mix = Mix{};
  };
  for (int code = 0; code < kMissing; ++code) {
    if ((neg[code] | pos[code]) == 0) continue;
    const Mix mix{static_cast<std::int64_t>(neg[code]), static_cast<std::int64_t>(pos[code])};
    const auto place = static_cast<std::int16_t>(code);
    if (rare[code] == 0 && !category) {
      if (run.mix.total() == 0) run.first = place;
      run.mix = run.mix + mix;
      run.last = place;
      continue;
    }
    end_run();
    steps_.push_back({mix, place, place, !category && code % 2 == 0});
  }
  end_run();
  missing_ = {static_cast<std::int64_t>(neg[kMissing]), static_cast<std::int64_t>(pos[kMissing])};
}

template <class T, class Cell>
void Path<T, Cell>::follow_comparisons(std::size_t feature) {
  const ClassPart rare = rare_part(sample_, node_);
  const auto mix = [&](std::int64_t of_rare, std::int64_t of_other) {
    return rare.positive ? Mix{of_other, of_rare} : Mix{of_rare, of_other};
  };
  rare_order_.resize(rare.range.size());
  for (std::uint32_t i = 0; i < rare.range.size(); ++i)
    rare_order_[i] = std::uint32_t{rare.rows.at(rare.range.begin + i)[feature]} << 16 | i;
  sort_few(rare_order_);
  const auto code_at = [this](std::size_t at) { return static_cast<int>(rare_order_[at] >> 16); };

  std::uint32_t seen = 0;  // rows of the other class up to the last step
  int next_code = 0;
  const auto run_up_to = [&](std::uint32_t count, int last_code) {
    if (count > seen)
      steps_.push_back({mix(0, count - seen), static_cast<std::int16_t>(next_code),
                        static_cast<std::int16_t>(last_code), true});
    seen = count;
  };
  const auto number_at = [this](std::size_t at) { return rare_order_[at] & 0xffff; };
  const auto drawn_at = [&](std::size_t at) -> std::int64_t {
    return rare.rows.drawn(rare.range.begin + number_at(at));
  };
  std::size_t i = 0;
  while (i < rare_order_.size() && code_at(i) != kMissing) {
    const int code = code_at(i);
    const std::size_t row = number_at(i);
    std::int64_t equal = 0;
    for (; i < rare_order_.size() && code_at(i) == code; ++i) equal += drawn_at(i);
    run_up_to(comparisons_.below(row, feature), code - 1);
    const std::uint32_t up_to = comparisons_.up_to(row, feature);
    const auto place = static_cast<std::int16_t>(code);
    steps_.push_back({mix(equal, up_to - seen), place, place, code % 2 == 0});
    seen = up_to;
    next_code = code + 1;
  }
  const std::uint32_t present = comparisons_.present(feature);
  run_up_to(present, kMissing - 1);
  std::int64_t missing = 0;
  for (; i < rare_order_.size(); ++i) missing += drawn_at(i);
  missing_ = mix(missing, (rare.positive ? node_.mix.neg : node_.mix.pos) - present);
}

template class Path<float, std::uint32_t>;
template class Path<float, std::int64_t>;
template class Path<double, std::uint32_t>;
template class Path<double, std::int64_t>;

}  // namespace thresher
