// Every allocation of the core fails once: the n-th of a call, for all n until the call comes to
// its end. A call must then throw std::bad_alloc or give the result it always gives (where it can
// do without, as with a thread less), and keep no memory. Prints a line for each call.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "block_growth_checks.hpp"
#include "explain_checks.hpp"
#include "forest/predict.hpp"
#include "forest_checks.hpp"
#include "random_tables.hpp"

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::atomic<std::int64_t> until_failure = kNever;  // allocations from now on that succeed
std::atomic<std::int64_t> alive = 0;               // allocations that were not returned
std::atomic<bool> has_failed = false;

void* allocate(std::size_t size, std::size_t alignment) {
  if (until_failure.load() != kNever && until_failure-- == 0) {
    has_failed = true;
    return nullptr;
  }
  const std::size_t whole =
      (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  void* place = std::aligned_alloc(alignment, whole);
  if (place) ++alive;
  return place;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* place = allocate(size, alignment)) return place;
  throw std::bad_alloc();
}

void release(void* place) {
  if (place) --alive;
  std::free(place);
}

constexpr std::size_t kAlignment = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, kAlignment); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, kAlignment); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kAlignment);
}
void operator delete(void* place) noexcept { release(place); }
void operator delete[](void* place) noexcept { release(place); }
void operator delete(void* place, std::size_t) noexcept { release(place); }
void operator delete[](void* place, std::size_t) noexcept { release(place); }
void operator delete(void* place, std::align_val_t) noexcept { release(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { release(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { release(place); }

namespace {

using namespace thresher;
using namespace thresher::checks;

// The result of a call whose n-th allocation fails; nothing where it threw for want of memory.
template <class Call>
auto with_failure(std::int64_t n, Call call) {
  std::optional<decltype(call())> result;
  has_failed = false;
  until_failure = n;
  try {
    result = call();
  } catch (const std::bad_alloc&) {
  }
  until_failure = kNever;
  return result;
}

template <class Call>
void fail_each(const std::string& name, Call call) {
  const auto expected = call();
  std::int64_t n = 0, thrown = 0;
  while (true) {
    const std::int64_t before = alive;
    bool threw = false, right = true;
    {
      const auto result = with_failure(n, call);
      threw = !result;
      right = !result || same(*result, expected);
    }
    const bool failed_one = has_failed, returned = alive == before;
    check(right, name + ": another result, allocation " + std::to_string(n));
    check(returned, name + ": memory is kept, allocation " + std::to_string(n));
    if (!failed_one) break;
    thrown += threw;
    ++n;
  }
  std::printf("%s: %lld allocations failed, %lld exceptions\n", name.c_str(),
              static_cast<long long>(n), static_cast<long long>(thrown));
  std::fflush(stdout);
  check(n > 0, name + ": allocates nothing");
}

void fail_trees() {
  for (const bool weighted : {false, true}) {
    const Data<double> data = random_table<double>(4, 400, weighted);
    for (const char* criterion : kCriteria) {
      GrowOptions options;
      options.criterion = criterion_named(criterion);
      options.criterion.alpha = 3.0;
      options.criterion.mdl = true;
      options.max_features = 2;
      const std::string name = std::string(criterion) + (weighted ? ", weighted" : "");
      fail_each("tree, " + name, [&] { return data.grow(options); });
    }
    GrowOptions options;
    options.max_bins = 16;
    fail_each("tree of bins", [&] { return data.grow(options); });
    options.max_bins = 0;
    options.max_leaf_nodes = 12;
    fail_each("tree, best first", [&] { return data.grow(options); });
    options.random_cuts = true;
    fail_each("tree of random cuts", [&] { return data.grow(options); });
  }
  const Data<float> large = random_table<float>(6, 20500, false);
  GrowOptions options;
  options.max_depth = 3;
  options.n_threads = 3;
  fail_each("tree, 3 threads", [&] { return large.grow(options); });
}

void fail_forests() {
  ForestCase<double> test(8, 300);
  test.options = GrowOptions();
  test.trees.n_trees = 3;
  for (const int n_threads : {1, 3}) {
    const std::string threads = ", " + std::to_string(n_threads) + " threads";
    const GrowOptions options = test.with_threads(n_threads);
    fail_each("forest" + threads, [&] { return grow_trees(test.data, options, test.trees); });
    const GrownForest forest = grow_trees(test.data, options, test.trees);
    const std::vector<double> values = leaf_values(forest);
    fail_each("mean vote" + threads, [&] {
      std::vector<double> mean(test.data.n_rows);
      voters_of(forest).mean(test.data.table(), values.data(), mean.data(), n_threads);
      return mean;
    });
    for (const int permuted : {-1, 0})
      fail_each("out-of-bag votes" + threads,
                [&] { return test.votes(voters_of(forest), values, permuted, n_threads); });
    fail_each("one tree of a forest", [&] { return tree_of(forest, 1, options); });
  }
}

void fail_routes() {
  const Data<double> data = random_table<double>(9, 9000, false);
  GrowOptions options;
  options.max_depth = 4;
  const GrownTree tree = data.grow(options);
  fail_each("leaves", [&] {
    const Router router(tree.feature.size(), tree.feature.data(), tree.cut.data(), tree.left.data(),
                        tree.right.data(), tree.missing_left.data(), tree.category.data(),
                        tree.levels_left);
    std::vector<std::int32_t> leaf(data.n_rows);
    router.leaves(data.table(), leaf.data(), 2);
    return leaf;
  });
}

void fail_explanations() {
  Random random(13);
  const ExplainCase test(random, 4, 3, 200);
  for (const int n_threads : {1, 3}) {
    const std::string threads = ", " + std::to_string(n_threads) + " threads";
    fail_each("contributions" + threads, [&] { return test.contributions(n_threads); });
    fail_each("named cuts" + threads, [&] { return test.cuts(n_threads); });
  }
}

// A round of growth over blocks: sketch, edges, bins, counts, splits, the rest in memory.
void fail_rounds() {
  for (const bool weighted : {false, true}) {
    const Data<double> data = random_table<double>(11, 200, weighted);
    GrowOptions options;
    options.max_bins = 9;
    fail_each(weighted ? "rounds over blocks, weighted" : "rounds over blocks", [&] {
      const Binned<double> binned(data, options.max_bins);
      const BlockGrowth growth(options, binned.edges, data.categorical, binned.fixed_point,
                               weighted, binned.whole);
      if (weighted)
        root_split<std::int64_t>(growth, binned);
      else
        root_split<std::uint32_t>(growth, binned);
      return growth.grow(binned.rows(), 0, 1, 2);
    });
  }
}

}  // namespace

int main() {
  fail_trees();
  fail_forests();
  fail_routes();
  fail_rounds();
  fail_explanations();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
