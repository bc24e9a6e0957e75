#include "forest/forest.hpp"

#include <atomic>
#include <cmath>
#include <mutex>

#include "base/threads.hpp"
#include "codes/coded_table.hpp"
#include "codes/level_set.hpp"
#include "forest/tree_votes.hpp"
#include "growth/grower.hpp"
#include "growth/records.hpp"
#include "search/scorers.hpp"

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
    order.reserve(records_.size());
    tree_.reserve_nodes(records_.size(), sample_.weighted());
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

// Grows one tree after the other, each in the room of the one before.
template <class T>
class TreeByTree {
 public:
  TreeByTree(const CodedTable<T>& source, const GrowOptions& options, const ForestOptions& forest,
             bool complete)
      : bags_(forest.bootstrap, options.seed, source.neg.row.size(), source.pos.row.size()),
        options_(options),
        random_cuts_(forest.random_cuts),
        sample_{source, {}, {}},
        scorers_(options.criterion) {
    if (forest.vote) votes_.emplace(source, *forest.vote, complete);
  }

  GrownForest grow(std::uint64_t number) {
    bags_.draw(number, bag_);
    take_drawn(sample_.source.neg, bag_.neg, sample_.neg);
    take_drawn(sample_.source.pos, bag_.pos, sample_.pos);
    GrowOptions own = options_;
    own.seed = tree_seed(options_.seed, number);
    own.random_cuts = draws_cuts(number, random_cuts_);
    const std::vector<Record> records = grow_records(sample_, own, &scorers_);
    GrownForest tree = Packer<T>(records, sample_).pack();
    if (votes_) votes_->add(tree, bag_);
    return tree;
  }
  void add_votes(OutOfBag& votes) const {
    if (votes_) votes.add(votes_->sum());
  }

 private:
  Bags bags_;
  GrowOptions options_;
  double random_cuts_;
  Bag bag_;
  Sample<T> sample_;
  Scorers scorers_;
  std::optional<TreeVotes<T>> votes_;
};

template <class T>
GrownForest grow_trees(const CodedTable<T>& source, const GrowOptions& options,
                       const ForestOptions& forest) {
  std::vector<GrownForest> trees(forest.n_trees);
  OutOfBag votes(forest.vote ? source.table.n_rows : 0);
  const bool complete = forest.vote && TreeVotes<T>::complete(source);
  std::atomic<std::size_t> next = 0, finished = 0;
  std::mutex adding;
  SharedStop stop(options.interrupted);
  GrowOptions alone = options;
  alone.n_threads = 1;
  alone.interrupted = [&stop] { return stop(); };
  // Each thread has room of its own; the trees and the sums of votes do not depend on the threads.
  const auto grow_some = [&] {
    TreeByTree<T> grower(source, alone, forest, complete);
    for (std::size_t i = next++; i < trees.size(); i = next++) {
      trees[i] = grower.grow(forest.first_tree + i);
      ++finished;
      if (stop.by_maker()) forest.progress(finished);
    }
    const std::lock_guard lock(adding);
    grower.add_votes(votes);
  };
  const auto tell = [&] {
    if (!stop()) forest.progress(finished);
  };
  parallel_for(
      thread_count(trees.size(), options.n_threads), options.n_threads,
      [&](std::size_t) { stop.guard(grow_some); }, [&] { stop.guard(tell); });
  if (stop()) throw Interrupted{};
  GrownForest grown;
  grown.reserve(trees);
  for (GrownForest& tree : trees) {
    grown.append(tree);
    tree = {};  // each is in memory once
  }
  grown.votes = std::move(votes);
  return grown;
}

}  // namespace

bool draws_cuts(std::uint64_t tree, double share) {
  const auto before = static_cast<double>(tree);
  return std::floor(share * (before + 1.0)) > std::floor(share * before);
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
