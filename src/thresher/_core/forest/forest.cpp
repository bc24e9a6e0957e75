#include "forest/forest.hpp"

#include <atomic>

#include "base/threads.hpp"
#include "codes/coded_table.hpp"
#include "codes/level_set.hpp"
#include "growth/grower.hpp"
#include "growth/records.hpp"

namespace thresher {
namespace {

// A tree's records as a forest of one tree, breadth first.
template <class T>
class Packer {
 public:
  Packer(const std::vector<Record>& records, const Sample<T>& sample)
      : records_(records), sample_(sample) {}

  GrownForest pack() {
    std::vector<std::size_t> order{0};  // records in their places
    for (std::size_t place = 0; place < order.size(); ++place) {
      const Record& record = records_[order[place]];
      add_counts(record.rows);
      if (!record.split) {
        tree_.nodes.push_back(PackedNode::leaf(place));
        continue;
      }
      add_split(*record.split, order.size());
      order.push_back(static_cast<std::size_t>(record.left));
      order.push_back(static_cast<std::size_t>(record.right));
    }
    tree_.begin.push_back(static_cast<std::int64_t>(tree_.nodes.size()));
    return std::move(tree_);
  }

 private:
  void add_counts(const NodeRows& rows) {
    const Mix drawn = sample_.drawn(rows);
    tree_.rows.push_back(static_cast<std::uint32_t>(drawn.neg));
    tree_.rows.push_back(static_cast<std::uint32_t>(drawn.pos));
    if (!sample_.weighted()) return;
    tree_.weight.push_back(sample_.source.fixed_point.real(rows.mix.neg));
    tree_.weight.push_back(sample_.source.fixed_point.real(rows.mix.pos));
  }

  void add_split(const Split& split, std::size_t left) {
    PackedNode node{split.cut, static_cast<std::uint32_t>(left),
                    static_cast<std::uint32_t>(split.feature)};
    if (!split.missing_left) node.feature |= PackedNode::kMissingRight;
    if (split.category) {
      node.feature |= PackedNode::kCategory;
      node.cut = static_cast<double>(tree_.levels_left.size() / kLevelBytes);
      tree_.levels_left.insert(tree_.levels_left.end(), split.levels_left.begin(),
                               split.levels_left.end());
      tree_.levels_seen.insert(tree_.levels_seen.end(), split.levels_seen.begin(),
                               split.levels_seen.end());
    }
    tree_.nodes.push_back(node);
  }

  const std::vector<Record>& records_;
  const Sample<T>& sample_;
  GrownForest tree_;
};

template <class Item>
void extend(std::vector<Item>& items, const std::vector<Item>& more) {
  items.insert(items.end(), more.begin(), more.end());
}

template <class T>
GrownForest grow_one(const CodedTable<T>& source, const Bag& bag, const GrowOptions& options) {
  Sample<T> sample{source, drawn_rows(source.neg, bag.neg), drawn_rows(source.pos, bag.pos)};
  const std::vector<Record> records = grow_records(sample, options);
  return Packer<T>(records, sample).pack();
}

template <class T>
GrownForest grow_trees(const CodedTable<T>& source, const GrowOptions& options,
                       const ForestOptions& forest) {
  const Bags bags(forest.bootstrap, options.seed, source.neg.row.size(), source.pos.row.size());
  std::vector<GrownForest> trees(forest.n_trees);
  std::atomic<std::size_t> finished = 0;
  SharedStop stop(options.interrupted);
  const auto grow_tree = [&](std::size_t i) {
    const std::uint64_t number = forest.first_tree + i;
    GrowOptions own = options;
    own.n_threads = 1;
    own.seed = tree_seed(options.seed, number);
    own.interrupted = [&stop] { return stop(); };
    trees[i] = grow_one(source, bags.draw(number), own);
    ++finished;
    if (stop.by_maker()) forest.progress(finished);
  };
  parallel_for(trees.size(), options.n_threads, grow_tree, [&] {
    if (!stop()) forest.progress(finished);
  });
  if (stop()) throw Interrupted{};
  GrownForest grown;
  for (GrownForest& tree : trees) {
    grown.append(tree);
    tree = {};
  }
  return grown;
}

}  // namespace

void GrownForest::append(const GrownForest& tree) {
  const auto first_level = static_cast<double>(levels_left.size() / kLevelBytes);
  for (PackedNode node : tree.nodes) {
    if (node.category()) node.cut += first_level;
    nodes.push_back(node);
  }
  begin.push_back(static_cast<std::int64_t>(nodes.size()));
  extend(rows, tree.rows);
  extend(weight, tree.weight);
  extend(levels_left, tree.levels_left);
  extend(levels_seen, tree.levels_seen);
}

template <class T>
GrownForest grow_forest(const TrainingRows<T>& rows, const GrowOptions& options,
                        const ForestOptions& forest) {
  return grow_trees(CodedTable<T>(rows, options.max_bins, options.n_threads), options, forest);
}

GrownForest grow_forest(const CodedRows& rows, BinEdges edges, FixedPoint fixed_point,
                        std::span<const std::uint8_t> categorical, const GrowOptions& options,
                        const ForestOptions& forest) {
  return grow_trees(CodedTable<float>(rows, std::move(edges), fixed_point, categorical), options,
                    forest);
}

template GrownForest grow_forest(const TrainingRows<float>&, const GrowOptions&,
                                 const ForestOptions&);
template GrownForest grow_forest(const TrainingRows<double>&, const GrowOptions&,
                                 const ForestOptions&);

}  // namespace thresher
