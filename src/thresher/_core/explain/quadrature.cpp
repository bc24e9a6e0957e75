#include "explain/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace thresher {
namespace {

struct Legendre {
  double value, slope;
};

// Legendre's polynomial of degree n > 0 and its slope, inside (-1, 1).
Legendre legendre(std::size_t n, double x) {
  double before = 1.0, value = x;
  for (std::size_t k = 2; k <= n; ++k) {
    const auto degree = static_cast<double>(k);
    const double next = ((2.0 * degree - 1.0) * x * value - (degree - 1.0) * before) / degree;
    before = value;
    value = next;
  }
  return {value, static_cast<double>(n) * (before - x * value) / (1.0 - x * x)};
}

// The i-th largest root: Newton's steps from a guess that is right to two digits or more.
double root(std::size_t n, std::size_t i) {
  constexpr int kSteps = 10;  // each doubles the digits
  double x =
      std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5));
  for (int step = 0; step < kSteps; ++step) {
    const Legendre at = legendre(n, x);
    x -= at.value / at.slope;
  }
  return x;
}

}  // namespace

Quadrature::Quadrature(std::size_t n) : point(n), rest(n), weight(n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = root(n, i);
    const double slope = legendre(n, x).slope;
    point[i] = 0.5 * (1.0 + x);
    rest[i] = 0.5 * (1.0 - x);
    weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
}

}  // namespace thresher
