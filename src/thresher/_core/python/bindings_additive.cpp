// The Python face of trees that were taken over.
#include "python/bindings_additive.hpp"

#include <algorithm>
#include <cmath>

#include "forest/additive.hpp"
#include "python/bindings.hpp"

namespace thresher {
namespace {

AdditiveTrees make_additive(const Vector<std::int64_t>& begin, const Vector<std::int32_t>& feature,
                            const Vector<double>& cut, const Vector<bool>& missing_left,
                            const Vector<std::int32_t>& level_set,
                            const Vector<std::int64_t>& set_begin,
                            const Vector<std::uint8_t>& set_bits, const Vector<double>& value,
                            const Vector<bool>& zero_is_missing) {
  const BoundArrays arrays(begin, feature, cut, missing_left, level_set, set_begin, set_bits, value,
                           zero_is_missing);
  return AdditiveTrees(arrays.arrays());
}

template <class T>
Array<double> sums(const AdditiveTrees& trees, const Matrix<T>& x, double base, bool in_float32,
                   int n_threads) {
  const Table<T> table = table_of(x);
  require(table.n_features == trees.n_features(), "X has not the columns of these trees");
  std::vector<double> result(table.n_rows);
  run_freely([&] {
    if (in_float32)
      trees.sum<float>(table, base, result.data(), n_threads);
    else
      trees.sum<double>(table, base, result.data(), n_threads);
  });
  return to_numpy(std::move(result));
}

// With the exponential function of this machine's C library, and XGBoost's guard of it.
Array<double> float32_logistic(const Vector<double>& scores) {
  constexpr float kLargestExponent = 88.7F;
  constexpr float kNoZero = 1e-16F;
  std::vector<double> result(scores.shape(0));
  const auto its_scores = items_of(scores);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float exponent = std::min(-static_cast<float>(its_scores[i]), kLargestExponent);
    result[i] = 1.0F / (std::exp(exponent) + 1.0F + kNoZero);
  }
  return to_numpy(std::move(result));
}

template <class T>
void bind_sums(nb::class_<AdditiveTrees>& trees) {
  trees.def("sum", &sums<T>, "X"_a, "base"_a, "in_float32"_a, "n_threads"_a = 1,
            "The base plus the value of each row's leaf in each tree, added in their order; "
            "OverflowError where a value that is asked for is infinite.");
}

}  // namespace

void bind_additive(nb::module_& module) {
  nb::class_<AdditiveTrees> trees(module, "AdditiveTrees", "Trees whose leaves are added up.");
  trees.def(nb::new_(&make_additive), "begin"_a, "feature"_a, "cut"_a, "missing_left"_a,
            "level_set"_a, "set_begin"_a, "set_bits"_a, "value"_a, "zero_is_missing"_a);
  module.def(
      "float32_log_odds", [](float share) { return -std::log(1.0F / share - 1.0F); }, "share"_a,
      "The logarithm of the odds in 32 bits, with the logarithm of this machine's C library.");
  module.def("float32_logistic", &float32_logistic, "scores"_a,
             "1 / (1 + exp(-score)) in 32 bits, as XGBoost computes it.");
  bind_sums<double>(trees);
  bind_sums<float>(trees);
}

}  // namespace thresher
