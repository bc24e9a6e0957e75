#include "growth/grower.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>

#include "base/threads.hpp"
#include "growth/partition.hpp"
#include "growth/records.hpp"
#include "search/binned_split.hpp"
#include "search/random_split.hpp"
#include "search/sparse_histogram.hpp"
#include "search/split.hpp"

namespace thresher {
namespace {

// A node whose split is known and waits to be carried out.
template <class Cell>
struct Task {
  std::int32_t record = 0;
  NodeRows rows;
  std::int64_t depth = 0;
  std::uint64_t path = 1;
  std::unique_ptr<Histogram<Cell>> histogram;
};

template <class T, class Cell>
class Grower {
 public:
  Grower(Sample<T>& sample, const GrowOptions& options, NodeLimits limits,
         Scorers* scorers = nullptr)
      : sample_(sample),
        options_(options),
        limits_(limits),
        scorers_(scorers),
        search_(sample, options.criterion, limits.split,
                options.max_features > 0 ? static_cast<std::size_t>(options.max_features)
                                         : sample.table().n_features,
                [this] { poll(); }),
        binned_(options.criterion, limits.split, sample.coding().edges,
                sample.coding().categorical),
        random_(options.criterion, limits.split, options.seed),
        node_values_(sample),
        node_bins_(sample.coding().edges, sample.coding().categorical),
        candidates_(options, sample.table().n_features),
        counts_drawn_(!sample.exact() && (candidates_.few() || options.random_cuts)),
        few_(sample.exact() ? 0 : sample.neg.width) {}

  std::vector<Record> grow(Place place) {
    Task<Cell> root;
    root.rows = sample_.root();
    root.depth = place.depth;
    root.path = place.path;
    return grow(std::move(root));
  }

  std::vector<Record> grow(Task<Cell> root) {
    root.record = add_record(root.rows);
    if (options_.max_leaf_nodes < 0)
      depth_first(std::move(root));
    else
      best_first(std::move(root));
    return std::move(records_);
  }

 private:
  // With several threads, large nodes come first and one by one; the subtrees below them are grown
  // side by side.
  void depth_first(Task<Cell> root) {
    const std::size_t whole = root.rows.size();
    const std::size_t small = options_.n_threads > 1 && whole > kWorthThreads
                                  ? whole / (4 * static_cast<std::size_t>(options_.n_threads))
                                  : 0;
    std::vector<Task<Cell>> stack, subtrees;
    const auto push = [&](Task<Cell> task) {
      if (task.rows.size() <= small)
        subtrees.push_back(std::move(task));
      else if (find_split(task))
        stack.push_back(std::move(task));
    };
    push(std::move(root));
    while (!stack.empty()) {
      Task<Cell> task = std::move(stack.back());
      stack.pop_back();
      for (Task<Cell>& child : expand(task)) push(std::move(child));
    }
    grow_side_by_side(std::move(subtrees));
  }

  // The threads share the sample, each on the rows of its own subtree.
  void grow_side_by_side(std::vector<Task<Cell>> subtrees) {
    std::ranges::stable_sort(subtrees, std::ranges::greater{},
                             [](const Task<Cell>& task) { return task.rows.size(); });
    std::vector<std::vector<Record>> grown(subtrees.size());
    std::vector<std::int32_t> roots;
    for (const Task<Cell>& task : subtrees) roots.push_back(task.record);
    SharedStop stop(options_.interrupted);
    GrowOptions alone = options_;
    alone.n_threads = 1;
    alone.interrupted = [&stop] { return stop(); };
    const auto grow_one = [&](std::size_t i) {
      grown[i] = Grower(sample_, alone, limits_).grow(std::move(subtrees[i]));
    };
    parallel_for(subtrees.size(), options_.n_threads, grow_one, [&stop] { stop(); });
    if (stop()) throw Interrupted{};
    for (std::size_t i = 0; i < grown.size(); ++i) graft(roots[i], std::move(grown[i]));
  }

  // Puts a subtree's root where its place was kept, and the rest behind what is there.
  void graft(std::int32_t place, std::vector<Record> subtree) {
    const auto shift = static_cast<std::int32_t>(records_.size()) - 1;
    for (Record& record : subtree) {
      if (record.left >= 0) record.left += shift;
      if (record.right >= 0) record.right += shift;
    }
    records_[static_cast<std::size_t>(place)] = std::move(subtree.front());
    records_.insert(records_.end(), std::make_move_iterator(subtree.begin() + 1),
                    std::make_move_iterator(subtree.end()));
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
    records_.emplace_back(rows,
                          scorers_ ? scorers_->of(rows.mix) : Scorer(options_.criterion, rows.mix));
    return static_cast<std::int32_t>(records_.size()) - 1;
  }

  bool splittable(const Task<Cell>& task) const {
    return limits_.splittable(task.rows.mix, task.depth);
  }

  bool find_split(Task<Cell>& task) {
    poll();
    if (!splittable(task)) {
      release(task);
      return false;
    }
    if (!task.histogram && needs_histogram(task.rows)) task.histogram = count(task.rows);
    std::optional<Split>& split = records_[static_cast<std::size_t>(task.record)].split;
    split = best_split(task);
    if (!split) release(task);
    return split.has_value();
  }

  bool needs_histogram(const NodeRows& rows) const {
    if (options_.random_cuts || counts_drawn_) return false;
    return sample_.exact() ? search_.needs_histogram(rows)
                           : !SparseHistogram<Cell>::fits(rows.size());
  }

  void release(Task<Cell>& task) {
    if (task.histogram) spare_.push_back(std::move(task.histogram));
  }

  std::optional<Split> best_split(const Task<Cell>& task) {
    return candidates_.first_split(task.path, [&](std::span<const std::int32_t> features) {
      return best_split(task, features);
    });
  }

  std::optional<Split> best_split(const Task<Cell>& task, std::span<const std::int32_t> features) {
    const Scorer& scorer = records_[static_cast<std::size_t>(task.record)].scorer;
    if (options_.random_cuts) {
      if (sample_.exact()) return best_random(node_values_, task.rows, task, features);
      return best_random(node_bins_, counted(task, features), task, features);
    }
    if (sample_.exact()) return search_.best(task.rows, scorer, task.histogram.get(), features);
    const auto n_rows = static_cast<std::size_t>(sample_.drawn(task.rows).total());
    return binned_.best(counted(task, features), task.rows.mix, n_rows, scorer, features);
  }

  template <class Columns, class Node>
  std::optional<Split> best_random(Columns& columns, const Node& node, const Task<Cell>& task,
                                   std::span<const std::int32_t> features) {
    columns.enter(node);
    const Scorer& scorer = records_[static_cast<std::size_t>(task.record)].scorer;
    return random_.best(columns, task.rows.mix, scorer, task.path, features);
  }

  Cells<Cell> counted(const Task<Cell>& task, std::span<const std::int32_t> features) {
    if (!SparseHistogram<Cell>::fits(task.rows.size()))
      return counts_drawn_ ? recount(task.rows, features).cells() : task.histogram->cells();
    few_.recount(features, sample_.neg, task.rows.neg, sample_.pos, task.rows.pos,
                 sample_.weights());
    return few_.cells();
  }

  // Where few features are drawn in a node, these alone are counted, and nothing is kept for its
  // children, which draw others.
  const Histogram<Cell>& recount(const NodeRows& rows, std::span<const std::int32_t> features) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Histogram<Cell>>(sample_.neg.width));
    Histogram<Cell>& histogram = *spare_.back();
    histogram.recount(features, sample_.neg, rows.neg, sample_.pos, rows.pos, sample_.weights());
    return histogram;
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
    count_rows(*histogram, rows);
    return histogram;
  }

  // Large nodes are counted in parts; sums of integers do not depend on the parts.
  void count_rows(Histogram<Cell>& histogram, const NodeRows& rows) {
    const std::size_t parts = thread_count(rows.size() / kWorthThreads, options_.n_threads);
    if (parts == 1) {
      histogram.count_neg(sample_.neg, rows.neg, sample_.weights());
      histogram.count_pos(sample_.pos, rows.pos, sample_.weights());
      return;
    }
    std::mutex adding;
    parallel_for(parts, options_.n_threads, [&](std::size_t part) {
      Histogram<Cell> own(sample_.neg.width);
      own.count_neg(sample_.neg, rows.neg.part(part, parts), sample_.weights());
      own.count_pos(sample_.pos, rows.pos.part(part, parts), sample_.weights());
      const std::lock_guard lock(adding);
      histogram.add(own);
    });
  }

  std::array<Task<Cell>, 2> expand(Task<Cell>& parent) {
    Split& split = *records_[static_cast<std::size_t>(parent.record)].split;
    Partition<T> partition(sample_, split);
    const std::uint32_t neg = partition.deal(sample_.neg, parent.rows.neg);
    const std::uint32_t pos = partition.deal(sample_.pos, parent.rows.pos);
    std::array<Task<Cell>, 2> children;
    children[0].rows = {{parent.rows.neg.begin, neg}, {parent.rows.pos.begin, pos}, split.left};
    children[1].rows = {
        {neg, parent.rows.neg.end}, {pos, parent.rows.pos.end}, parent.rows.mix - split.left};
    if (!split.category && sample_.exact() && !options_.random_cuts)
      split.cut = partition.cut(children[0].rows, children[1].rows);
    if (partition.looked() || counted_by_values(parent.rows)) check_smaller(children);
    const bool right = right_is_larger(children);
    search_.follow_child(split, children[right].rows, right);
    // From here on `split` may dangle: add_record moves the records.
    for (const bool side : {false, true}) {
      Task<Cell>& child = children[side];
      child.record = add_record(child.rows);
      child.depth = parent.depth + 1;
      child.path = child_path(parent.path, side);
    }
    Record& record = records_[static_cast<std::size_t>(parent.record)];
    record.left = children[0].record;
    record.right = children[1].record;
    share_histogram(parent, children);
    return children;
  }

  static bool right_is_larger(const std::array<Task<Cell>, 2>& children) {
    return children[1].rows.size() > children[0].rows.size();
  }

  bool counted_by_values(const NodeRows& rows) const {
    return sample_.exact() && !options_.random_cuts && search_.reads_values(rows);
  }

  // Rows that were counted or dealt by their values, which others may write to, are the same.
  void check_smaller(const std::array<Task<Cell>, 2>& children) const {
    const NodeRows& rows = children[children[1].rows.size() < children[0].rows.size() ? 1 : 0].rows;
    if (sample_.mix_of(rows.neg, rows.pos) != rows.mix) throw TableChanged{};
  }

  // Only the smaller child is counted; the larger one is what remains of the parent.
  void share_histogram(Task<Cell>& parent, std::array<Task<Cell>, 2>& children) {
    const bool right = right_is_larger(children);
    Task<Cell>& larger = children[right];
    Task<Cell>& smaller = children[!right];
    if (!parent.histogram || !splittable(larger) || !needs_histogram(larger.rows)) {
      release(parent);
      return;
    }
    smaller.histogram = count(smaller.rows);
    larger.histogram = std::move(parent.histogram);
    larger.histogram->subtract(*smaller.histogram);
  }

  void poll() {
    if (options_.interrupted()) throw Interrupted{};
  }

  Sample<T>& sample_;
  const GrowOptions& options_;
  NodeLimits limits_;
  Scorers* scorers_;             // shared with other trees, or null
  SplitSearch<T, Cell> search_;  // exact growth
  BinnedSearch<Cell> binned_;
  RandomSearch random_;
  NodeValues<T> node_values_;  // of the node that draws its cuts, in exact growth
  NodeBins<Cell> node_bins_;   // the same over bins
  Candidates candidates_;
  bool counts_drawn_;  // bins of the features drawn, not of all
  SparseHistogram<Cell> few_;
  std::vector<Record> records_;
  std::vector<std::unique_ptr<Histogram<Cell>>> spare_;  // histograms to be used again
};

}  // namespace

template <class T>
std::vector<Record> grow_records(Sample<T>& sample, const GrowOptions& options, Scorers* scorers) {
  const Mix whole = sample.root().mix;
  const auto limits = NodeLimits::of(options, sample.source.fixed_point, whole);
  return grow_records(sample, options, limits, {}, scorers);
}

template <class T>
std::vector<Record> grow_records(Sample<T>& sample, const GrowOptions& options,
                                 const NodeLimits& limits, Place place, Scorers* scorers) {
  if (sample.weighted())
    return Grower<T, std::int64_t>(sample, options, limits, scorers).grow(place);
  return Grower<T, std::uint32_t>(sample, options, limits, scorers).grow(place);
}

template std::vector<Record> grow_records(Sample<float>&, const GrowOptions&, Scorers*);
template std::vector<Record> grow_records(Sample<double>&, const GrowOptions&, Scorers*);
template std::vector<Record> grow_records(Sample<float>&, const GrowOptions&, const NodeLimits&,
                                          Place, Scorers*);

}  // namespace thresher
