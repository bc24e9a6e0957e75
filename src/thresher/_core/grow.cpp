#include "grow.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>

#include "anchors.hpp"
#include "fixed_point.hpp"
#include "partition.hpp"
#include "random.hpp"
#include "split.hpp"

namespace thresher {
namespace {

#ifndef RECODE
#define RECODE 16
#endif
constexpr std::uint32_t kRecodeAt = RECODE;

// A node of the growing tree, in the order of its making.
struct Record {
  NodeRows rows;
  double alpha = 0.0;
  double impurity = 0.0;
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::optional<Split> split;
};

// A node whose split is known and waits to be carried out.
template <class Cell>
struct Task {
  std::int32_t record = 0;
  NodeRows rows;
  std::int64_t depth = 0;
  std::uint64_t path = 1;
  bool lossless = false;  // every value of one class is an anchor: see codes.hpp
  std::unique_ptr<Histogram<Cell>> histogram;
};

template <class T, class Cell>
class Grower {
 public:
  Grower(Sample<T>& sample, const GrowOptions& options, FixedPoint fixed_point)
      : sample_(sample),
        options_(options),
        limits_{fixed_point.at_least(options.min_leaf_weight), options.min_gain},
        min_split_(fixed_point.at_least(options.min_split_weight)),
        search_(sample, options.criterion, limits_) {
    all_features_.resize(sample.table.n_features);
    std::iota(all_features_.begin(), all_features_.end(), 0);
  }

  std::vector<Record> grow(NodeRows root) {
    Task<Cell> task;
    task.rows = root;
    task.record = add_record(root);
    task.lossless = !sample_.exact();
    if (splittable(task)) {
      if (sample_.exact()) recode(task);
      else encode_bins();
    }
    if (options_.max_leaf_nodes < 0)
      depth_first(std::move(task));
    else
      best_first(std::move(task));
    return std::move(records_);
  }

 private:
  void depth_first(Task<Cell> root) {
    std::vector<Task<Cell>> stack;
    if (find_split(root)) stack.push_back(std::move(root));
    while (!stack.empty()) {
      Task<Cell> task = std::move(stack.back());
      stack.pop_back();
      for (Task<Cell>& child : expand(task))
        if (find_split(child)) stack.push_back(std::move(child));
    }
  }

  // The split with the largest decrease of the whole tree's impurity first; ties: the older node.
  void best_first(Task<Cell> root) {
    struct Entry {
      double decrease;
      std::int32_t record;
      bool operator<(const Entry& other) const {
        return decrease != other.decrease ? decrease < other.decrease : record > other.record;
      }
    };
    std::priority_queue<Entry> queue;
    std::vector<Task<Cell>> waiting;  // by record, only where a split is known
    const auto offer = [&](Task<Cell> task) {
      if (!find_split(task)) return;
      const auto record = static_cast<std::size_t>(task.record);
      if (waiting.size() <= record) waiting.resize(record + 1);
      queue.push({weighted_decrease(task), task.record});
      waiting[record] = std::move(task);
    };
    offer(std::move(root));
    for (std::int64_t leaves = 1; leaves < options_.max_leaf_nodes && !queue.empty(); ++leaves) {
      const auto record = static_cast<std::size_t>(queue.top().record);
      queue.pop();
      for (Task<Cell>& child : expand(waiting[record])) offer(std::move(child));
    }
    while (!queue.empty()) {
      records_[static_cast<std::size_t>(queue.top().record)].split.reset();
      queue.pop();
    }
  }

  double weighted_decrease(const Task<Cell>& task) const {
    const Criterion& c = options_.criterion;
    const double weight = c.weight_neg * static_cast<double>(task.rows.mix.neg) +
                          c.weight_pos * static_cast<double>(task.rows.mix.pos);
    return weight * records_[static_cast<std::size_t>(task.record)].split->gain;
  }

  std::int32_t add_record(const NodeRows& rows) {
    Record record;
    record.rows = rows;
    const Scorer scorer(options_.criterion, rows.mix);
    record.alpha = scorer.alpha();
    record.impurity = scorer.impurity();
    records_.push_back(std::move(record));
    return static_cast<std::int32_t>(records_.size()) - 1;
  }

  bool splittable(const Task<Cell>& task) const {
    const std::int64_t total = task.rows.mix.total();
    return !task.rows.mix.pure() && total >= min_split_ && total >= 2 * limits_.min_leaf &&
           (options_.max_depth < 0 || task.depth < options_.max_depth);
  }

  bool worth_recoding(const Task<Cell>& task) const {
    return !task.lossless && std::min(task.rows.neg.size(), task.rows.pos.size()) <= kRecodeAt;
  }

  void recode(Task<Cell>& task) {
    const Coding<T> coding = choose_anchors(sample_, task.rows);
    coding.encode(sample_.neg, task.rows.neg, sample_.table);
    coding.encode(sample_.pos, task.rows.pos, sample_.table);
    task.lossless = std::min(task.rows.neg.size(), task.rows.pos.size()) <= kMaxAnchors;
  }

  void encode_bins() {
    const Range neg{0, static_cast<std::uint32_t>(sample_.neg.row.size())};
    const Range pos{0, static_cast<std::uint32_t>(sample_.pos.row.size())};
    sample_.coding.encode(sample_.neg, neg, sample_.table);
    sample_.coding.encode(sample_.pos, pos, sample_.table);
  }

  bool find_split(Task<Cell>& task) {
    poll();
    if (!splittable(task)) return false;
    if (worth_recoding(task)) {
      recode(task);
      release(task);
    }
    if (!task.histogram && !search_.prefers_comparisons(task.rows)) task.histogram = count(task.rows);
    std::optional<Split>& split = records_[static_cast<std::size_t>(task.record)].split;
    split = best_split(task);
    if (!split) release(task);
    return split.has_value();
  }

  void release(Task<Cell>& task) {
    if (task.histogram) spare_.push_back(std::move(task.histogram));
  }

  std::optional<Split> best_split(const Task<Cell>& task) {
    const std::size_t n_features = all_features_.size();
    const auto wanted = static_cast<std::size_t>(options_.max_features);
    if (wanted == 0 || wanted >= n_features)
      return search_.best(task.rows, task.histogram.get(), all_features_);
    // As many features as asked for; if none of them can split the node, more until one can.
    std::vector<std::int32_t> order = shuffled(n_features, options_.seed, task.path);
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted));
    auto split = search_.best(task.rows, task.histogram.get(), std::span(order).first(wanted));
    for (std::size_t next = wanted; !split && next < n_features; ++next)
      split = search_.best(task.rows, task.histogram.get(), std::span(order).subspan(next, 1));
    return split;
  }

  std::unique_ptr<Histogram<Cell>> count(const NodeRows& rows) {
    std::unique_ptr<Histogram<Cell>> histogram;
    if (spare_.empty()) {
      histogram = std::make_unique<Histogram<Cell>>(sample_.neg.width);
    } else {
      histogram = std::move(spare_.back());
      spare_.pop_back();
      histogram->clear();
    }
    histogram->count_neg(sample_.neg, rows.neg, sample_.weights());
    histogram->count_pos(sample_.pos, rows.pos, sample_.weights());
    return histogram;
  }

  std::array<Task<Cell>, 2> expand(Task<Cell>& parent) {
    Split& split = *records_[static_cast<std::size_t>(parent.record)].split;
    Partition<T> partition(sample_, split);
    const std::uint32_t neg = partition.deal(sample_.neg, parent.rows.neg);
    const std::uint32_t pos = partition.deal(sample_.pos, parent.rows.pos);
    if (!split.category) split.cut = partition.cut();
    std::array<Task<Cell>, 2> children;
    children[0].rows = {{parent.rows.neg.begin, neg}, {parent.rows.pos.begin, pos}, split.left};
    children[1].rows = {{neg, parent.rows.neg.end},
                        {pos, parent.rows.pos.end},
                        parent.rows.mix - split.left};
    // From here on `split` may dangle: add_record moves the records.
    for (const bool right : {false, true}) {
      Task<Cell>& child = children[right];
      child.record = add_record(child.rows);
      child.depth = parent.depth + 1;
      child.path = child_path(parent.path, right);
      child.lossless = parent.lossless;
    }
    Record& record = records_[static_cast<std::size_t>(parent.record)];
    record.left = children[0].record;
    record.right = children[1].record;
    share_histogram(parent, children);
    return children;
  }

  // Only the smaller child is counted; the larger one is what remains of the parent.
  void share_histogram(Task<Cell>& parent, std::array<Task<Cell>, 2>& children) {
    const bool right_is_larger = children[1].rows.size() > children[0].rows.size();
    Task<Cell>& larger = children[right_is_larger];
    Task<Cell>& smaller = children[!right_is_larger];
    if (!parent.histogram || !splittable(larger) || worth_recoding(larger) ||
        search_.prefers_comparisons(larger.rows)) {
      release(parent);
      return;
    }
    smaller.histogram = count(smaller.rows);
    larger.histogram = std::move(parent.histogram);
    larger.histogram->subtract(*smaller.histogram);
  }

  void poll() {
    if (++polls_ % 64 == 0 && options_.interrupted()) throw Interrupted{};
  }

  Sample<T>& sample_;
  const GrowOptions& options_;
  SplitLimits limits_;
  std::int64_t min_split_;
  SplitSearch<T, Cell> search_;
  std::vector<std::int32_t> all_features_;
  std::vector<Record> records_;
  std::vector<std::unique_ptr<Histogram<Cell>>> spare_;  // histograms to be used again
  std::uint64_t polls_ = 0;
};

// Records in preorder as the arrays of the finished tree.
class TreeWriter {
 public:
  TreeWriter(const std::vector<Record>& records, FixedPoint fixed_point)
      : records_(records), fixed_point_(fixed_point) {}

  GrownTree write() {
    std::vector<std::pair<std::int32_t, std::int32_t>> stack{{0, -1}};  // record, parent if a right child
    while (!stack.empty()) {
      const auto [record, parent] = stack.back();
      stack.pop_back();
      const auto node = static_cast<std::int32_t>(tree_.feature.size());
      if (parent >= 0) tree_.right[static_cast<std::size_t>(parent)] = node;
      const Record& r = records_[static_cast<std::size_t>(record)];
      write_node(r);
      if (!r.split) continue;
      tree_.left.back() = node + 1;
      stack.emplace_back(r.right, node);
      stack.emplace_back(r.left, -1);
    }
    return std::move(tree_);
  }

 private:
  void write_node(const Record& record) {
    const Split split = record.split.value_or(Split{});
    tree_.feature.push_back(split.feature);
    tree_.cut.push_back(split.cut);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.missing_left.push_back(split.missing_left);
    tree_.category.push_back(split.category ? static_cast<std::int32_t>(tree_.levels_left.size() / 32)
                                            : -1);
    if (split.category) {
      tree_.levels_left.insert(tree_.levels_left.end(), split.levels_left.begin(),
                               split.levels_left.end());
      tree_.levels_seen.insert(tree_.levels_seen.end(), split.levels_seen.begin(),
                               split.levels_seen.end());
    }
    tree_.rows.push_back(record.rows.neg.size());
    tree_.rows.push_back(record.rows.pos.size());
    tree_.weight.push_back(fixed_point_.real(record.rows.mix.neg));
    tree_.weight.push_back(fixed_point_.real(record.rows.mix.pos));
    tree_.alpha.push_back(record.alpha);
    tree_.impurity.push_back(record.impurity);
    tree_.gain.push_back(split.gain);
  }

  const std::vector<Record>& records_;
  FixedPoint fixed_point_;
  GrownTree tree_;
};

template <class T>
NodeRows deal_rows(Sample<T>& sample, const std::uint8_t* labels, const double* weights) {
  Mix mix;
  for (std::size_t row = 0; row < sample.table.n_rows; ++row) {
    if (weights && weights[row] <= 0.0) continue;
    const auto number = static_cast<std::uint32_t>(row);
    (labels[row] ? sample.pos : sample.neg).row.push_back(number);
    (labels[row] ? mix.pos : mix.neg) += sample.weight_of(number);
  }
  for (ClassRows* rows : {&sample.neg, &sample.pos}) {
    rows->width = padded_width(sample.table.n_features);
    rows->codes.resize(rows->row.size() * rows->width);
  }
  return {{0, static_cast<std::uint32_t>(sample.neg.row.size())},
          {0, static_cast<std::uint32_t>(sample.pos.row.size())},
          mix};
}

}  // namespace

template <class T>
GrownTree grow(const Table<T>& table, const std::uint8_t* labels, const double* weights,
               const std::uint8_t* categorical, const GrowOptions& options) {
  Sample<T> sample;
  sample.table = table;
  sample.coding.categorical.assign(categorical, categorical + table.n_features);
  sample.coding.anchored = options.max_bins == 0;
  const FixedPoint fixed_point = weights ? FixedPoint(weights, table.n_rows) : FixedPoint();
  if (weights) sample.weight = fixed_point.integers(weights, table.n_rows);
  const NodeRows root = deal_rows(sample, labels, weights);
  if (options.max_bins > 0) sample.coding.boundaries = bin_edges(sample, options.max_bins);
  std::vector<Record> records =
      weights ? Grower<T, std::int64_t>(sample, options, fixed_point).grow(root)
              : Grower<T, std::uint32_t>(sample, options, fixed_point).grow(root);
  return TreeWriter(records, fixed_point).write();
}

template GrownTree grow(const Table<float>&, const std::uint8_t*, const double*,
                        const std::uint8_t*, const GrowOptions&);
template GrownTree grow(const Table<double>&, const std::uint8_t*, const double*,
                        const std::uint8_t*, const GrowOptions&);

}  // namespace thresher
