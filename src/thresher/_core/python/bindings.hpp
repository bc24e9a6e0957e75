// What the Python faces of the core share. Only this folder knows Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/arrays.hpp"
#include "base/threads.hpp"
#include "codes/coded_table.hpp"
#include "codes/level_set.hpp"
#include "forest/walk.hpp"
#include "growth/tree.hpp"
#include "search/criterion.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thresher {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<const std::uint32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Levels =
    nb::ndarray<const std::uint8_t, nb::shape<-1, kLevelBytes>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& values) {
  return {values.data(), values.shape(0)};
}

template <class T>
Table<T> table_of(const Matrix<T>& x) {
  return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

template <class T>
using Grid = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
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

inline void require(bool condition, const char* sentence) {
  if (!condition) throw nb::value_error(sentence);
}

inline BinEdges to_edges(const std::vector<Vector<double>>& arrays, std::size_t n_features) {
  require(arrays.size() == n_features, "edges need one array a column");
  BinEdges edges;
  for (const Vector<double>& of_feature : arrays) {
    require(of_feature.shape(0) < static_cast<std::size_t>(kMissing), "there are too many edges");
    edges.emplace_back(of_feature.data(), of_feature.data() + of_feature.shape(0));
  }
  return edges;
}

// Rows as bins, owned by Python.
struct BoundRows : CodedRows {
  BoundRows(const Grid<std::uint8_t>& codes, const Vector<std::uint8_t>& labels,
            const std::optional<Vector<std::int64_t>>& weights)
      : CodedRows{codes.data(), labels.data(), weights ? weights->data() : nullptr, codes.shape(0),
                  codes.shape(1)} {
    require(labels.shape(0) == n_rows && (!weights || weights->shape(0) == n_rows),
            "labels and weights need one entry a row");
  }
};

// The fields of thresher.tree.structure.Tree.
nb::dict to_dict(GrownTree tree, const Criterion& criterion);

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

// Runs work without the GIL; Ctrl-C and infinite values become Python's exceptions.
template <class Work>
void run_freely(Work work) {
  try {
    const nb::gil_scoped_release no_gil;
    work();
  } catch (const Interrupted&) {
    throw nb::python_error();
  } catch (const InfiniteValue&) {
    throw std::overflow_error("X holds an infinite value");
  }
}

// Growth over blocks of rows, for thresher.scale.
void bind_block_growth(nb::module_& module);

}  // namespace thresher
