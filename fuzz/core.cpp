// Bytes as a table, its weights and the options of growth: libFuzzer searches for those on which
// the core breaks a law of trees, differs from brute force, depends on threads or upsets a
// sanitizer.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>

#include "block_growth_checks.hpp"
#include "brute_force.hpp"
#include "forest_checks.hpp"
#include "tree_laws.hpp"

namespace {

using namespace thresher;
using namespace thresher::checks;

constexpr std::size_t kBruteRows = 48;

void demand(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::abort();
}

// Takes values off the input; zeros when it is used up.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  std::size_t below(std::size_t n) { return byte() % n; }
  bool flag() { return byte() & 1; }
  template <class T>
  T raw() {
    std::uint8_t bytes[sizeof(T)];
    for (std::uint8_t& one : bytes) one = byte();
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

template <class T>
T take_value(Bytes& bytes) {
  using Limits = std::numeric_limits<T>;
  const std::uint8_t kind = bytes.byte();
  if (kind < 200) return static_cast<T>(kind % 50) / T{4};
  const T odd[] = {Limits::quiet_NaN(),
                   T{0},
                   -T{0},
                   Limits::max(),
                   Limits::lowest(),
                   Limits::min(),
                   Limits::denorm_min(),
                   T{1} + Limits::epsilon()};
  if (kind < 240) return odd[kind % std::size(odd)];
  const T value = bytes.raw<T>();
  return std::isinf(value) ? T{0} : value;
}

GrowOptions take_options(Bytes& bytes, std::size_t n_features) {
  GrowOptions options = random_options(bytes.byte() + 256U * bytes.byte(), n_features);
  options.criterion.weight_neg = bytes.flag() ? 1.0 : 0.25;
  options.max_depth = static_cast<std::int64_t>(bytes.below(9)) - 1;
  options.min_split_weight = static_cast<double>(bytes.below(6));
  return options;
}

template <class T>
Data<T> take_table(Bytes& bytes) {
  Data<T> data;
  data.n_features = 1 + (bytes.below(8) > 0 ? bytes.below(3) : bytes.below(19));
  const bool weighted = bytes.flag();
  for (std::size_t f = 0; f < data.n_features; ++f) data.categorical.push_back(bytes.below(4) == 0);
  while (!bytes.empty() || data.n_rows < 2) {
    const std::uint8_t head = bytes.byte();
    data.labels.push_back(data.n_rows < 2 ? static_cast<std::uint8_t>(data.n_rows) : head & 1);
    if (weighted) data.weights.push_back(data.n_rows < 2 ? 1.0 : (head >> 1) % 9 / 4.0);
    for (std::size_t f = 0; f < data.n_features; ++f) {
      const T value = take_value<T>(bytes);
      data.values.push_back(!data.categorical[f] || is_level(value) || std::isnan(value)
                                ? (data.categorical[f] ? std::floor(value) : value)
                                : T{7});
    }
    ++data.n_rows;
  }
  return data;
}

template <class T>
void check_tree(const Data<T>& data, const GrowOptions& options) {
  const GrownTree tree = data.grow(options);
  demand(root_has_all_rows(tree, data), "the root counts every row");
  demand(adds_up(tree), "children add up to their parent");
  demand(routes_as_recorded(tree, data), "rows reach the leaves that counted them");
  demand(keeps_limits(tree, options), "limits are kept");
  demand(same(tree, shuffled(data, options.seed).grow(options)), "row order does not matter");
  const bool every_cut = options.max_bins == 0 && options.max_features == 0 &&
                         options.max_leaf_nodes < 0 && !options.criterion.gain_ratio &&
                         !options.random_cuts;
  if (every_cut && data.n_rows <= kBruteRows)
    demand(splits_are_best(tree, data, options), "every split is the best there is");
}

template <class T>
void check_forest_of(const Data<T>& data, const GrowOptions& options, Bytes& bytes) {
  ForestOptions trees{kBootstraps[bytes.below(4)], bytes.byte(), 2, [](std::size_t) {}};
  trees.random_cuts = 0.5;
  const GrownForest forest = grow_trees(data, options, trees);
  const Voters voters = voters_of(forest);
  const std::vector<double> values = leaf_values(forest);
  std::vector<double> mean(data.n_rows);
  voters.mean(data.table(), values.data(), mean.data(), 1);
  for (const double vote : mean) demand(vote >= 0.0 && vote <= 1.0, "votes are shares");
  const std::vector<std::uint32_t> neg = rows_of_class(data, 0), pos = rows_of_class(data, 1);
  const Bags bags(trees.bootstrap, options.seed, neg.size(), pos.size());
  voters.out_of_bag(data.table(), neg, pos, values.data(), bags, 0,
                    static_cast<std::int64_t>(bytes.below(data.n_features)), 1,
                    [] { return false; });
  tree_of(forest, 1, options);
}

template <class T>
void check_blocks_of(const Data<T>& data, GrowOptions options) {
  options.max_leaf_nodes = -1;
  const Binned<T> binned(data, options.max_bins);
  const BlockGrowth growth(options, binned.edges, data.categorical, binned.fixed_point,
                           !data.weights.empty(), binned.whole);
  demand(same(growth.grow(binned.rows(), 0, 1, 1), data.grow(options)), "growth over blocks");
}

template <class T>
void check_input(Bytes& bytes) {
  const std::size_t kind = bytes.below(4);
  const std::uint8_t options_seed[] = {bytes.byte(), bytes.byte(), bytes.byte(), bytes.byte(),
                                       bytes.byte()};
  const Data<T> data = take_table<T>(bytes);
  Bytes of_options{options_seed};
  const GrowOptions options = take_options(of_options, data.n_features);
  if (kind == 0) check_forest_of(data, options, of_options);
  if (kind == 1 && options.max_bins > 0) check_blocks_of(data, options);
  check_tree(data, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes{{data, size}};
  if (bytes.flag())
    check_input<float>(bytes);
  else
    check_input<double>(bytes);
  return 0;
}
