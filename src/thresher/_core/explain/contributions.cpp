#include "explain/contributions.hpp"

#include <algorithm>

#include "base/simd.hpp"
#include "base/threads.hpp"
#include "explain/quadrature.hpp"
#include "explain/row_block.hpp"
#include "explain/sides.hpp"

// A leaf of value v is reached by the columns of a set S if the row takes all edges of the leaf's
// path that ask them, and by the others with their share: its worth is the product over the columns
// k of the path of o_k (1 where the row takes its edges, else 0) in S and z_k (the share) outside.
// The weights of Shapley's sum over sets are integrals, s! (m - s - 1)! / m! = int t^s
// (1-t)^(m-1-s), so that the sum over all sets becomes one integral over [0, 1] (compare Yu et al.,
// Linear TreeSHAP, 2022, where polynomials are interpolated):
//
//   phi_j = v (o_j - z_j) int prod_{k != j} (o_k t + z_k (1 - t)) dt.
//
// The integrand has the degree m - 1: (m + 1) / 2 points give it exactly, and every factor is
// positive, so that nothing cancels. At a point the product P of all m factors is made on the way
// down the tree, the sum Q of v P over the leaves below on the way up, and phi_j gets
// Q psi_j with psi = (o - z) / (o t + z (1 - t)), at the edge where the path's o_j and z_j change;
// what edges above have added for the leaves below is taken back there.
namespace thresher {
namespace {

// What an edge does at one point, by what the row does: it takes this edge and all former ones of
// the column (both), or the former ones alone; where it left before, `Step::neither`, and `gain` is
// 0.
struct Factors {
  double both, former;            // P below the edge / P above; times v where leaves follow
  double gain_both, gain_former;  // psi below - psi above, times weight; times P and v of leaves
};

enum class Kind : std::uint8_t {
  down,  // the edge to an inner node
  up,    // the same when all below it is done
  tip    // an edge to a leaf, or both edges of a node with two leaves
};

struct Step {
  Kind kind;
  bool is_right;
  std::uint32_t node, depth, former;
  std::size_t factors;  // the first of n
  double neither;
};

// A tree as the steps of a walk through all its edges.
class Program {
 public:
  Program(const WeighedTrees& trees, std::size_t tree)
      : trees_(trees.trees()),
        nodes_(trees_.nodes(tree).data()),
        value_(trees_.values(tree)),
        paths_(trees, tree),
        quadrature_((paths_.n_columns + 1) / 2) {
    steps_.reserve(2 * paths_.edges.size());
    factors_.reserve(paths_.edges.size() * quadrature_.size());
    std::vector<std::size_t> open;  // steps down whose way up is to come
    for (std::size_t i = 0; i < paths_.edges.size(); ++i) {
      const Edge& edge = paths_.edges[i];
      close(open, edge.depth);
      const bool leaf = is_leaf(edge.child);
      if (!leaf) open.push_back(steps_.size());
      steps_.push_back({leaf ? Kind::tip : Kind::down, edge.is_right(nodes_), edge.node, edge.depth,
                        edge.former, factors_.size(), leaf ? value_[edge.child] : 1.0});
      steps_.back().neither *= edge.former_share > 0.0 ? edge.share / edge.former_share : 0.0;
      for (std::size_t point = 0; point < quadrature_.size(); ++point)
        factors_.push_back(leaf ? of_leaf(edge, point) : of_edge(edge, point));
      if (leaf && !steps_.back().is_right && is_leaf(edge.child + 1)) join(paths_.edges[++i]);
    }
    close(open, 0);
  }

  std::size_t depth() const { return paths_.depth; }
  std::size_t n_points() const { return quadrature_.size(); }
  const std::vector<Step>& steps() const { return steps_; }
  const Factors* factors(const Step& step) const { return factors_.data() + step.factors; }
  const PackedNode& node(const Step& step) const { return nodes_[step.node]; }
  const AdditiveTrees& trees() const { return trees_; }

 private:
  bool is_leaf(std::uint32_t place) const { return nodes_[place].left == place; }

  void close(std::vector<std::size_t>& open, std::uint32_t depth) {
    while (!open.empty() && steps_[open.back()].depth >= depth) {
      steps_.push_back(steps_[open.back()]);
      steps_.back().kind = Kind::up;
      open.pop_back();
    }
  }

  Factors of_edge(const Edge& edge, std::size_t i) const {
    const double t = quadrature_.point[i], rest = quadrature_.rest[i];
    const double weight = quadrature_.weight[i];
    const double below = t + rest * edge.share, above = t + rest * edge.former_share;
    const double psi_above = (1.0 - edge.former_share) / above;
    return {below / above, rest * edge.share / above,
            weight * ((1.0 - edge.share) / below - psi_above), weight * (-1.0 / rest - psi_above)};
  }

  Factors of_leaf(const Edge& edge, std::size_t i) const {
    Factors found = of_edge(edge, i);
    found.both *= value_[edge.child];
    found.former *= value_[edge.child];
    found.gain_both *= found.both;
    found.gain_former *= found.former;
    return found;
  }

  // Adds the right one of two leaves, which a row takes if and only if it does not take the left.
  void join(const Edge& right) {
    Step& step = steps_.back();
    if (right.former_share > 0.0)
      step.neither += value_[right.child] * (right.share / right.former_share);
    for (std::size_t i = 0; i < quadrature_.size(); ++i) {
      Factors& sum = factors_[step.factors + i];
      const Factors other = of_leaf(right, i);
      sum.both += other.former;
      sum.former += other.both;
      sum.gain_both += other.gain_former;
      sum.gain_former += other.gain_both;
    }
  }

  const AdditiveTrees& trees_;
  const PackedNode* nodes_;
  const double* value_;
  Paths paths_;
  Quadrature quadrature_;
  std::vector<Step> steps_;
  std::vector<Factors> factors_;
};

// What a walk keeps at each depth of its path, for kSide rows: whether they take the edge and its
// former ones, and P and Q at each point.
class Path {
 public:
  void fit(const Program& program) {
    const std::size_t levels = program.depth() + 1;
    n_ = program.n_points() * kSide;
    takes_.resize(std::max(takes_.size(), levels * kSide));
    product_.resize(std::max(product_.size(), levels * n_));
    sum_.resize(std::max(sum_.size(), levels * n_));
    std::fill_n(takes_.begin(), kSide, -1);
    std::fill_n(product_.begin(), n_, 1.0);
  }
  Truths* takes(std::size_t depth) {
    return reinterpret_cast<Truths*>(takes_.data() + depth * kSide);
  }
  Numbers* product(std::size_t depth) {
    return reinterpret_cast<Numbers*>(product_.data() + depth * n_);
  }
  Numbers* sum(std::size_t depth) { return reinterpret_cast<Numbers*>(sum_.data() + depth * n_); }

 private:
  std::size_t n_ = 0;
  std::vector<std::int64_t> takes_;
  std::vector<double> product_, sum_;
};

// For each row one of three numbers: it takes the edge, the former ones alone, or left before.
// Without former ones every row takes them.
template <bool has_former>
class Choice {
 public:
  THRESHER_KERNEL Choice(double both, double former, double neither) {
    set_all(both_, both);
    set_all(former_, former);
    if constexpr (has_former) set_all(neither_, neither);
  }
  THRESHER_KERNEL void get(const Truths& takes, const Truths& former, Numbers& result) const {
    if constexpr (has_former) {
      choose(former, former_, neither_, result);
      choose(takes, both_, result, result);
    } else {
      choose(takes, both_, former_, result);
    }
  }

 private:
  Numbers both_, former_, neither_;
};

template <bool has_former>
THRESHER_KERNEL void go_down(const Step& step, const Factors* factors, std::size_t n, Path& path) {
  const Truths* takes = path.takes(step.depth);
  const Truths* former = path.takes(step.former);
  const Numbers* above = path.product(step.depth - 1);
  Numbers* below = path.product(step.depth);
  Numbers* sum = path.sum(step.depth);
  for (std::size_t i = 0; i < n; ++i) {
    const Choice<has_former> factor(factors[i].both, factors[i].former, step.neither);
    for (std::size_t k = 0; k < kVectors; ++k, ++above, ++below, ++sum) {
      Numbers its;
      factor.get(takes[k], former[k], its);
      *below = *above * its;
      *sum = Numbers{};
    }
  }
}

template <bool has_former>
THRESHER_KERNEL void go_up(const Step& step, const Factors* factors, std::size_t n, Path& path,
                           Numbers* result) {
  const Truths* takes = path.takes(step.depth);
  const Truths* former = path.takes(step.former);
  const Numbers* below = path.sum(step.depth);
  Numbers* above = path.sum(step.depth - 1);
  Numbers gain[kVectors] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const Choice<has_former> factor(factors[i].gain_both, factors[i].gain_former, 0.0);
    for (std::size_t k = 0; k < kVectors; ++k, ++above, ++below) {
      Numbers its;
      factor.get(takes[k], former[k], its);
      gain[k] += *below * its;
      *above += *below;
    }
  }
  for (std::size_t k = 0; k < kVectors; ++k) result[k] += gain[k];
}

template <bool has_former>
THRESHER_KERNEL void end(const Step& step, const Factors* factors, std::size_t n, Path& path,
                         const Truths* takes, Numbers* result) {
  const Truths* former = path.takes(step.former);
  const Numbers* product = path.product(step.depth - 1);
  Numbers* sum = path.sum(step.depth - 1);
  Numbers gain[kVectors] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const Choice<has_former> factor(factors[i].both, factors[i].former, step.neither);
    const Choice<has_former> gains(factors[i].gain_both, factors[i].gain_former, 0.0);
    for (std::size_t k = 0; k < kVectors; ++k, ++product, ++sum) {
      Numbers its;
      factor.get(takes[k], former[k], its);
      *sum += *product * its;
      gains.get(takes[k], former[k], its);
      gain[k] += *product * its;
    }
  }
  for (std::size_t k = 0; k < kVectors; ++k) result[k] += gain[k];
}

// One tree for kSide rows of a block, from `row` on; result: a column of `capacity` numbers for
// each column of the block.
template <bool has_former>
THRESHER_KERNEL void take_step(const Program& program, const Step& step, const RowBlock& block,
                               std::size_t row, Path& path, double* result, std::size_t capacity) {
  const PackedNode& node = program.node(step);
  const Factors* factors = program.factors(step);
  const std::size_t n = program.n_points();
  auto* of_column = reinterpret_cast<Numbers*>(result + node.column() * capacity + row);
  if (step.kind == Kind::up) return go_up<has_former>(step, factors, n, path, of_column);
  Truths own[kVectors];
  Truths* takes = step.kind == Kind::tip ? own : path.takes(step.depth);
  take_edge(program.trees(), node, step.is_right, block.column(node.column()) + row,
            path.takes(step.former), takes);
  if (step.kind == Kind::down)
    go_down<has_former>(step, factors, n, path);
  else
    end<has_former>(step, factors, n, path, own, of_column);
}

THRESHER_KERNEL void walk_body(const Program& program, const RowBlock& block, Path& path,
                               double* result, std::size_t capacity) {
  for (std::size_t row = 0; row < block.size(); row += kSide) {
    for (const Step& step : program.steps()) {
      if (step.former)
        take_step<true>(program, step, block, row, path, result, capacity);
      else
        take_step<false>(program, step, block, row, path, result, capacity);
    }
  }
}
THRESHER_WIDE void walk_wide(const Program& program, const RowBlock& block, Path& path,
                             double* result, std::size_t capacity) {
  walk_body(program, block, path, result, capacity);
}
void walk_plain(const Program& program, const RowBlock& block, Path& path, double* result,
                std::size_t capacity) {
  walk_body(program, block, path, result, capacity);
}

}  // namespace

template <class T>
void contributions(const WeighedTrees& weighed, const Table<T>& table, double base, double* result,
                   int n_threads) {
  const AdditiveTrees& trees = weighed.trees();
  const std::vector<std::size_t>& used = trees.columns().used;
  const std::size_t width = table.n_features + 1;
  const std::size_t rows = rows_of_block(used.size());
  const auto walk = wide_available() ? walk_wide : walk_plain;
  const auto explain = [&](std::size_t first, std::size_t last) {
    RowBlock block(trees.columns(), rows);
    std::vector<double> found(rows * used.size());
    Path path;
    for (; first < last; first += rows) {
      block.read(table, first, std::min(last, first + rows));
      std::fill(found.begin(), found.end(), 0.0);
      for (std::size_t tree = 0; tree < trees.n_trees(); ++tree) {
        const Program program(weighed, tree);
        path.fit(program);
        walk(program, block, path, found.data(), rows);
      }
      for (std::size_t row = 0; row < block.size(); ++row) {
        double* to = result + (first + row) * width;
        std::fill_n(to, width - 1, 0.0);
        for (std::size_t i = 0; i < used.size(); ++i) to[used[i]] = found[i * rows + row];
        to[width - 1] = base + weighed.expected();
      }
    }
  };
  parallel_blocks(table.n_rows, rows, n_threads, explain);
}

template void contributions(const WeighedTrees&, const Table<float>&, double, double*, int);
template void contributions(const WeighedTrees&, const Table<double>&, double, double*, int);

}  // namespace thresher
