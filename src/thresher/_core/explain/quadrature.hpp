// Points and weights of Gauss and Legendre: integrals of polynomials as sums, without an error but
// rounding.
#pragma once

#include <cstddef>
#include <vector>

namespace thresher {

// The integral over [0, 1] of a polynomial of degree 2n - 1 or less is the sum of
// weight[i] * f(point[i]); rest[i] = 1 - point[i], to its last digit. All of them are positive.
struct Quadrature {
  explicit Quadrature(std::size_t n);

  std::size_t size() const { return point.size(); }

  std::vector<double> point, rest, weight;
};

}  // namespace thresher
