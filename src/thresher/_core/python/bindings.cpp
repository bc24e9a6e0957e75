// The Python face of the core: trees and forests in memory.
#include "python/bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "base/simd.hpp"
#include "forest/forest.hpp"
#include "forest/predict.hpp"
#include "forest/unpack.hpp"
#include "forest/votes.hpp"
#include "growth/grow.hpp"

namespace thresher {

nb::dict to_dict(GrownTree tree, const Criterion& criterion) {
  nb::dict fields;
  fields["feature"] = to_numpy(std::move(tree.feature));
  fields["cut"] = to_numpy(std::move(tree.cut));
  fields["left"] = to_numpy(std::move(tree.left));
  fields["right"] = to_numpy(std::move(tree.right));
  fields["missing_left"] = nb::cast(to_numpy(std::move(tree.missing_left))).attr("view")("bool");
  fields["category"] = to_numpy(std::move(tree.category));
  fields["levels_left"] = to_numpy(std::move(tree.levels_left), kLevelBytes);
  fields["levels_seen"] = to_numpy(std::move(tree.levels_seen), kLevelBytes);
  fields["rows"] = to_numpy(std::move(tree.rows), 2);
  fields["weight"] = to_numpy(std::move(tree.weight), 2);
  fields["class_weight"] =
      to_numpy(std::vector<double>{criterion.weight_neg, criterion.weight_pos});
  fields["alpha"] = to_numpy(std::move(tree.alpha));
  fields["impurity"] = to_numpy(std::move(tree.impurity));
  fields["gain"] = to_numpy(std::move(tree.gain));
  return fields;
}

namespace {

GrowOptions make_options(const std::string& criterion, double alpha, double tolerance,
                         std::pair<double, double> class_weight, std::int64_t max_depth,
                         std::int64_t max_leaf_nodes, double min_leaf_weight,
                         double min_leaf_fraction, double min_split_weight, double min_gain,
                         std::int64_t max_features, int max_bins, std::uint64_t seed, bool mdl,
                         bool random_cuts) {
  GrowOptions options;
  options.criterion = criterion_named(criterion);
  options.criterion.alpha = alpha;
  options.criterion.tolerance = tolerance;
  options.criterion.weight_neg = class_weight.first;
  options.criterion.weight_pos = class_weight.second;
  options.criterion.mdl = mdl;
  options.max_depth = max_depth;
  options.max_leaf_nodes = max_leaf_nodes;
  options.min_leaf_weight = min_leaf_weight;
  options.min_leaf_fraction = min_leaf_fraction;
  options.min_split_weight = min_split_weight;
  options.min_gain = min_gain;
  options.max_features = max_features;
  options.max_bins = max_bins;
  options.seed = seed;
  options.random_cuts = random_cuts;
  return options;
}

// categorical: not needed for votes.
template <class T>
TrainingRows<T> training_rows(const Matrix<T>& x, const Vector<std::uint8_t>& y,
                              const std::optional<Vector<double>>& weights,
                              std::span<const std::uint8_t> categorical = {}) {
  const Table<T> table = table_of(x);
  require(y.shape(0) == table.n_rows && (!weights || weights->shape(0) == table.n_rows),
          "y and weights need one entry a row");
  require(table.n_rows < std::numeric_limits<std::uint32_t>::max(),
          "a tree takes fewer than 2^32 - 1 rows");
  return {table, span_of(y), weights ? span_of(*weights) : std::span<const double>(), categorical};
}

GrowOptions for_this_call(GrowOptions options, const Vector<std::uint8_t>& categorical,
                          std::size_t n_features, int n_threads) {
  if (categorical.shape(0) != n_features)
    throw nb::value_error("categorical needs one entry a column");
  options.n_threads = static_cast<int>(thread_count(kMaxThreads, n_threads));
  options.interrupted = SignalCheck();
  return options;
}

template <class T>
nb::dict grow_tree(const Matrix<T>& x, const Vector<std::uint8_t>& y,
                   const std::optional<Vector<double>>& weights,
                   const Vector<std::uint8_t>& categorical, const GrowOptions& given,
                   int n_threads) {
  const TrainingRows<T> rows = training_rows(x, y, weights, span_of(categorical));
  const GrowOptions options = for_this_call(given, categorical, rows.table.n_features, n_threads);
  GrownTree tree;
  run_freely([&] { tree = grow(rows, options); });
  return to_dict(std::move(tree), options.criterion);
}

// ---- forests ----

Bootstrap bootstrap_named(const std::string& name) {
  if (name == "none") return Bootstrap::none;
  if (name == "plain") return Bootstrap::plain;
  if (name == "stratified") return Bootstrap::stratified;
  if (name == "balanced") return Bootstrap::balanced;
  throw nb::value_error("unknown bootstrap");
}

nb::dict to_dict(GrownForest forest) {
  nb::dict fields;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(forest.nodes.data());
  fields["begin"] = to_numpy(std::move(forest.begin));
  fields["nodes"] =
      to_numpy(std::vector<std::uint8_t>(bytes, bytes + forest.nodes.size() * sizeof(PackedNode)),
               sizeof(PackedNode));
  fields["rows"] = to_numpy(std::move(forest.rows), 2);
  fields["weight"] = to_numpy(std::move(forest.weight), 2);
  fields["levels_left"] = to_numpy(std::move(forest.levels_left), kLevelBytes);
  fields["levels_seen"] = to_numpy(std::move(forest.levels_seen), kLevelBytes);
  fields["votes"] = nb::make_tuple(to_numpy(std::move(forest.votes.sum)),
                                   to_numpy(std::move(forest.votes.count)));
  return fields;
}

// (negative, positive) weight of the classes, then what smoothing adds: positives, and rows in all.
using Votes = std::optional<std::tuple<double, double, double, double>>;

std::optional<LeafVote> leaf_vote(const Votes& votes) {
  if (!votes) return std::nullopt;
  const auto [neg, pos, added_pos, added] = *votes;
  return LeafVote{neg, pos, added_pos, added};
}

// Tells Python of progress, at most every 50 ms.
std::function<void(std::size_t)> progress_to(const nb::object& callback) {
  if (callback.is_none()) return [](std::size_t) {};
  return [callback = nb::borrow(callback),
          last = std::chrono::steady_clock::time_point{}](std::size_t finished) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::milliseconds(50)) return;
    last = now;
    const nb::gil_scoped_acquire gil;
    callback(finished);
  };
}

template <class T>
nb::dict grow_trees(const Matrix<T>& x, const Vector<std::uint8_t>& y,
                    const std::optional<Vector<double>>& weights,
                    const Vector<std::uint8_t>& categorical, const GrowOptions& given,
                    const std::string& bootstrap, std::uint64_t first_tree, std::size_t n_trees,
                    const Votes& votes, double random_cuts, const nb::object& progress,
                    int n_threads) {
  const TrainingRows<T> rows = training_rows(x, y, weights, span_of(categorical));
  const GrowOptions options = for_this_call(given, categorical, rows.table.n_features, n_threads);
  const ForestOptions trees{bootstrap_named(bootstrap), first_tree,       n_trees,
                            progress_to(progress),      leaf_vote(votes), random_cuts};
  GrownForest forest;
  run_freely([&] { forest = grow_forest(rows, options, trees); });
  return to_dict(std::move(forest));
}

nb::dict grow_trees_on_bins(const Grid<std::uint8_t>& codes, const Vector<std::uint8_t>& labels,
                            const std::optional<Vector<std::int64_t>>& weights,
                            const ArraysOfColumns& edges, const Vector<std::uint8_t>& categorical,
                            std::optional<int> digits, const GrowOptions& given,
                            const std::string& bootstrap, std::uint64_t first_tree,
                            std::size_t n_trees, const Votes& votes, double random_cuts,
                            const nb::object& progress, int n_threads) {
  const BoundRows rows(codes, labels, weights);
  const GrowOptions options = for_this_call(given, categorical, rows.n_features, n_threads);
  const ForestOptions trees{bootstrap_named(bootstrap), first_tree,       n_trees,
                            progress_to(progress),      leaf_vote(votes), random_cuts};
  const BinEdges bins = to_edges(edges, rows.n_features);
  GrownForest forest;
  run_freely([&] {
    forest = grow_forest(rows, bins, FixedPoint::of_digits(digits.value_or(0)),
                         span_of(categorical), options, trees);
  });
  return to_dict(std::move(forest));
}

nb::tuple draw_bag(const std::string& bootstrap, std::uint64_t seed, std::uint64_t tree,
                   std::size_t n_neg, std::size_t n_pos) {
  Bag bag = Bags(bootstrap_named(bootstrap), seed, n_neg, n_pos).draw(tree);
  return nb::make_tuple(to_numpy(std::move(bag.neg)), to_numpy(std::move(bag.pos)));
}

// The arrays of a forest, kept alive, and what reads them.
struct BoundForest {
  using Nodes = nb::ndarray<const std::uint8_t, nb::shape<-1, 16>, nb::c_contig, nb::device::cpu>;

  BoundForest(Nodes its_nodes, Vector<std::int64_t> its_begin, Levels its_levels)
      : nodes(std::move(its_nodes)),
        begin(std::move(its_begin)),
        levels_left(std::move(its_levels)),
        voters(aligned<PackedNode>(nodes.data()), nodes.shape(0), items_of(begin).data(), n_trees(),
               levels_left.data(), levels_left.shape(0)) {}

  std::size_t n_trees() const {
    if (begin.shape(0) < 2) throw nb::value_error("a forest needs a tree");
    return begin.shape(0) - 1;
  }

  template <class T>
  void check(const Table<T>& table, const Vector<double>& values) const {
    if (table.n_features < voters.n_features())
      throw nb::value_error("X has too few columns for this forest");
    if (values.shape(0) != voters.n_nodes()) throw nb::value_error("values need one entry a node");
  }

  Nodes nodes;
  Vector<std::int64_t> begin;
  Levels levels_left;
  Voters voters;
};

template <class T>
Array<double> mean_vote(const BoundForest& forest, const Matrix<T>& x, const Vector<double>& values,
                        int n_threads) {
  const Table<T> table = table_of(x);
  forest.check(table, values);
  std::vector<double> result(table.n_rows);
  run_freely([&] { forest.voters.mean(table, items_of(values).data(), result.data(), n_threads); });
  return to_numpy(std::move(result));
}

template <class T>
nb::tuple out_of_bag(const BoundForest& forest, const Matrix<T>& x, const Vector<std::uint8_t>& y,
                     const std::optional<Vector<double>>& weights, const Vector<double>& values,
                     const std::string& bootstrap, std::uint64_t seed, std::size_t first_tree,
                     std::int64_t permuted, int n_threads) {
  const TrainingRows<T> rows = training_rows(x, y, weights);
  forest.check(rows.table, values);
  if (permuted >= static_cast<std::int64_t>(rows.table.n_features))
    throw nb::value_error("there is no such column to permute");
  OutOfBag votes(0);
  run_freely([&] {
    const std::vector<std::uint32_t> neg = rows.of_class(0), pos = rows.of_class(1);
    const Bags bags(bootstrap_named(bootstrap), seed, neg.size(), pos.size());
    votes = forest.voters.out_of_bag(rows.table, neg, pos, items_of(values).data(), bags,
                                     first_tree, permuted, n_threads, SignalCheck());
  });
  return nb::make_tuple(to_numpy(std::move(votes.sum)), to_numpy(std::move(votes.count)));
}

nb::dict unpack_tree(const BoundForest& forest, std::size_t tree, const Counts& rows,
                     const std::optional<Weights>& weight, const Levels& levels_seen,
                     const GrowOptions& options) {
  const std::size_t n_nodes = forest.voters.n_nodes();
  if (tree >= forest.n_trees()) throw nb::index_error("the forest has no such tree");
  if (rows.shape(0) != n_nodes || (weight && weight->shape(0) != n_nodes) ||
      levels_seen.shape(0) != forest.levels_left.shape(0))
    throw nb::value_error("the arrays of a forest need one entry a node");
  const std::size_t first = forest.voters.first_node(tree);
  std::optional<Items<double>> its_weight;
  if (weight) its_weight.emplace(weight->data(), weight->size());
  return to_dict(unpack(forest.voters.tree(tree), items_of(rows).data() + 2 * first,
                        its_weight ? its_weight->data() + 2 * first : nullptr, levels_seen.data(),
                        options.criterion),
                 options.criterion);
}

// ---- one tree ----

Router make_router(const Vector<std::int32_t>& feature, const Vector<double>& cut,
                   const Vector<std::int32_t>& left, const Vector<std::int32_t>& right,
                   const Vector<bool>& missing_left, const Vector<std::int32_t>& category,
                   const Levels& levels_left) {
  const std::size_t n = feature.shape(0);
  for (const std::size_t length :
       {cut.shape(0), left.shape(0), right.shape(0), missing_left.shape(0), category.shape(0)})
    if (length != n) throw nb::value_error("the arrays of a tree need one length");
  return Router(n, items_of(feature).data(), items_of(cut).data(), items_of(left).data(),
                items_of(right).data(), reinterpret_cast<const std::uint8_t*>(missing_left.data()),
                items_of(category).data(),
                std::vector<std::uint8_t>(levels_left.data(),
                                          levels_left.data() + levels_left.shape(0) * kLevelBytes));
}

template <class T>
Array<std::int32_t> leaves(const Router& router, const Matrix<T>& x, int n_threads) {
  const Table<T> table = table_of(x);
  if (table.n_features < static_cast<std::size_t>(router.n_features()))
    throw nb::value_error("X has too few columns for this tree");
  std::vector<std::int32_t> leaf(table.n_rows);
  run_freely([&] { router.leaves(table, leaf.data(), n_threads); });
  return to_numpy(std::move(leaf));
}

double impurity_of(const std::string& criterion, double p, double alpha) {
  switch (criterion_named(criterion).impurity) {
    case Impurity::renyi:
      return renyi_entropy(p, alpha);
    case Impurity::shannon:
      return shannon_entropy(p);
    case Impurity::gini:
      return 2.0 * p * (1.0 - p);
    case Impurity::dkm:
      return 2.0 * std::sqrt(p * (1.0 - p));
  }
  return 0.0;
}

template <class T>
void bind_growth(nb::module_& module) {
  module.def("grow", &grow_tree<T>, "X"_a, "y"_a, "weights"_a.none(), "categorical"_a, "options"_a,
             "n_threads"_a = 1, "Grow a tree; the fields of thresher.tree.structure.Tree.");
  module.def(
      "grow_forest", &grow_trees<T>, "X"_a, "y"_a, "weights"_a.none(), "categorical"_a, "options"_a,
      nb::kw_only(), "bootstrap"_a, "first_tree"_a, "n_trees"_a, "votes"_a.none() = nb::none(),
      "random_cuts"_a = 0.0, "progress"_a.none(), "n_threads"_a = 1,
      "Grow trees; the arrays of thresher.forest.structure.Forest. With `votes`, what leaves "
      "add to their counts, also the sum (in units of 2^-40) and the number of the votes for "
      "rows that trees did not draw.");
}

template <class T>
void bind_votes(nb::class_<BoundForest>& forest) {
  forest.def("mean", &mean_vote<T>, "X"_a, "values"_a, "n_threads"_a = 1,
             "The mean over all trees of the value of each row's leaf; OverflowError where a value "
             "is infinite.");
  forest.def("out_of_bag", &out_of_bag<T>, "X"_a, "y"_a, "weights"_a.none(), "values"_a,
             nb::kw_only(), "bootstrap"_a, "seed"_a, "first_tree"_a = 0, "permuted"_a = -1,
             "n_threads"_a = 1,
             "For each training row: the sum (in units of 2^-40) and the number of the votes of "
             "trees that did not see it.");
}

}  // namespace
}  // namespace thresher

NB_MODULE(_core, module) {
  using namespace thresher;
  module.doc() = "The compiled core of thresher: growing trees and routing rows.";
  // What somebody holds until the interpreter ends is no message for users.
  nb::set_leak_warnings(false);
  nb::class_<GrowOptions>(module, "GrowOptions", "How trees are grown.")
      .def(nb::new_(&make_options), nb::kw_only(), "criterion"_a, "alpha"_a, "tolerance"_a,
           "class_weight"_a, "max_depth"_a, "max_leaf_nodes"_a, "min_leaf_weight"_a,
           "min_leaf_fraction"_a = 0.0, "min_split_weight"_a, "min_gain"_a, "max_features"_a,
           "max_bins"_a, "seed"_a, "mdl"_a, "random_cuts"_a = false);
  bind_growth<double>(module);
  bind_growth<float>(module);
  module.def("grow_forest_on_bins", &grow_trees_on_bins, "codes"_a, "labels"_a, "weights"_a.none(),
             "edges"_a, "categorical"_a, "digits"_a.none(), "options"_a, nb::kw_only(),
             "bootstrap"_a, "first_tree"_a, "n_trees"_a, "votes"_a.none() = nb::none(),
             "random_cuts"_a = 0.0, "progress"_a.none(), "n_threads"_a = 1,
             "Grow trees on rows that are bins already.");
  module.def("draw_bag", &draw_bag, "bootstrap"_a, "seed"_a, "tree"_a, "n_neg"_a, "n_pos"_a,
             "How often a tree of a forest draws each row of the negatives and of the positives.");
  module.def("draws_cuts", &draws_cuts, "tree"_a, "share"_a,
             "Whether a tree of a forest draws its cuts, if this share of them does.");
  module.def("tree_seed", &tree_seed, "seed"_a, "tree"_a, "The seed of a tree's own draws.");
  nb::class_<BoundForest> forest(module, "Forest", "Packed trees, ready to vote.");
  forest.def(nb::init<BoundForest::Nodes, Vector<std::int64_t>, Levels>(), "nodes"_a, "begin"_a,
             "levels_left"_a);
  bind_votes<double>(forest);
  bind_votes<float>(forest);
  bind_votes<std::uint8_t>(forest);
  forest.def("tree", &unpack_tree, "tree"_a, "rows"_a, "weight"_a.none(), "levels_seen"_a,
             "options"_a, "One tree in full: the fields of thresher.tree.structure.Tree.");
  nb::class_<Router>(module, "Router", "A tree packed for prediction.")
      .def(
          "__init__",
          [](Router* self, const Vector<std::int32_t>& feature, const Vector<double>& cut,
             const Vector<std::int32_t>& left, const Vector<std::int32_t>& right,
             const Vector<bool>& missing_left, const Vector<std::int32_t>& category,
             const Levels& levels_left) {
            new (self)
                Router(make_router(feature, cut, left, right, missing_left, category, levels_left));
          },
          "feature"_a, "cut"_a, "left"_a, "right"_a, "missing_left"_a, "category"_a,
          "levels_left"_a)
      .def("leaves", &leaves<double>, "X"_a, "n_threads"_a = 1,
           "The leaf of each row; OverflowError where a value is infinite.")
      .def("leaves", &leaves<float>, "X"_a, "n_threads"_a = 1);
  bind_block_growth(module);
  bind_additive(module);
  bind_explain(module);
  module.def("has_wide_instructions", &wide_available,
             "Whether kernels run with AVX2 and BMI2 on this processor.");
  module.def("find_alpha", &find_alpha, "p"_a, "tolerance"_a, "Twin of criteria.find_alpha.");
  module.def("impurity", &impurity_of, "criterion"_a, "p"_a, "alpha"_a,
             "Twin of the impurities of criteria.py.");
}
