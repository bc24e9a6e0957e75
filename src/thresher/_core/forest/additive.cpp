#include "forest/additive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/threads.hpp"
#include "forest/lanes.hpp"
#include "forest/walk.hpp"

namespace thresher {
namespace {

// Rows that go through all trees together: few, so that they stay in the cache, or as many as a
// large tree is worth being fetched for.
constexpr std::size_t kLeastRows = 256;
constexpr std::size_t kMostRows = 4096;

void require(bool ok) {
  if (!ok) throw std::invalid_argument("the arrays do not describe trees");
}

template <class Item>
std::vector<Item> copy_of(std::span<const Item> items) {
  return {items.begin(), items.end()};
}

}  // namespace

// Rows as doubles side by side, with the columns that are asked for alone.
class AdditiveTrees::Block {
 public:
  Block(const Columns& columns, std::size_t n_rows)
      : columns_(columns), values_(n_rows * std::max<std::size_t>(columns.used.size(), 1)) {}

  template <class T>
  void read(const Table<T>& table, std::size_t first, std::size_t last) {
    size_ = last - first;
    complete_ = true;
    const std::size_t width = columns_.used.size();
    for (std::size_t i = 0; i < width; ++i) {
      const bool zero_is_missing = columns_.zero_is_missing[i] != 0;
      const T* from = table.address(first, columns_.used[i]);
      double* to = values_.data() + i;
      double gaps = 0.0;  // becomes NaN where a value is none or infinite
      for (std::size_t row = 0; row < size_; ++row, from += table.row_stride, to += width) {
        double value = *from;
        if (zero_is_missing && std::abs(value) <= kZero)
          value = std::numeric_limits<double>::quiet_NaN();
        *to = value;
        gaps += value - value;
      }
      if (gaps != 0.0) check_infinite(i);
    }
  }

  std::size_t size() const { return size_; }
  bool complete() const { return complete_; }
  const double* row(std::size_t i) const { return values_.data() + i * columns_.used.size(); }

 private:
  void check_infinite(std::size_t column) {
    complete_ = false;
    for (std::size_t i = 0; i < size_; ++i)
      if (std::isinf(row(i)[column])) throw InfiniteValue{};
  }

  const Columns& columns_;
  std::vector<double> values_;
  std::size_t size_ = 0;
  bool complete_ = true;
};

AdditiveTrees::AdditiveTrees(const AdditiveArrays& arrays)
    : n_features_(arrays.zero_is_missing.size()),
      value_(copy_of(arrays.value)),
      set_begin_(copy_of(arrays.set_begin)),
      set_bits_(copy_of(arrays.set_bits)) {
  const std::size_t n_nodes = arrays.feature.size();
  for (const std::size_t size : {arrays.cut.size(), arrays.missing_left.size(),
                                 arrays.level_set.size(), arrays.value.size()})
    require(size == n_nodes);
  require(set_begin_.size() > 0 && set_begin_.front() == 0 &&
          set_begin_.back() == static_cast<std::int64_t>(set_bits_.size()) &&
          std::is_sorted(set_begin_.begin(), set_begin_.end()));
  require(arrays.begin.size() > 1 && arrays.begin.front() == 0 &&
          arrays.begin.back() == static_cast<std::int64_t>(n_nodes));
  require(n_features_ < PackedNode::kFeature);
  std::vector<std::uint8_t> is_used(n_features_, 0);
  for (const std::int32_t feature : arrays.feature) {
    require(feature >= -1 && feature < static_cast<std::int64_t>(n_features_));
    if (feature >= 0) is_used[static_cast<std::size_t>(feature)] = 1;
  }
  std::vector<std::uint32_t> place(n_features_, 0);
  for (std::size_t column = 0; column < n_features_; ++column) {
    if (!is_used[column]) continue;
    place[column] = static_cast<std::uint32_t>(columns_.used.size());
    columns_.used.push_back(column);
    columns_.zero_is_missing.push_back(arrays.zero_is_missing[column]);
  }
  nodes_.reserve(n_nodes);
  for (std::size_t tree = 0; tree + 1 < arrays.begin.size(); ++tree) {
    require(arrays.begin[tree] < arrays.begin[tree + 1] &&
            arrays.begin[tree + 1] <= static_cast<std::int64_t>(n_nodes));
    add_tree(arrays, static_cast<std::size_t>(arrays.begin[tree]),
             static_cast<std::size_t>(arrays.begin[tree + 1]), place);
  }
}

void AdditiveTrees::add_tree(const AdditiveArrays& arrays, std::size_t first, std::size_t last,
                             const std::vector<std::uint32_t>& place) {
  const std::size_t n_nodes = last - first;
  std::vector<std::size_t> depth(n_nodes, 0);
  std::size_t placed = 1;
  require(n_nodes < std::numeric_limits<std::uint32_t>::max());
  for (std::size_t at = 0; at < n_nodes; ++at) {
    require(at < placed);
    const std::size_t node = first + at;
    if (arrays.feature[node] < 0) {
      require(std::isfinite(arrays.value[node]));
      nodes_.push_back(PackedNode::leaf(at));
      continue;
    }
    require(placed + 2 <= n_nodes);
    PackedNode packed{arrays.cut[node], static_cast<std::uint32_t>(placed),
                      place[static_cast<std::size_t>(arrays.feature[node])]};
    if (!arrays.missing_left[node]) packed.feature |= PackedNode::kMissingRight;
    const std::int32_t set = arrays.level_set[node];
    if (set >= 0) {
      require(static_cast<std::size_t>(set) + 1 < set_begin_.size());
      packed.feature |= PackedNode::kCategory;
      packed.cut = set;
      any_category_ = true;
    }
    require(std::isfinite(packed.cut));
    depth[placed] = depth[placed + 1] = depth[at] + 1;
    placed += 2;
    nodes_.push_back(packed);
  }
  require(placed == n_nodes);
  begin_.push_back(first);
  depth_.push_back(*std::max_element(depth.begin(), depth.end()));
}

bool AdditiveTrees::is_member(const PackedNode& node, double value) const {
  const auto set = static_cast<std::size_t>(node.cut);
  const auto size = 8 * static_cast<std::size_t>(set_begin_[set + 1] - set_begin_[set]);
  if (!(value > -1.0 && value < static_cast<double>(size))) return false;
  const auto level = static_cast<std::size_t>(value);  // 0 for what is above -1
  const std::uint8_t* bits = set_bits_.data() + set_begin_[set];
  return level < size && ((bits[level / 8] >> (level % 8)) & 1) != 0;
}

void AdditiveTrees::leaves(std::size_t tree, const Block& block, std::uint32_t* leaf) const {
  const PackedNode* nodes = nodes_.data() + begin_[tree];
  const auto row_at = [&block](std::size_t i) { return block.row(i); };
  const auto plain_step = [nodes](const double* row, std::uint32_t at) {
    const PackedNode& node = nodes[at];
    return node.left + (row[node.column()] > node.cut);
  };
  const auto any_step = [this, nodes](const double* row, std::uint32_t at) {
    const PackedNode& node = nodes[at];
    return node.left + (node.left != at && !goes_left(node, row[node.column()]));
  };
  std::fill(leaf, leaf + block.size(), 0);
  if (block.complete() && !any_category_)
    walk_lanes<double>(depth_[tree], block.size(), row_at, plain_step, leaf);
  else
    walk_lanes<double>(depth_[tree], block.size(), row_at, any_step, leaf);
}

template <class Sum, class T>
void AdditiveTrees::sum(const Table<T>& table, double base, double* result, int n_threads) const {
  const std::size_t rows = std::clamp(nodes_.size() / (2 * begin_.size()), kLeastRows, kMostRows);
  parallel_blocks(table.n_rows, rows, n_threads, [&](std::size_t first, std::size_t last) {
    Block block(columns_, rows);
    std::vector<std::uint32_t> leaf(rows);
    std::vector<Sum> sums(rows);
    for (; first < last; first += rows) {
      block.read(table, first, std::min(last, first + rows));
      std::fill_n(sums.begin(), block.size(), static_cast<Sum>(base));
      for (std::size_t tree = 0; tree < begin_.size(); ++tree) {
        leaves(tree, block, leaf.data());
        const double* value = value_.data() + begin_[tree];
        for (std::size_t i = 0; i < block.size(); ++i) sums[i] += static_cast<Sum>(value[leaf[i]]);
      }
      std::copy_n(sums.begin(), block.size(), result + first);
    }
  });
}

template void AdditiveTrees::sum<double>(const Table<float>&, double, double*, int) const;
template void AdditiveTrees::sum<double>(const Table<double>&, double, double*, int) const;
template void AdditiveTrees::sum<float>(const Table<float>&, double, double*, int) const;
template void AdditiveTrees::sum<float>(const Table<double>&, double, double*, int) const;

}  // namespace thresher
