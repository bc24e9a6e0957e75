#include "card/fitting.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/threads.hpp"

namespace thresher {
namespace {

std::size_t index(CardTrees::Place place) { return static_cast<std::size_t>(place); }

// Sums of amounts and weights of some rows, by their codes.
void add_up(Cells& cells, const std::uint8_t* codes, const std::vector<std::uint32_t>& rows,
            const std::vector<double>& amount, std::span<const double> weight) {
  cells.fill({});
  for (std::size_t i = 0; i < rows.size(); ++i)
    cells[codes[rows[i]]] += {amount[i], weight[rows[i]]};
}

}  // namespace

CardFit::CardFit(const CardRows& rows, const CardOptions& options, int n_threads)
    : rows_(rows),
      options_(options),
      n_threads_(n_threads),
      residual_(rows.target().begin(), rows.target().end()) {
  refit();
}

void CardFit::fit() {
  grow();
  improve();
  grow();
  State best = state();
  std::size_t count = options_.merged;
  for (int cycle = 0; cycle < options_.cycles && count > 0; ++cycle) {
    prune(count);
    grow();
    improve();
    grow();
    if (loss() < best.loss) {
      best = state();
    } else {
      return_to(best);
      count /= 2;  // a smaller change may do
    }
    losses_.push_back(best.loss);
  }
}

// ---- growth ----

void CardFit::grow() {
  while (trees_.n_splits() < options_.max_splits) {
    check_interrupt();
    const Candidate found = best_candidate();
    if (!(found.split.gain > 0.0)) return;
    const Place leaf = found.leaf < 0 ? trees_.add_root() : found.leaf;
    trees_.split(leaf, found.split.question);
    std::size_t tree = 0;
    Place top = leaf;
    while (trees_[top].parent >= 0) top = trees_[top].parent;
    while (trees_.root(tree) != top) ++tree;
    deal_rows(tree);
    refit();
    losses_.push_back(loss());
  }
}

CardFit::Candidate CardFit::best_candidate() const {
  // What pulls at the leaf of each row: weight * (residual without the leaf).
  const std::size_t n = rows_.n_rows();
  const std::span<const double> weight = rows_.weight();
  std::vector<std::vector<double>> pulls(trees_.n_trees() + 1, std::vector<double>(n));
  for (std::size_t tree = 0; tree <= trees_.n_trees(); ++tree)
    for (std::size_t row = 0; row < n; ++row) {
      const double said = tree < trees_.n_trees() ? trees_[leaf_[tree][row]].value : 0.0;
      pulls[tree][row] = weight[row] * (residual_[row] + said);
    }
  const bool may_begin = trees_.n_trees() < options_.max_trees;
  std::vector<Candidate> of_feature(rows_.n_features());
  parallel_for(of_feature.size(), n < kWorthThreads ? 1 : n_threads_, [&](std::size_t feature) {
    of_feature[feature] = best_of_feature(feature, pulls, may_begin);
  });
  Candidate best;
  for (const Candidate& candidate : of_feature)
    if (candidate.split.gain > best.split.gain) best = candidate;
  return best;
}

CardFit::Candidate CardFit::best_of_feature(std::size_t feature,
                                            const std::vector<std::vector<double>>& pulls,
                                            bool may_begin) const {
  const std::uint8_t* const codes = rows_.column(feature);
  const std::span<const double> weight = rows_.weight();
  const auto gain = [&](const Sum& left, const Sum& right) {
    return merged_gain(left) + merged_gain(right) - merged_gain(left + right);
  };
  Candidate best;
  const auto look = [&](Place leaf, const Cells& cells) {
    const CardSplit split =
        best_split(cells, feature, rows_.is_category(feature), options_.min_weight, gain);
    if (split.gain > best.split.gain) best = {leaf, split};
  };
  std::vector<std::size_t> slot(trees_.n_places());
  for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree) {
    const std::vector<Place> leaves = trees_.leaves(tree);
    for (std::size_t i = 0; i < leaves.size(); ++i) slot[index(leaves[i])] = i;
    std::vector<Cells> cells(leaves.size());
    for (std::size_t row = 0; row < rows_.n_rows(); ++row)
      cells[slot[index(leaf_[tree][row])]][codes[row]] += {pulls[tree][row], weight[row]};
    for (std::size_t i = 0; i < leaves.size(); ++i) look(leaves[i], cells[i]);
  }
  if (may_begin) {
    Cells cells{};
    for (std::size_t row = 0; row < rows_.n_rows(); ++row)
      cells[codes[row]] += {pulls.back()[row], weight[row]};
    look(-1, cells);
  }
  return best;
}

// ---- alternating optimisation ----

void CardFit::improve() {
  for (int pass = 0; pass < options_.passes; ++pass) {
    const State before = state();
    bool changed = false;
    for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree)
      changed = improve_tree(tree) || changed;
    if (!changed) return;
    drop_light_leaves();
    reset_residuals();
    refit();
    if (!(loss() < before.loss)) {
      return_to(before);
      return;
    }
    losses_.push_back(loss());
  }
}

bool CardFit::improve_tree(std::size_t tree) {
  std::vector<Place> nodes = trees_.nodes(tree);
  bool changed = false;
  // Children first.
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    check_interrupt();
    if (!trees_[*node].is_leaf()) changed = improve_node(tree, *node) || changed;
  }
  return changed;
}

bool CardFit::improve_node(std::size_t tree, Place place) {
  const CardTrees::Node& node = trees_[place];
  const std::span<const double> weight = rows_.weight();
  std::vector<std::uint8_t> is_below(trees_.n_places());
  is_below[index(place)] = 1;
  for (const Place below : trees_.nodes(tree))  // parents first
    if (trees_[below].parent >= 0 && is_below[index(trees_[below].parent)])
      is_below[index(below)] = 1;
  std::vector<std::uint32_t> rows;
  std::vector<double> excess;  // loss of the left trees over that of the right ones
  double now = 0.0, most = 0.0;
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    const Place leaf = leaf_[tree][row];
    if (!is_below[index(leaf)]) continue;
    const double open = residual_[row] + trees_[leaf].value;
    const double left = open - trees_[trees_.leaf_below(node.left, rows_, row)].value;
    const double right = open - trees_[trees_.leaf_below(node.right, rows_, row)].value;
    const double more = weight[row] * (left * left - right * right);
    rows.push_back(static_cast<std::uint32_t>(row));
    excess.push_back(more);
    most += std::abs(more);
    const std::size_t code = rows_.column(index(node.question.feature))[row];
    if (has_bit(node.question.goes_left.data(), code)) now += more;
  }
  // Either side of a question may take the trees on the left.
  const auto gain = [](const Sum& left, const Sum& right) {
    return -std::min(left.amount, right.amount);
  };
  std::vector<CardSplit> of_feature(rows_.n_features());
  parallel_for(
      of_feature.size(), rows.size() < kWorthThreads ? 1 : n_threads_, [&](std::size_t feature) {
        const auto cells = std::make_unique<Cells>();
        add_up(*cells, rows_.column(feature), rows, excess, weight);
        of_feature[feature] =
            best_split(*cells, feature, rows_.is_category(feature), options_.min_weight, gain);
      });
  CardSplit best;
  for (const CardSplit& split : of_feature)
    if (split.gain > best.gain) best = split;
  constexpr double kRounding = 1e-12;
  if (!(best.gain > -now + kRounding * most)) return false;
  double left_excess = 0.0, whole = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t code = rows_.column(index(best.question.feature))[rows[i]];
    whole += excess[i];
    if (has_bit(best.question.goes_left.data(), code)) left_excess += excess[i];
  }
  trees_.ask(place, best.question, whole - left_excess < left_excess);
  for (const std::uint32_t row : rows) {
    const Place leaf = trees_.leaf_below(place, rows_, row);
    residual_[row] += trees_[leaf_[tree][row]].value - trees_[leaf].value;
    leaf_[tree][row] = leaf;
  }
  return true;
}

void CardFit::drop_light_leaves() {
  for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree)
    while (drop_light_leaf(tree)) deal_rows(tree);
  drop_single_leaves();
}

// Whether a leaf of too little weight was there.
bool CardFit::drop_light_leaf(std::size_t tree) {
  const std::vector<Sum> sums = leaf_sums(tree);
  for (const Place leaf : trees_.leaves(tree)) {
    if (sums[index(leaf)].weight >= options_.min_weight || trees_[leaf].parent < 0) continue;
    trees_.drop(leaf);
    return true;
  }
  return false;
}

// Takes away trees of one leaf, which ask nothing; the intercept says what they said.
void CardFit::drop_single_leaves() {
  for (std::size_t tree = trees_.n_trees(); tree-- > 0;)
    if (trees_[trees_.root(tree)].is_leaf()) {
      leaf_.erase(leaf_.begin() + static_cast<std::ptrdiff_t>(tree));
      trees_.remove(tree);
    }
}

// ---- pruning ----

void CardFit::prune(std::size_t count) {
  count = std::min(count, trees_.n_splits());
  for (std::size_t i = 0; i < count; ++i) {
    check_interrupt();
    merge_cheapest();
    refit();
  }
}

void CardFit::merge_cheapest() {
  Place cheapest = -1;
  std::size_t its_tree = 0;
  double least = 0.0, value = 0.0;
  for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree) {
    const std::vector<Sum> sums = leaf_sums(tree);
    for (const Place place : trees_.nodes(tree)) {
      const CardTrees::Node& node = trees_[place];
      if (node.is_leaf() || !trees_[node.left].is_leaf() || !trees_[node.right].is_leaf()) continue;
      const Sum left = sums[index(node.left)], right = sums[index(node.right)];
      const Sum both = left + right;
      const double cost = merged_gain(left) + merged_gain(right) - merged_gain(both);
      if (cheapest >= 0 && !(cost < least)) continue;
      cheapest = place, its_tree = tree;
      least = cost, value = both.amount / (both.weight + options_.ridge);
    }
  }
  merge(its_tree, cheapest, value);
}

void CardFit::merge(std::size_t tree, Place place, double value) {
  const bool is_whole = trees_.root(tree) == place;
  const CardTrees::Node node = trees_[place];
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    Place& leaf = leaf_[tree][row];
    if (leaf != node.left && leaf != node.right) continue;
    residual_[row] += trees_[leaf].value - (is_whole ? 0.0 : value);
    leaf = place;
  }
  trees_.merge(place, value);
  if (is_whole) drop_single_leaves();
}

// ---- values ----

void CardFit::refit() {
  for (int i = 0; i < options_.sweeps; ++i)
    for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree) sweep(tree);
  double pull = 0.0, weight = 0.0;
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    pull += rows_.weight()[row] * residual_[row];
    weight += rows_.weight()[row];
  }
  const double step = pull / weight;
  intercept_ += step;
  for (double& residual : residual_) residual -= step;
}

// Each leaf of a tree takes the value that is best, given all others.
void CardFit::sweep(std::size_t tree) {
  const std::vector<Sum> sums = leaf_sums(tree);
  std::vector<double> step(trees_.n_places());
  for (const Place leaf : trees_.leaves(tree)) {
    const Sum& sum = sums[index(leaf)];
    const double value = sum.amount / (sum.weight + options_.ridge);
    step[index(leaf)] = value - trees_[leaf].value;
    trees_.set_value(leaf, value);
  }
  for (std::size_t row = 0; row < rows_.n_rows(); ++row)
    residual_[row] -= step[index(leaf_[tree][row])];
}

// For each leaf what pulls at it: weight * (residual without the leaf), and the weight of its rows.
std::vector<Sum> CardFit::leaf_sums(std::size_t tree) const {
  std::vector<Sum> sums(trees_.n_places());
  const std::span<const double> weight = rows_.weight();
  for (std::size_t row = 0; row < rows_.n_rows(); ++row)
    sums[index(leaf_[tree][row])] += {weight[row] * residual_[row], weight[row]};
  for (const Place leaf : trees_.leaves(tree))
    sums[index(leaf)].amount += sums[index(leaf)].weight * trees_[leaf].value;
  return sums;
}

double CardFit::loss() const {
  double loss = 0.0;
  for (std::size_t row = 0; row < rows_.n_rows(); ++row)
    loss += rows_.weight()[row] * residual_[row] * residual_[row];
  for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree)
    for (const Place leaf : trees_.leaves(tree))
      loss += options_.ridge * trees_[leaf].value * trees_[leaf].value;
  return loss;
}

// ---- rows ----

void CardFit::deal_rows(std::size_t tree) {
  leaf_.resize(std::max(leaf_.size(), tree + 1));
  leaf_[tree].resize(rows_.n_rows());
  for (std::size_t row = 0; row < rows_.n_rows(); ++row)
    leaf_[tree][row] = trees_.leaf_below(trees_.root(tree), rows_, row);
}

void CardFit::reset_residuals() {
  for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
    double said = intercept_;
    for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree)
      said += trees_[leaf_[tree][row]].value;
    residual_[row] = rows_.target()[row] - said;
  }
}

void CardFit::return_to(const State& state) {
  trees_ = state.trees;
  intercept_ = state.intercept;
  leaf_.resize(trees_.n_trees());
  for (std::size_t tree = 0; tree < trees_.n_trees(); ++tree) deal_rows(tree);
  reset_residuals();
}

void CardFit::check_interrupt() const {
  if (options_.interrupted && options_.interrupted()) throw Interrupted{};
}

}  // namespace thresher
