// What the Python faces of the core share. Only this folder knows Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
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

inline void require(bool condition, const char* sentence) {
  if (!condition) throw nb::value_error(sentence);
}

template <class Item>
bool is_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % alignof(Item) == 0;
}
template <class Item>
const Item* aligned(const void* data) {
  require(is_aligned<Item>(data), "an array is not aligned; hand over a copy of it.");
  return static_cast<const Item*>(data);
}

// The items of an array of Python's: where they are or, if items must not stand there, as in parts
// of a message, in a copy.
template <class Item>
class Items {
 public:
  Items(const Item* data, std::size_t size) : items_(data, size) {
    if (is_aligned<Item>(data)) return;
    copy_.resize(size);
    std::memcpy(copy_.data(), static_cast<const void*>(data), size * sizeof(Item));
    items_ = copy_;
  }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;

  const Item* data() const { return items_.data(); }
  const Item* begin() const { return items_.data(); }
  const Item* end() const { return items_.data() + items_.size(); }
  const Item& operator[](std::size_t i) const { return items_[i]; }
  std::span<const Item> span() const { return items_; }

 private:
  std::vector<Item> copy_;
  std::span<const Item> items_;
};
template <class Array>
auto items_of(const Array& array) {
  return Items<std::remove_const_t<typename Array::Scalar>>(array.data(), array.size());
}

template <class T>
std::span<const T> span_of(const Vector<T>& values) {
  return {aligned<T>(values.data()), values.shape(0)};
}

template <class T>
Table<T> table_of(const Matrix<T>& x) {
  return {aligned<T>(x.data()), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
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

// One array a column. nanobind would take a vector of them, but ends the process where memory for
// it is short.
using ArraysOfColumns = nb::typed<nb::sequence, Vector<double>>;

inline BinEdges to_edges(const ArraysOfColumns& arrays, std::size_t n_features) {
  require(nb::len(arrays) == n_features, "edges need one array a column");
  BinEdges edges;
  for (const nb::handle array : arrays) {
    const auto of_feature = nb::cast<Vector<double>>(array);
    require(of_feature.shape(0) < static_cast<std::size_t>(kMissing), "there are too many edges");
    const auto items = items_of(of_feature);
    edges.emplace_back(items.begin(), items.end());
  }
  return edges;
}

// Rows as bins, owned by Python.
struct BoundRows : CodedRows {
  BoundRows(const Grid<std::uint8_t>& codes, const Vector<std::uint8_t>& labels,
            const std::optional<Vector<std::int64_t>>& weights)
      : CodedRows{codes.data(), labels.data(), nullptr, codes.shape(0), codes.shape(1)} {
    require(labels.shape(0) == n_rows && (!weights || weights->shape(0) == n_rows),
            "labels and weights need one entry a row");
    if (!weights) return;
    own_weights.emplace(weights->data(), n_rows);
    CodedRows::weights = own_weights->data();
  }

  std::optional<Items<std::int64_t>> own_weights;
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

// Runs work without the GIL; what it throws becomes Python's exceptions.
template <class Work>
void run_freely(Work work) {
  if (!prepare_exceptions()) throw std::bad_alloc();
  try {
    const nb::gil_scoped_release no_gil;
    work();
  } catch (const Interrupted&) {
    throw nb::python_error();
  } catch (const InfiniteValue&) {
    throw std::overflow_error("X holds an infinite value");
  } catch (const TableChanged&) {
    throw std::runtime_error(
        "X was written to while a tree was grown from it; fit on a copy, or write to it later.");
  }
}

// Growth over blocks of rows, for thresher.scale.
void bind_block_growth(nb::module_& module);

// Trees of other libraries, for thresher.converters.
void bind_additive(nb::module_& module);

// What columns do to a score, for thresher.explain.
void bind_explain(nb::module_& module);

}  // namespace thresher
