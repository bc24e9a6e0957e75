#include "explain/interactions.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "explain/contributions.hpp"
#include "explain/quadrature.hpp"
#include "explain/row_block.hpp"
#include "explain/sides.hpp"

// For two columns j and k of a leaf's path, with the names of contributions.cpp:
//
//   Phi_jk = v / 2 (o_j - z_j) (o_k - z_k) int prod_{l != j, k} (o_l t + z_l (1 - t)) dt
//          = v / 2 int P psi_j psi_k dt.
namespace thresher {
namespace {

// Numbers of kSide rows for each point, one line for each column of a leaf's path.
class Lines {
 public:
  Lines(std::size_t n_lines, std::size_t n_points)
      : n_(n_points * kSide), values_(n_lines * n_points * kSide) {}
  Numbers* line(std::size_t i) { return reinterpret_cast<Numbers*>(values_.data() + i * n_); }

 private:
  std::size_t n_;
  std::vector<double> values_;
};

// The interactions of one tree for kSide rows at a time.
class TreeWalk {
 public:
  TreeWalk(const WeighedTrees& trees, std::size_t tree)
      : trees_(trees.trees()),
        nodes_(trees_.nodes(tree).data()),
        value_(trees_.values(tree)),
        paths_(trees, tree),
        quadrature_((paths_.n_columns + 1) / 2),
        takes_((paths_.depth + 1) * kSide, -1),
        psi_(paths_.n_columns, quadrature_.size()),
        weighed_(1, quadrature_.size()) {
    path_.reserve(paths_.depth);
    live_.reserve(paths_.n_columns);
  }

  // add(j, k, sums): sums of the rows from `row` on for two columns of the block.
  template <class Add>
  void walk(const RowBlock& block, std::size_t row, const Add& add) {
    for (const Edge& edge : paths_.edges) {
      path_.resize(edge.depth - 1);
      path_.push_back(&edge);
      const PackedNode& node = nodes_[edge.node];
      take_edge(trees_, node, edge.is_right(nodes_), block.column(node.column()) + row,
                takes(edge.former), takes(edge.depth));
      if (nodes_[edge.child].left == edge.child) add_leaf(value_[edge.child], add);
    }
  }

 private:
  Truths* takes(std::size_t depth) {
    return reinterpret_cast<Truths*>(takes_.data() + depth * kSide);
  }

  // The last edge of each column on the path.
  void find_live() {
    live_.clear();
    is_former_.assign(path_.size() + 1, 0);
    for (std::size_t depth = path_.size(); depth > 0; --depth) {
      const Edge* edge = path_[depth - 1];
      is_former_[edge->former] = 1;
      if (!is_former_[depth]) live_.push_back(edge);
    }
  }

  template <class Add>
  void add_leaf(double value, const Add& add) {
    find_live();
    fill_lines(value);
    const std::size_t n = quadrature_.size() * kVectors;
    for (std::size_t j = 1; j < live_.size(); ++j) {
      for (std::size_t i = 0; i < n; ++i) weighed_.line(0)[i] = product_[i] * psi_.line(j)[i];
      for (std::size_t k = 0; k < j; ++k) {
        Numbers sums[kVectors] = {};
        for (std::size_t i = 0; i < n; ++i)
          sums[i % kVectors] += weighed_.line(0)[i] * psi_.line(k)[i];
        add(nodes_[live_[j]->node].column(), nodes_[live_[k]->node].column(), sums);
      }
    }
  }

  // v / 2 times weight and P at each point, and psi of each column.
  void fill_lines(double value) {
    const std::size_t n_points = quadrature_.size();
    numbers_.assign(n_points * kSide, 0.0);
    product_ = reinterpret_cast<Numbers*>(numbers_.data());
    for (std::size_t i = 0; i < n_points; ++i) {
      const double t = quadrature_.point[i], rest = quadrature_.rest[i];
      Numbers* product = product_ + i * kVectors;
      for (std::size_t k = 0; k < kVectors; ++k)
        set_all(product[k], 0.5 * value * quadrature_.weight[i]);
      for (std::size_t j = 0; j < live_.size(); ++j) {
        const double share = live_[j]->share, below = t + rest * share;
        Numbers taken, left, psi_taken, psi_left;
        set_all(taken, below);
        set_all(left, rest * share);
        set_all(psi_taken, (1.0 - share) / below);
        set_all(psi_left, -1.0 / rest);
        Numbers* psi = psi_.line(j) + i * kVectors;
        for (std::size_t k = 0; k < kVectors; ++k) {
          const Truths& takes_it = takes(live_[j]->depth)[k];
          Numbers factor;
          choose(takes_it, taken, left, factor);
          product[k] *= factor;
          choose(takes_it, psi_taken, psi_left, psi[k]);
        }
      }
    }
  }

  const AdditiveTrees& trees_;
  const PackedNode* nodes_;
  const double* value_;
  Paths paths_;
  Quadrature quadrature_;
  std::vector<std::int64_t> takes_;
  Lines psi_, weighed_;
  std::vector<double> numbers_;
  Numbers* product_ = nullptr;
  std::vector<const Edge*> path_, live_;
  std::vector<std::uint8_t> is_former_;
};

// Fills the diagonals, so that lines sum to the contributions, and the last corners.
void complete(const double* contributions, std::size_t n_rows, std::size_t width, double* result) {
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double* its = contributions + row * width;
    double* square = result + row * width * width;
    for (std::size_t j = 0; j < width; ++j) {
      double others = 0.0;
      for (std::size_t k = 0; k < width; ++k) others += square[j * width + k];
      square[j * width + j] = its[j] - others;
    }
  }
}

}  // namespace

template <class T>
void interactions(const WeighedTrees& weighed, const Table<T>& table, double base, double* result,
                  int n_threads) {
  const AdditiveTrees& trees = weighed.trees();
  const std::vector<std::size_t>& used = trees.columns().used;
  const std::size_t width = table.n_features + 1;
  const std::size_t rows = rows_of_block(used.size());
  const auto explain = [&](std::size_t first, std::size_t last) {
    RowBlock block(trees.columns(), rows);
    std::vector<double> alone(rows * width);
    for (; first < last; first += rows) {
      const std::size_t end = std::min(last, first + rows);
      Table<T> part = table;
      part.data = table.address(first, 0);
      part.n_rows = end - first;
      contributions(weighed, part, base, alone.data(), 1);
      block.read(table, first, end);
      double* squares = result + first * width * width;
      std::fill_n(squares, (end - first) * width * width, 0.0);
      for (std::size_t tree = 0; tree < trees.n_trees(); ++tree) {
        TreeWalk walk(weighed, tree);
        for (std::size_t row = 0; row < block.size(); row += kSide) {
          const std::size_t n = std::min(kSide, block.size() - row);
          walk.walk(block, row, [&](std::size_t j, std::size_t k, const Numbers* sums) {
            const auto* each = reinterpret_cast<const double*>(sums);
            double* to = squares + row * width * width;
            for (std::size_t i = 0; i < n; ++i, to += width * width) {
              to[used[j] * width + used[k]] += each[i];
              to[used[k] * width + used[j]] += each[i];
            }
          });
        }
      }
      complete(alone.data(), end - first, width, squares);
    }
  };
  parallel_blocks(table.n_rows, kSide, n_threads, explain);
}

template void interactions(const WeighedTrees&, const Table<float>&, double, double*, int);
template void interactions(const WeighedTrees&, const Table<double>&, double, double*, int);

}  // namespace thresher
