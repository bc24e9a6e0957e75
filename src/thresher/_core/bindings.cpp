// The Python face of the core. Nothing else in this folder knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "grow.hpp"
#include "predict.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thresher {
namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Levels = nb::ndarray<const std::uint8_t, nb::shape<-1, 32>, nb::c_contig, nb::device::cpu>;

template <class T>
Table<T> table_of(const Matrix<T>& x) {
  return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

// Hands a vector over to NumPy without copying.
template <class T>
using Array = nb::ndarray<nb::numpy, T>;
template <class T>
Array<T> to_numpy(std::vector<T> values, std::size_t columns = 0) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (columns == 0) return Array<T>(data, {size}, owner);
  return Array<T>(data, {size / columns, columns}, owner);
}

nb::dict to_dict(GrownTree tree, const Criterion& criterion) {
  nb::dict fields;
  fields["feature"] = to_numpy(std::move(tree.feature));
  fields["cut"] = to_numpy(std::move(tree.cut));
  fields["left"] = to_numpy(std::move(tree.left));
  fields["right"] = to_numpy(std::move(tree.right));
  fields["missing_left"] = nb::cast(to_numpy(std::move(tree.missing_left))).attr("view")("bool");
  fields["category"] = to_numpy(std::move(tree.category));
  fields["levels_left"] = to_numpy(std::move(tree.levels_left), 32);
  fields["levels_seen"] = to_numpy(std::move(tree.levels_seen), 32);
  fields["rows"] = to_numpy(std::move(tree.rows), 2);
  fields["weight"] = to_numpy(std::move(tree.weight), 2);
  fields["class_weight"] =
      to_numpy(std::vector<double>{criterion.weight_neg, criterion.weight_pos});
  fields["alpha"] = to_numpy(std::move(tree.alpha));
  fields["impurity"] = to_numpy(std::move(tree.impurity));
  fields["gain"] = to_numpy(std::move(tree.gain));
  return fields;
}

// Asks Python for a pending Ctrl-C, at most every 50 ms: the answer costs the GIL.
class SignalCheck {
 public:
  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return false;
    last_ = now;
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

template <class T>
nb::dict grow_tree(const Matrix<T>& x, const Vector<std::uint8_t>& y,
                   const std::optional<Vector<double>>& weights, const std::string& criterion,
                   double alpha, double tolerance, std::pair<double, double> class_weight,
                   std::int64_t max_depth, std::int64_t max_leaf_nodes, double min_leaf_weight,
                   double min_leaf_fraction, double min_split_weight, double min_gain,
                   std::int64_t max_features, int max_bins, const Vector<std::uint8_t>& categorical,
                   std::uint64_t seed, bool mdl, int n_threads) {
  const Table<T> table = table_of(x);
  if (y.shape(0) != table.n_rows || categorical.shape(0) != table.n_features ||
      (weights && weights->shape(0) != table.n_rows))
    throw nb::value_error("y and weights need one entry a row, categorical one a column");
  if (table.n_rows >= std::numeric_limits<std::uint32_t>::max())
    throw nb::value_error("a tree takes fewer than 2^32 - 1 rows");
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
  options.n_threads = n_threads;
  options.interrupted = SignalCheck();
  GrownTree tree;
  try {
    const nb::gil_scoped_release no_gil;
    tree = grow(table, y.data(), weights ? weights->data() : nullptr, categorical.data(), options);
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
  return to_dict(std::move(tree), options.criterion);
}

Router make_router(const Vector<std::int32_t>& feature, const Vector<double>& cut,
                   const Vector<std::int32_t>& left, const Vector<std::int32_t>& right,
                   const Vector<bool>& missing_left, const Vector<std::int32_t>& category,
                   const Levels& levels_left) {
  const std::size_t n = feature.shape(0);
  for (const std::size_t length :
       {cut.shape(0), left.shape(0), right.shape(0), missing_left.shape(0), category.shape(0)})
    if (length != n) throw nb::value_error("the arrays of a tree need one length");
  return Router(n, feature.data(), cut.data(), left.data(), right.data(),
                reinterpret_cast<const std::uint8_t*>(missing_left.data()), category.data(),
                std::vector<std::uint8_t>(levels_left.data(),
                                          levels_left.data() + levels_left.shape(0) * 32));
}

template <class T>
Array<std::int32_t> leaves(const Router& router, const Matrix<T>& x, int n_threads) {
  const Table<T> table = table_of(x);
  if (table.n_features < static_cast<std::size_t>(router.n_features()))
    throw nb::value_error("X has too few columns for this tree");
  std::vector<std::int32_t> leaf(table.n_rows);
  try {
    const nb::gil_scoped_release no_gil;
    router.leaves(table, leaf.data(), n_threads);
  } catch (const InfiniteValue&) {
    throw std::overflow_error("X holds an infinite value");
  }
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
void bind_grow(nb::module_& module) {
  module.def("grow", &grow_tree<T>, "X"_a, "y"_a, "weights"_a, nb::kw_only(), "criterion"_a,
             "alpha"_a, "tolerance"_a, "class_weight"_a, "max_depth"_a, "max_leaf_nodes"_a,
             "min_leaf_weight"_a, "min_leaf_fraction"_a = 0.0, "min_split_weight"_a, "min_gain"_a,
             "max_features"_a, "max_bins"_a, "categorical"_a, "seed"_a, "mdl"_a, "n_threads"_a,
             "Grow a tree; the fields of thresher.tree.structure.Tree as a dict.");
}

}  // namespace
}  // namespace thresher

NB_MODULE(_core, module) {
  using namespace thresher;
  module.doc() = "The compiled core of thresher: growing trees and routing rows.";
  bind_grow<double>(module);
  bind_grow<float>(module);
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
  module.def("find_alpha", &find_alpha, "p"_a, "tolerance"_a, "Twin of criteria.find_alpha.");
  module.def("impurity", &impurity_of, "criterion"_a, "p"_a, "alpha"_a,
             "Twin of the impurities of criteria.py.");
}
