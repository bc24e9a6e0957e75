// The Python face of cards.
#include <cmath>

#include "card/fitting.hpp"
#include "python/bindings.hpp"

namespace thresher {
namespace {

// The trees one behind the other, each breadth first, as thresher.takeover's AdditiveTrees wants
// them; cuts are numbers of bins.
nb::dict to_arrays(const CardFit& fit) {
  const CardTrees& trees = fit.trees();
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> feature, cut;
  std::vector<std::uint8_t> goes_left;
  std::vector<double> value;
  for (std::size_t tree = 0; tree < trees.n_trees(); ++tree) {
    for (const CardTrees::Place place : trees.nodes(tree)) {
      const CardTrees::Node& node = trees[place];
      feature.push_back(node.is_leaf() ? -1 : node.question.feature);
      cut.push_back(node.question.cut);
      value.push_back(node.is_leaf() ? node.value : 0.0);
      const LevelSet& bits = node.question.goes_left;
      goes_left.insert(goes_left.end(), bits.begin(), bits.end());
    }
    begin.push_back(static_cast<std::int64_t>(feature.size()));
  }
  nb::dict fields;
  fields["begin"] = to_numpy(std::move(begin));
  fields["feature"] = to_numpy(std::move(feature));
  fields["cut"] = to_numpy(std::move(cut));
  fields["goes_left"] = to_numpy(std::move(goes_left), kLevelBytes);
  fields["value"] = to_numpy(std::move(value));
  fields["intercept"] = fit.intercept();
  fields["losses"] = to_numpy(std::vector<double>(fit.losses()));
  return fields;
}

nb::dict fit_card(const Grid<std::uint8_t>& codes, const Vector<std::uint8_t>& categorical,
                  const Vector<double>& target, const Vector<double>& weight,
                  std::size_t max_splits, std::size_t max_trees, double ridge, double min_weight,
                  int passes, int cycles, int n_threads) {
  const std::size_t n = codes.shape(0);
  require(n > 0 && n < std::numeric_limits<std::uint32_t>::max(), "a card needs rows");
  require(target.shape(0) == n && weight.shape(0) == n, "target and weight need one entry a row");
  require(categorical.shape(0) == codes.shape(1), "categorical needs one entry a column");
  require(min_weight > 0.0 && ridge >= 0.0, "leaves need a weight, and ridge is not negative");
  const auto its_target = items_of(target), its_weight = items_of(weight);
  for (std::size_t row = 0; row < n; ++row)
    require(
        std::isfinite(its_target[row]) && its_weight[row] > 0.0 && std::isfinite(its_weight[row]),
        "targets are finite, and weights are above zero");
  CardOptions options;
  options.max_splits = max_splits;
  options.max_trees = max_trees;
  options.ridge = ridge;
  options.min_weight = min_weight;
  options.passes = passes;
  options.cycles = cycles;
  options.interrupted = SignalCheck();
  std::optional<CardRows> rows;
  std::optional<CardFit> fit;
  run_freely([&] {
    rows.emplace(codes.data(), span_of(categorical), its_target.span(), its_weight.span());
    fit.emplace(*rows, options, n_threads);
    fit->fit();
  });
  return to_arrays(*fit);
}

}  // namespace

void bind_card(nb::module_& module) {
  module.def("fit_card", &fit_card, "codes"_a, "categorical"_a, "target"_a, "weight"_a,
             nb::kw_only(), "max_splits"_a, "max_trees"_a, "ridge"_a, "min_weight"_a, "passes"_a,
             "cycles"_a, "n_threads"_a = 1,
             "Few small trees whose leaves add up to the targets, as arrays: begin, feature, cut "
             "(a bin), goes_left (a bit for each code), value; the intercept; the loss after each "
             "step.");
}

}  // namespace thresher
