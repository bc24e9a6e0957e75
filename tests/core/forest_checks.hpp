// Forests: bags, packed trees and votes, each against a slow way to the same result.
#pragma once

#include <thread>

#include "base/threads.hpp"
#include "codes/level_set.hpp"
#include "forest/bags.hpp"
#include "forest/forest.hpp"
#include "forest/predict.hpp"
#include "forest/unpack.hpp"
#include "forest/votes.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

inline constexpr Bootstrap kBootstraps[] = {Bootstrap::none, Bootstrap::plain,
                                            Bootstrap::stratified, Bootstrap::balanced};

template <class T>
GrownForest grow_trees(const Data<T>& data, const GrowOptions& options,
                       const ForestOptions& forest) {
  return grow_forest(data.rows(), options, forest);
}

inline bool same(const GrownForest& a, const GrownForest& b) {
  return same_bytes(a.begin, b.begin) && same_bytes(a.nodes, b.nodes) &&
         same_bytes(a.rows, b.rows) && same_bytes(a.weight, b.weight) &&
         same_bytes(a.levels_left, b.levels_left) && same_bytes(a.levels_seen, b.levels_seen);
}

inline bool same(const OutOfBag& a, const OutOfBag& b) {
  return same_bytes(a.sum, b.sum) && same_bytes(a.count, b.count);
}

inline Voters voters_of(const GrownForest& forest) {
  return Voters(forest.nodes.data(), forest.nodes.size(), forest.begin.data(),
                forest.begin.size() - 1, forest.levels_left.data(),
                forest.levels_left.size() / kLevelBytes);
}

inline GrownTree tree_of(const GrownForest& forest, std::size_t i, const GrowOptions& options) {
  const auto first = 2 * static_cast<std::size_t>(forest.begin[i]);
  const double* weight = forest.weight.empty() ? nullptr : forest.weight.data() + first;
  return unpack(voters_of(forest).tree(i), forest.rows.data() + first, weight,
                forest.levels_seen.data(), options.criterion);
}

template <class T>
std::vector<std::uint32_t> rows_of_class(const Data<T>& data, std::uint8_t label) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < data.n_rows; ++row)
    if (data.labels[row] == label && data.counts(row))
      rows.push_back(static_cast<std::uint32_t>(row));
  return rows;
}

// How often a tree drew each row of the table.
template <class T>
std::vector<std::uint32_t> times_drawn(const Data<T>& data, const Bags& bags, std::size_t tree) {
  const Bag bag = bags.draw(tree);
  std::vector<std::uint32_t> times(data.n_rows, 0);
  for (const std::uint8_t label : {0, 1}) {
    const std::vector<std::uint32_t> rows = rows_of_class(data, label);
    for (std::size_t i = 0; i < rows.size(); ++i) times[rows[i]] = (label ? bag.pos : bag.neg)[i];
  }
  return times;
}

template <class T>
Data<T> repeated(const Data<T>& data, const std::vector<std::uint32_t>& times) {
  Data<T> result = data;
  result.values.clear();
  result.labels.clear();
  for (std::size_t row = 0; row < data.n_rows; ++row) {
    for (std::uint32_t k = 0; k < times[row]; ++k) {
      const T* first = data.values.data() + row * data.n_features;
      result.values.insert(result.values.end(), first, first + data.n_features);
      result.labels.push_back(data.labels[row]);
    }
  }
  result.n_rows = result.labels.size();
  return result;
}

// ---- one forest
// -----------------------------------------------------------------------------------------------

template <class T>
struct ForestCase {
  Data<T> data;
  GrowOptions options;
  ForestOptions trees;
  std::string where;

  ForestCase(std::uint64_t seed, std::size_t n_rows)
      : data(random_table<T>(seed, n_rows, seed % 3 == 2)),
        options(random_options(seed, data.n_features)) {
    trees.bootstrap = kBootstraps[seed % 4];
    trees.n_trees = 7;
    trees.random_cuts = std::array{0.0, 0.5, 0.3, 1.0}[seed / 4 % 4];
    where = std::string(sizeof(T) == 4 ? "float" : "double") + " forest, seed " +
            std::to_string(seed) + ", " + std::to_string(n_rows) + " rows: ";
  }

  Bags bags() const {
    return Bags(trees.bootstrap, options.seed, rows_of_class(data, 0).size(),
                rows_of_class(data, 1).size());
  }
  GrowOptions with_threads(int n_threads) const {
    GrowOptions result = options;
    result.n_threads = n_threads;
    return result;
  }
  OutOfBag votes(const Voters& voters, const std::vector<double>& values, std::int64_t permuted,
                 int n_threads) const {
    return voters.out_of_bag(data.table(), rows_of_class(data, 0), rows_of_class(data, 1),
                             values.data(), bags(), 0, permuted, n_threads, [] { return false; });
  }
};

template <class T>
void check_threads_and_goes(const ForestCase<T>& test, const GrownForest& forest) {
  for (const int n_threads : {2, 3, 4})
    check(same(forest, grow_trees(test.data, test.with_threads(n_threads), test.trees)),
          test.where + std::to_string(n_threads) + " threads do not matter");
  GrownForest one_by_one;
  ForestOptions single = test.trees;
  single.n_trees = 1;
  for (; single.first_tree < test.trees.n_trees; ++single.first_tree)
    one_by_one.append(grow_trees(test.data, test.options, single));
  check(same(forest, one_by_one), test.where + "trees grown one by one");
}

// A tree of a forest is that of the rows it drew; each has a seed of its own for its columns.
template <class T>
void check_trees(const ForestCase<T>& test, const GrownForest& forest) {
  const bool every_row = test.trees.bootstrap == Bootstrap::none;
  if (!every_row && (test.options.max_bins > 0 || !test.data.weights.empty()))
    return;  // bins and the unit of weights are those of all rows
  const Bags bags = test.bags();
  for (std::size_t i = 0; i < test.trees.n_trees; ++i) {
    GrowOptions own = test.options;
    own.seed = tree_seed(test.options.seed, i);
    own.random_cuts = draws_cuts(i, test.trees.random_cuts);
    const Data<T> drawn =
        every_row ? test.data : repeated(test.data, times_drawn(test.data, bags, i));
    check(same(tree_of(forest, i, own), drawn.grow(own)),
          test.where + "tree " + std::to_string(i) + " is that of its rows");
  }
}

inline std::vector<double> leaf_values(const GrownForest& forest) {
  std::vector<double> values;
  for (std::size_t i = 0; i < forest.nodes.size(); ++i) {
    const double neg = forest.rows[2 * i], pos = forest.rows[2 * i + 1];
    values.push_back(pos / (neg + pos));
  }
  return values;
}

// Trees that vote as soon as they are grown say what they say when they are asked later.
template <class T>
void check_votes_in_growth(const ForestCase<T>& test, const GrownForest& forest) {
  const LeafVote laplace{0.5, 3.0, 1.0, 2.0};
  std::vector<double> values;
  for (std::size_t i = 0; i < forest.nodes.size(); ++i) {
    const bool weighed = !forest.weight.empty();
    const double neg = weighed ? forest.weight[2 * i] : forest.rows[2 * i];
    const double pos = weighed ? forest.weight[2 * i + 1] : forest.rows[2 * i + 1];
    values.push_back((pos * 3.0 + 1.0) / (neg * 0.5 + pos * 3.0 + 2.0));
  }
  const OutOfBag later = test.votes(voters_of(forest), values, -1, 1);
  ForestOptions trees = test.trees;
  trees.vote = laplace;
  for (const int n_threads : {1, 3}) {
    const OutOfBag votes = grow_trees(test.data, test.with_threads(n_threads), trees).votes;
    check(votes.sum == later.sum && votes.count == later.count,
          test.where + "votes in growth, " + std::to_string(n_threads) + " threads");
  }
}

// What each tree says of each row, found through the tree in full.
template <class T>
std::vector<std::vector<double>> votes_one_by_one(const ForestCase<T>& test,
                                                  const GrownForest& forest) {
  std::vector<std::vector<double>> votes;
  for (std::size_t i = 0; i < test.trees.n_trees; ++i) {
    const GrownTree tree = tree_of(forest, i, test.options);
    const Router router(tree.feature.size(), tree.feature.data(), tree.cut.data(), tree.left.data(),
                        tree.right.data(), tree.missing_left.data(), tree.category.data(),
                        tree.levels_left);
    std::vector<std::int32_t> leaf(test.data.n_rows);
    router.leaves(test.data.table(), leaf.data(), 1);
    std::vector<double>& own = votes.emplace_back();
    for (const std::int32_t node : leaf) {
      const auto at = 2 * static_cast<std::size_t>(node);
      const auto neg = static_cast<double>(tree.rows[at]);
      const auto pos = static_cast<double>(tree.rows[at + 1]);
      own.push_back(pos / (neg + pos));
    }
  }
  return votes;
}

template <class T>
void check_votes(const ForestCase<T>& test, const GrownForest& forest) {
  const Voters voters = voters_of(forest);
  const std::vector<double> values = leaf_values(forest);
  const std::vector<std::vector<double>> votes = votes_one_by_one(test, forest);
  std::vector<double> expected(test.data.n_rows, 0.0);
  OutOfBag unseen(test.data.n_rows);
  for (std::size_t i = 0; i < votes.size(); ++i) {
    const std::vector<std::uint32_t> times = times_drawn(test.data, test.bags(), i);
    const double share = 1.0 / static_cast<double>(i + 1);
    for (std::size_t row = 0; row < test.data.n_rows; ++row) {
      expected[row] += share * (votes[i][row] - expected[row]);  // a running mean
      if (times[row] > 0 || !test.data.counts(row)) continue;
      unseen.sum[row] += std::llround(std::ldexp(votes[i][row], OutOfBag::kDigits));
      ++unseen.count[row];
    }
  }
  for (const int n_threads : {1, 2, 3, 4}) {
    const std::string where = test.where + std::to_string(n_threads) + " threads: ";
    std::vector<double> mean(test.data.n_rows, -1.0);
    voters.mean(test.data.table(), values.data(), mean.data(), n_threads);
    check(same_bytes(mean, expected), where + "the mean vote");
    check(same(test.votes(voters, values, -1, n_threads), unseen), where + "out-of-bag votes");
    const OutOfBag permuted = test.votes(voters, values, 0, n_threads);
    check(same_bytes(permuted.count, unseen.count), where + "permuting changes no bag");
    check(same(permuted, test.votes(voters, values, 0, 1)), where + "the same permutation");
  }
}

template <class T>
void check_forest(std::uint64_t seed, std::size_t n_rows) {
  const ForestCase<T> test(seed, n_rows);
  const GrownForest forest = grow_trees(test.data, test.options, test.trees);
  check_threads_and_goes(test, forest);
  check_votes_in_growth(test, forest);
  check_trees(test, forest);
  check_votes(test, forest);
}

// Rows without missing values go down the first levels of trees block by block; the last block is
// not full.
template <class T>
void check_complete_rows(std::uint64_t seed, std::size_t n_rows) {
  ForestCase<T> test(seed, n_rows);
  test.data.categorical.assign(test.data.n_features, 0);
  for (T& value : test.data.values)
    if (std::isnan(value)) value = T{0};
  test.where += "complete, ";
  check_votes(test, grow_trees(test.data, test.options, test.trees));
}

inline void forests() {
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    check_forest<double>(seed, 3 + seed * 7);
    check_forest<float>(seed + 500, 3 + seed * 7);
  }
  for (std::uint64_t seed = 3000; seed < 3004; ++seed) check_forest<double>(seed, 11000);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    check_complete_rows<double>(seed, 1100 + seed);
    check_complete_rows<float>(seed, 1100 + seed);
  }
}

// ---- bags
// -----------------------------------------------------------------------------------------------------

inline std::size_t total(const std::vector<std::uint32_t>& times) {
  return std::accumulate(times.begin(), times.end(), std::size_t{0});
}

inline void bags() {
  constexpr std::size_t n_neg = 900, n_pos = 100, n_trees = 200;
  for (std::size_t b = 0; b < std::size(kBootstraps); ++b) {
    const Bags bags(kBootstraps[b], 5, n_neg, n_pos), other(kBootstraps[b], 6, n_neg, n_pos);
    std::size_t left_out = 0;
    for (std::size_t tree = 0; tree < n_trees; ++tree) {
      const Bag bag = bags.draw(tree), again = bags.draw(tree);
      const std::string where = "bag " + std::to_string(b) + " of tree " + std::to_string(tree);
      const std::size_t neg = total(bag.neg), pos = total(bag.pos);
      check(bag.neg.size() == n_neg && bag.pos.size() == n_pos, where + ": all rows counted");
      check(kBootstraps[b] == Bootstrap::balanced ? neg == n_pos && pos == n_pos
                                                  : neg + pos == n_neg + n_pos,
            where + ": number of draws");
      if (kBootstraps[b] != Bootstrap::plain)
        check(pos == n_pos, where + ": as many positives as there are");
      check(same_bytes(bag.neg, again.neg) && same_bytes(bag.pos, again.pos), where + ": again");
      if (kBootstraps[b] != Bootstrap::none) {
        check(!same_bytes(bag.neg, other.draw(tree).neg), where + ": another seed");
        check(!same_bytes(bag.neg, bags.draw(tree + 1).neg), where + ": another tree");
      }
      left_out += static_cast<std::size_t>(std::count(bag.pos.begin(), bag.pos.end(), 0U));
    }
    const double share = static_cast<double>(left_out) / (n_trees * n_pos);
    const double wanted = kBootstraps[b] == Bootstrap::none ? 0.0 : std::exp(-1.0);
    check(std::abs(share - wanted) < 0.01, "share of positives left out " + std::to_string(share));
  }
}

// ---- interruption and bad input
// -------------------------------------------------------------------------------

// Whether growing stops at the n-th question, and voting at once; both ask, and tell of their
// progress, in the calling thread alone.
inline void check_forest_interrupt(const ForestCase<double>& test, int n_threads, int nth) {
  const std::string where = std::to_string(n_threads) + " threads, call " + std::to_string(nth);
  const auto caller = std::this_thread::get_id();
  int calls = 0;
  std::size_t told = 0;
  bool foreign = false, falls = false, stopped = false;
  GrowOptions options = test.with_threads(n_threads);
  ForestOptions trees = test.trees;
  options.interrupted = [&] {
    foreign = foreign || std::this_thread::get_id() != caller;
    return ++calls >= nth;
  };
  trees.progress = [&](std::size_t finished) {
    foreign = foreign || std::this_thread::get_id() != caller;
    falls = falls || finished < told || finished > trees.n_trees;
    told = finished;
  };
  try {
    grow_trees(test.data, options, trees);
  } catch (const Interrupted&) {
    stopped = true;
  }
  check(stopped, "forest interrupted, " + where);
  check(!foreign && !falls, "asked and told in the calling thread, " + where);
}

inline void forest_interrupts() {
  ForestCase<double> test(40, 3000);  // a seed that sets no limits to growth
  test.options = GrowOptions();
  test.options.criterion = criterion_named("gini");
  test.trees.bootstrap = Bootstrap::stratified;
  test.trees.n_trees = 40;
  for (const int n_threads : {1, 2, 4})
    for (const int nth : {1, 5, 40}) check_forest_interrupt(test, n_threads, nth);
  const GrownForest forest = grow_trees(test.data, test.options, test.trees);
  const std::vector<double> values = leaf_values(forest);
  for (const int n_threads : {1, 4}) {
    bool stopped = false;
    try {
      voters_of(forest).out_of_bag(test.data.table(), rows_of_class(test.data, 0),
                                   rows_of_class(test.data, 1), values.data(), test.bags(), 0, -1,
                                   n_threads, [] { return true; });
    } catch (const Interrupted&) {
      stopped = true;
    }
    check(stopped, "votes interrupted, " + std::to_string(n_threads) + " threads");
  }
}

inline void bad_forests() {
  GrownForest stump;
  stump.begin = {0, 3};
  stump.nodes = {{0.5, 1, 0}, PackedNode::leaf(1), PackedNode::leaf(2)};
  check(!refuses([&] { voters_of(stump); }), "a sound forest is accepted");
  const auto damaged = [&](auto damage) {
    GrownForest forest = stump;
    damage(forest);
    return refuses([&] { voters_of(forest); });
  };
  check(damaged([](GrownForest& f) { f.begin = {0, 2}; }), "nodes behind the last tree");
  check(damaged([](GrownForest& f) { f.begin = {0, 4}; }), "a tree behind the last node");
  check(damaged([](GrownForest& f) { f.begin = {0, 3, 3}; }), "a tree without nodes");
  check(damaged([](GrownForest& f) { f.begin = {1, 3}; }), "nodes before the first tree");
  check(damaged([](GrownForest& f) { f.nodes[0].left = 2; }), "a child out of range");
  check(damaged([](GrownForest& f) { f.nodes[1].left = 0; }), "a cycle");
  check(damaged([](GrownForest& f) { f.nodes[1] = {0.5, 3, 0}; }),
        "an inner node without children");
  check(damaged([](GrownForest& f) { f.nodes[0] = PackedNode::leaf(0); }), "nodes nobody reaches");
  check(damaged([](GrownForest& f) { f.nodes[1].cut = 0.0; }), "a leaf with a cut");
  check(damaged([](GrownForest& f) { f.nodes[0].cut = std::nan(""); }), "a cut that is no number");
  check(damaged([](GrownForest& f) { f.begin = {0, 4, 3}; }), "a tree that ends behind the nodes");
  check(damaged([](GrownForest& f) { f.nodes[1].cut = -f.nodes[1].cut; }),
        "a leaf that turns left");
  check(damaged([](GrownForest& f) { f.nodes[1].feature |= PackedNode::kCategory; }),
        "a leaf with levels");
  check(damaged([](GrownForest& f) {
          f.levels_left.resize(kLevelBytes);
          f.nodes[0] = {-1.0, 1, PackedNode::kCategory};
        }),
        "levels before the first");
  check(damaged([](GrownForest& f) { f.nodes[0].feature |= PackedNode::kCategory; }),
        "a category without levels");
}

inline void check_forests() {
  group("bags", bags);
  group("forests", forests);
  group("interrupted forests", forest_interrupts);
  group("bad forests", bad_forests);
}

}  // namespace thresher::checks
