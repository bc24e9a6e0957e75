// The Python face of explanations.
#include "explain/contributions.hpp"
#include "explain/named_cuts.hpp"
#include "python/bindings.hpp"
#include "python/bindings_additive.hpp"

namespace thresher {
namespace {

// Makes room for every row, or throws where the size is beyond all memory.
std::vector<double> room(std::size_t n_rows, std::size_t of_row) {
  std::vector<double> result;
  if (of_row != 0 && n_rows > result.max_size() / of_row) throw std::bad_alloc();
  result.resize(n_rows * of_row);
  return result;
}

WeighedTrees make_weighed(const Vector<std::int64_t>& begin, const Vector<std::int32_t>& feature,
                          const Vector<double>& cut, const Vector<bool>& missing_left,
                          const Vector<std::int32_t>& level_set,
                          const Vector<std::int64_t>& set_begin,
                          const Vector<std::uint8_t>& set_bits, const Vector<double>& value,
                          const Vector<bool>& zero_is_missing, const Vector<double>& weight) {
  const BoundArrays arrays(begin, feature, cut, missing_left, level_set, set_begin, set_bits, value,
                           zero_is_missing);
  return WeighedTrees(arrays.arrays(), items_of(weight).span());
}

template <class T>
Table<T> checked_table(const WeighedTrees& trees, const Matrix<T>& x) {
  const Table<T> table = table_of(x);
  require(table.n_features == trees.trees().n_features(), "X has not the columns of these trees");
  return table;
}

template <class T>
Array<double> contributions_of(const WeighedTrees& trees, const Matrix<T>& x, double base,
                               int n_threads) {
  const Table<T> table = checked_table(trees, x);
  const std::size_t width = table.n_features + 1;
  std::vector<double> result = room(table.n_rows, width);
  run_freely([&] { contributions(trees, table, base, result.data(), n_threads); });
  return to_numpy(std::move(result), width);
}

template <class T>
nb::tuple named_cuts_of(const WeighedTrees& trees, const Matrix<T>& x,
                        const Grid<std::int32_t>& columns, int n_threads) {
  const Table<T> table = checked_table(trees, x);
  require(columns.shape(0) == table.n_rows, "columns need one line a row");
  const std::size_t n = columns.shape(1);
  std::vector<NamedCut> found(table.n_rows * n);
  const auto its_columns = items_of(columns);
  run_freely([&] { named_cuts(trees, table, its_columns.span(), n, found.data(), n_threads); });
  std::vector<double> cut;
  std::vector<std::uint8_t> above;
  for (const NamedCut& one : found) {
    cut.push_back(one.cut);
    above.push_back(one.above);
  }
  return nb::make_tuple(to_numpy(std::move(cut), n), to_numpy(std::move(above), n));
}

template <class T>
void bind_explanations(nb::class_<WeighedTrees>& trees) {
  trees.def("contributions", &contributions_of<T>, "X"_a, "base"_a = 0.0, "n_threads"_a = 1,
            "For each row the Shapley value of each column, then what the trees say of no column, "
            "plus the base; OverflowError where a value that is asked for is infinite.");
  trees.def("named_cuts", &named_cuts_of<T>, "X"_a, "columns"_a, "n_threads"_a = 1,
            "For some columns of each row (-1: none) the cut to name (NaN: none), and whether the "
            "value is above it.");
}

}  // namespace

void bind_explain(nb::module_& module) {
  nb::class_<WeighedTrees> trees(module, "WeighedTrees",
                                 "Trees whose leaves are added up, with the weights of nodes.");
  trees.def(nb::new_(&make_weighed), "begin"_a, "feature"_a, "cut"_a, "missing_left"_a,
            "level_set"_a, "set_begin"_a, "set_bits"_a, "value"_a, "zero_is_missing"_a, "weight"_a);
  trees.def_prop_ro(
      "expected", [](const WeighedTrees& self) { return self.expected(); },
      "What the trees say where every column is unknown.");
  bind_explanations<double>(trees);
  bind_explanations<float>(trees);
}

}  // namespace thresher
