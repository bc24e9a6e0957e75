// Exercises the core without Python, so that sanitizers see all of it: random tables through every
// way of growing, then what must hold for the trees. Prints a line for each group; the exit code is
// 1 if anything failed.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "additive_checks.hpp"
#include "base/elementary.hpp"
#include "base/threads.hpp"
#include "block_growth_checks.hpp"
#include "chain_checks.hpp"
#include "explain_checks.hpp"
#include "forest/predict.hpp"
#include "forest/walk.hpp"
#include "forest_checks.hpp"
#include "growth/grow.hpp"
#include "random_tables.hpp"
#include "search/criterion.hpp"
#include "tree_laws.hpp"

namespace {

using namespace thresher;
using namespace thresher::checks;

// ---- growth
// ------------------------------------------------------------------------------------------------------

template <class T>
void check_growth(std::uint64_t seed, std::size_t n_rows) {
  const std::string where = std::string(sizeof(T) == 4 ? "float" : "double") + ", seed " +
                            std::to_string(seed) + ", " + std::to_string(n_rows) + " rows: ";
  const Data<T> data = random_table<T>(seed, n_rows, seed % 3 == 2);
  GrowOptions options = random_options(seed, data.n_features);
  const GrownTree tree = data.grow(options);
  check(root_has_all_rows(tree, data), where + "the root counts every row");
  check(adds_up(tree), where + "children add up to their parent");
  check(routes_as_recorded(tree, data), where + "rows reach the leaves that counted them");
  check(keeps_limits(tree, options), where + "limits are kept");
  check(same(tree, shuffled(data, seed).grow(options)), where + "row order does not matter");
  for (const int n_threads : {2, 4}) {
    options.n_threads = n_threads;
    check(same(tree, data.grow(options)),
          where + std::to_string(n_threads) + " threads do not matter");
  }
}

void grow_small_and_middle() {
  for (std::uint64_t seed = 0; seed < 70; ++seed) {
    check_growth<double>(seed, 2 + seed * 6);
    check_growth<float>(seed + 500, 2 + seed * 6);
  }
  for (std::uint64_t seed = 1000; seed < 1014; ++seed) {
    check_growth<double>(seed, 2000);
    check_growth<float>(seed + 500, 2500);
  }
}

// Enough rows for threads to be used; seven seeds are seven criteria.
void grow_large() {
  for (std::uint64_t seed = 2000; seed < 2004; ++seed) check_growth<double>(seed, 11000);
  for (std::uint64_t seed = 2004; seed < 2007; ++seed) check_growth<float>(seed, 14000);
}

void column_order() {
  for (std::uint64_t seed = 0; seed < 7; ++seed) {
    const Data<double> data = random_table<double>(seed, 700, false);
    const GrowOptions options = random_options(seed, data.n_features);
    std::vector<double> turned(data.values.size());
    for (std::size_t row = 0; row < data.n_rows; ++row)
      for (std::size_t f = 0; f < data.n_features; ++f)
        turned[f * data.n_rows + row] = data.values[row * data.n_features + f];
    const Table<double> columns{turned.data(), data.n_rows, data.n_features, 1,
                                static_cast<std::ptrdiff_t>(data.n_rows)};
    const GrownTree tree =
        grow(TrainingRows<double>{columns, data.labels, {}, data.categorical}, options);
    check(same(tree, data.grow(options)), "column by column, seed " + std::to_string(seed));
  }
}

// ---- interruption and bad input
// -------------------------------------------------------------------------------

// Whether a fit stops when the callback says yes at its n-th call; it must be asked by the calling
// thread alone.
void check_interrupt(const Data<double>& data, GrowOptions options, int nth) {
  const std::string where =
      std::to_string(options.n_threads) + " threads, call " + std::to_string(nth);
  const auto caller = std::this_thread::get_id();
  int calls = 0;
  bool foreign = false, stopped = false;
  options.interrupted = [&] {
    foreign = foreign || std::this_thread::get_id() != caller;
    return ++calls >= nth;
  };
  try {
    data.grow(options);
  } catch (const Interrupted&) {
    stopped = true;
  }
  check(stopped, "interrupted, " + where);
  check(!foreign, "asked by the calling thread, " + where);
}

void interrupts() {
  const Data<double> data = random_table<double>(7, 20000, false);
  GrowOptions options;
  options.criterion = criterion_named("gini");
  for (const int n_threads : {1, 2, 4}) {
    options.n_threads = n_threads;
    for (const int nth : {1, 3, 10}) check_interrupt(data, options, nth);
    GrowOptions best_first = options;
    best_first.max_leaf_nodes = 1000;
    check_interrupt(data, best_first, 2);
  }
}

bool refuses_infinity(const Data<double>& data, int n_threads) {
  GrowOptions options;
  options.max_depth = 2;
  const Router router = router_of(data.grow(options));
  Data<double> infinite = data;
  infinite.values.back() = std::numeric_limits<double>::infinity();
  try {
    leaves_of(router, infinite, n_threads);
  } catch (const InfiniteValue&) {
    return true;
  }
  return false;
}

void bad_input() {
  const Data<double> data = random_table<double>(3, 20000, false);
  for (const int n_threads : {1, 4}) check(refuses_infinity(data, n_threads), "infinite value");
  check(refuses([] { criterion_named("giny"); }), "unknown criterion");
  GrownTree stump;
  stump.feature = {0, -1, -1};
  stump.cut = {0.5, 0.0, 0.0};
  stump.left = {1, -1, -1};
  stump.right = {2, -1, -1};
  stump.missing_left = {0, 0, 0};
  stump.category = {-1, -1, -1};
  check(!refuses([&] { router_of(stump); }), "a sound tree is accepted");
  const auto damaged = [&](auto damage) {
    GrownTree tree = stump;
    damage(tree);
    return refuses([&] { router_of(tree); });
  };
  check(damaged([](GrownTree& t) { t.right[0] = 3; }), "child out of range");
  check(damaged([](GrownTree& t) { t.left[0] = 0; }), "cycle");
  check(damaged([](GrownTree& t) { t.left[0] = -1; }), "inner node without a child");
  check(damaged([](GrownTree& t) { t.category[0] = 0; }), "category without levels");
  check(damaged([](GrownTree& t) { t.feature[0] = std::numeric_limits<std::int32_t>::max(); }),
        "feature out of range");
  check(damaged([](GrownTree& t) { t.feature[1] = 0; }), "more inner nodes than children");
}

// ---- rare corners
// ---------------------------------------------------------------------------------------------

// A table of one column, row i having value(i) and every third row being positive.
template <class Value>
Data<double> one_column(std::size_t n_rows, Value value) {
  Data<double> data;
  data.n_rows = n_rows;
  data.n_features = 1;
  data.categorical = {0};
  for (std::size_t row = 0; row < n_rows; ++row) {
    data.labels.push_back(row % 3 == 0);
    data.values.push_back(value(row));
  }
  return data;
}

void odd_values() {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  const auto spread = [](std::size_t row) { return static_cast<double>(row * 7919 % 1500); };
  const Data<double> tables[] = {
      one_column(1500, [&](std::size_t row) { return (spread(row) / 750 - 1) * 1.7e308; }),
      one_column(1500, [&](std::size_t row) { return spread(row) * tiny; }),
      one_column(1500, [&](std::size_t row) { return row % 3 ? spread(row) : missing; }),
      one_column(1500, [&](std::size_t row) { return row < 700 ? 0.0 : spread(row); }),
      one_column(40, [](std::size_t row) { return row % 3 ? 1.0 : std::nextafter(1.0, 2.0); }),
      one_column(40, [&](std::size_t row) { return row % 3 ? 0.0 : tiny; })};
  for (const Data<double>& data : tables) {
    for (const int way : {0, 1, 2}) {
      GrowOptions options;
      options.criterion = criterion_named("gini");
      options.max_bins = way == 1 ? 9 : 0;
      options.random_cuts = way == 2;
      const GrownTree tree = data.grow(options);
      check(adds_up(tree) && routes_as_recorded(tree, data), "laws hold for odd values");
      check(same(tree, shuffled(data, 5).grow(options)), "odd values in any order");
    }
  }
}

// Rows that lie one after the other, or column by column, with and without missing values.
void any_layout() {
  for (const std::uint64_t seed : {1, 2, 4}) {
    const Data<double> data = random_table<double>(seed, 500, false);
    std::vector<double> turned(data.values.size());
    for (std::size_t row = 0; row < data.n_rows; ++row)
      for (std::size_t f = 0; f < data.n_features; ++f)
        turned[f * data.n_rows + row] = data.values[row * data.n_features + f];
    GrowOptions options;
    options.max_depth = 4;
    const Router router = router_of(data.grow(options));
    std::vector<std::int32_t> leaf(data.n_rows);
    router.leaves(Table<double>{turned.data(), data.n_rows, data.n_features, 1,
                                static_cast<std::ptrdiff_t>(data.n_rows)},
                  leaf.data(), 1);
    check(leaf == leaves_of(router, data, 1), "leaves of a table column by column");
    check(data.n_features == static_cast<std::size_t>(data.table().row_stride), "rows in a row");
  }
}

void entropies_at_their_ends() {
  check(shannon_entropy(0.0) == 0.0 && renyi_entropy(0.0, 0.5) == 0.0, "a pure node");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check(std::abs(renyi_entropy(0.25, infinity) + std::log2(0.75)) < 1e-12, "order infinity");
  for (const double p : {0.01, 0.2, 0.4}) {
    constexpr double step = 1e-3, near = 1.0 + 1e-6;
    const double expected =
        (renyi_entropy(p, near + step) - renyi_entropy(p, near - step)) / (2 * step);
    const double slope = RenyiCurve(p).slope(near, renyi_entropy(p, near));
    check(std::abs(slope - expected) < 1e-4, "the slope at order 1");
  }
}

void weights_without_a_leading_digit() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double odd : {0.0, infinity, -1.0, std::numeric_limits<double>::quiet_NaN()})
    check(FixedPoint::of_sums(odd).digits() == FixedPoint::of_sums(1.0).digits(), "no digit");
  const std::vector<double> changed{1.0, infinity, 1e300, -1.0};
  const std::vector<std::int64_t> integers = FixedPoint(1.0, 4).integers(changed);
  const auto sum = std::accumulate(integers.begin(), integers.end(), std::int64_t{0});
  check(sum > 0 && sum < std::int64_t{1} << 54, "weights that changed are bounded");
}

// ---- threads
// --------------------------------------------------------------------------------------------------

// A second thread works on until it is told to stop by the caller, who has nothing left to do but
// to wait; what attend(times asked) returns stops it.
template <class Attend>
void wait_for_another(Attend attend) {
  std::atomic<bool> started = false, stop = false;
  int asked = 0;
  const auto caller = std::this_thread::get_id();
  const auto work = [&](std::size_t) {
    const bool is_caller = std::this_thread::get_id() == caller;
    if (!is_caller) started = true;
    while (!(is_caller ? started : stop)) std::this_thread::yield();
  };
  parallel_for(2, 2, work, [&] {
    stop = ++asked > 1;
    attend(asked);
  });
}

void attention() {
  int times = 0;
  wait_for_another([&](int asked) { times = asked; });
  check(times == 2, "the caller attends while it waits");
  bool thrown = false;
  try {
    wait_for_another([&](int asked) {
      if (asked > 1) throw Interrupted{};
    });
  } catch (const Interrupted&) {
    thrown = true;
  }
  check(thrown, "what attention throws is thrown again");
}

void any_number_of_threads() {
  const Data<double> data = random_table<double>(12, 21000, false);
  GrowOptions options;
  options.criterion = criterion_named("gini");
  const GrownTree expected = data.grow(options);
  for (const int n_threads : {-5, 0, 64, std::numeric_limits<int>::max()}) {
    options.n_threads = n_threads;
    check(same(data.grow(options), expected), std::to_string(n_threads) + " threads");
  }
  check(thread_count(3, std::numeric_limits<int>::max()) == 3, "no more threads than work");
  check(thread_count(1000000, std::numeric_limits<int>::max()) == kMaxThreads, "a limit");
  check(thread_count(0, 0) == 1, "the caller's thread at least");
}

// Levels are 0 to 254; whatever else stands in a category column is a missing value.
void odd_levels() {
  Data<double> data = random_table<double>(5, 900, false);
  data.categorical.assign(data.n_features, 1);
  for (double& value : data.values) value = std::isnan(value) ? 3.0 : std::abs(std::round(value));
  Data<double> missing = data, odd = data;
  const double kinds[] = {-1.0, 255.0, 256.0, 1e300, -1e300, std::numeric_limits<double>::max()};
  for (std::size_t i = 0; i < data.values.size(); i += 7) {
    missing.values[i] = std::numeric_limits<double>::quiet_NaN();
    odd.values[i] = kinds[i % std::size(kinds)];
  }
  GrowOptions options;
  options.criterion = criterion_named("gini");
  const GrownTree tree = missing.grow(options);
  check(tree.feature.size() > 1, "a tree with levels");
  check(same(tree, odd.grow(options)), "odd levels are grown as missing");
  const Router router = router_of(tree);
  check(leaves_of(router, missing, 1) == leaves_of(router, odd, 1), "and go as missing");
}

// ---- formulas
// -------------------------------------------------------------------------------------------------

double units_in_the_last_place(double value, double expected) {
  const double size = std::abs(expected);
  return std::abs(value - expected) / (std::nextafter(size, INFINITY) - size);
}

// The largest error over n arguments that argument(u) makes of u in [0, 1).
template <class Argument, class Ours, class Theirs>
double largest_error(Argument argument, Ours ours, Theirs theirs) {
  Random random(1);
  double largest = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double x = argument(uniform(random));
    largest = std::max(largest, units_in_the_last_place(ours(x), theirs(x)));
  }
  return largest;
}

void elementary_functions() {
  const auto log = [](double x) { return std::log(x); };
  const auto log1p = [](double x) { return std::log1p(x); };
  const auto exp = [](double x) { return std::exp(x); };
  const auto expm1 = [](double x) { return std::expm1(x); };
  const auto wide = [](double u) { return std::exp(1400.0 * u - 700.0); };
  const auto near_one = [](double u) { return 0.5 + u; };
  const auto tiny = [](double u) { return (u < 0.5 ? -1.0 : 1.0) * std::exp(-70.0 * u); };
  const auto down_to_minus_one = [](double u) { return 3.0 * u * u - 0.999999999; };
  const auto exponent = [](double u) { return 1400.0 * u - 700.0; };
  const auto small = [](double u) { return 2.0 * u - 1.0; };
  check(largest_error(wide, elementary::log, log) <= 4, "log");
  check(largest_error(near_one, elementary::log, log) <= 4, "log near 1");
  check(largest_error(down_to_minus_one, elementary::log1p, log1p) <= 4, "log1p");
  check(largest_error([&](double u) { return 0.2 * tiny(u); }, elementary::log1p, log1p) <= 4,
        "log1p near 0");
  check(largest_error(exponent, elementary::exp, exp) <= 4, "exp");
  check(largest_error(small, elementary::exp, exp) <= 4, "exp near 0");
  // exp(x) - 1 loses two bits where the series ends.
  check(largest_error(small, elementary::expm1, expm1) <= 8, "expm1");
  check(largest_error([&](double u) { return 0.3 * tiny(u); }, elementary::expm1, expm1) <= 4,
        "expm1 near 0");
  check(elementary::exp(-800.0) == 0.0 && elementary::exp(0.0) == 1.0, "exp at its ends");
  check(elementary::log(1.0) == 0.0 && elementary::log1p(0.0) == 0.0, "log at 1");
}

// alpha* is the largest order in [0, 1] whose entropy reaches 1 - tolerance.
void orders() {
  constexpr double rounding = 1e-12;
  for (double p : {1e-12, 1e-6, 0.001, 0.01, 0.03, 0.1, 0.2, 0.3, 0.49, 0.5, 0.6, 0.97, 0.999}) {
    double before = -1.0;
    for (const double tolerance : {0.0, 0.01, 0.05, 0.2, 0.5, 0.9, 1.0}) {
      const double alpha = find_alpha(p, tolerance);
      const std::string where =
          "p " + std::to_string(p) + ", tolerance " + std::to_string(tolerance);
      check(alpha >= 0.0 && alpha <= 1.0, "order in [0, 1], " + where);
      check(renyi_entropy(p, alpha) >= 1.0 - tolerance - rounding, "the condition holds, " + where);
      if (alpha < 1.0)
        check(renyi_entropy(p, std::min(1.0, alpha + 1e-6)) < 1.0 - tolerance + rounding,
              "no larger order, " + where);
      check(alpha >= before, "rises with the tolerance, " + where);
      before = alpha;
    }
  }
  check(find_alpha(0.0, 0.5) == 0.0 && find_alpha(1.0, 0.5) == 0.0, "a pure node has order 0");
  for (double p : {0.001, 0.2, 0.5})
    check(std::abs(renyi_entropy(p, 1.0 + 1e-9) - shannon_entropy(p)) < 1e-8,
          "order 1 is Shannon's");
}

}  // namespace

int main() {
  group("elementary functions", elementary_functions);
  group("orders", orders);
  group("small and middle tables", grow_small_and_middle);
  group("large tables", grow_large);
  group("column order", column_order);
  group("interrupts", interrupts);
  group("bad input", bad_input);
  group("odd values", odd_values);
  group("any layout", any_layout);
  group("entropies at their ends", entropies_at_their_ends);
  group("weights without a leading digit", weights_without_a_leading_digit);
  group("attention", attention);
  group("any number of threads", any_number_of_threads);
  group("odd levels", odd_levels);
  check_chains();
  check_forests();
  check_additive();
  check_explain();
  check_blocks();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
