// Splitting criteria as functions of class counts. The twin of criteria.py, which explains the
// formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "base/arrays.hpp"
#include "base/elementary.hpp"

namespace thresher {

enum class Impurity { renyi, shannon, gini, dkm };

struct Criterion {
  Impurity impurity = Impurity::shannon;
  bool adaptive = false;  // the order is found in each node by find_alpha
  bool gain_ratio =
      false;               // C4.5: gain / split information among features of at least average gain
  double alpha = 1.0;      // fixed order of Renyi's entropy
  double tolerance = 0.5;  // of find_alpha
  double weight_neg = 1.0;  // class weights
  double weight_pos = 1.0;
  bool mdl = false;  // C4.5's charge of log2(cuts)/n for a numeric cut
};

inline Criterion criterion_named(std::string_view name) {
  Criterion criterion;
  if (name == "adaptive_renyi") {
    criterion.impurity = Impurity::renyi;
    criterion.adaptive = true;
  } else if (name == "renyi") {
    criterion.impurity = Impurity::renyi;
  } else if (name == "hellinger" || name == "dkm") {
    criterion.impurity =
        Impurity::dkm;  // both minimise the sum of sqrt(neg * pos) over the children
  } else if (name == "entropy") {
    criterion.impurity = Impurity::shannon;
  } else if (name == "gain_ratio") {
    criterion.impurity = Impurity::shannon;
    criterion.gain_ratio = true;
  } else if (name == "gini") {
    criterion.impurity = Impurity::gini;
  } else {
    throw std::invalid_argument("unknown criterion");
  }
  return criterion;
}

// Entropies of a two-class node, in bits; p is the share of either class.

inline double shannon_entropy(double p) {
  const double rare = std::min(p, 1.0 - p);
  if (rare <= 0.0) return 0.0;
  return -(rare * elementary::log(rare) + (1.0 - rare) * elementary::log1p(-rare)) /
         elementary::kLn2;
}

// Renyi's entropy of one node as a function of the order: its logarithms are taken once.
class RenyiCurve {
 public:
  // rare: the share of the rarer class, above 0.
  explicit RenyiCurve(double rare)
      : rare_(rare),
        common_(1.0 - rare),
        log_rare_(elementary::log(rare)),
        log_common_(elementary::log1p(-rare)) {}

  double entropy(double alpha) const {
    if (std::isinf(alpha)) return -log_common_ / elementary::kLn2;
    if (alpha == 1.0) return shannon_entropy(rare_);
    // log(rare^alpha + common^alpha)
    const double log_sum = std::abs(1.0 - alpha) < 0.25
                               ? log_sum_near_one(alpha)
                               : alpha * log_common_ + elementary::log1p(ratio(alpha));
    return log_sum / ((1.0 - alpha) * elementary::kLn2);
  }

  // Derivative of the entropy in alpha.
  double slope(double alpha, double entropy) const {
    const double gap = 1.0 - alpha;
    const double spread = log_rare_ - log_common_;
    if (std::abs(gap) < 1e-4)  // the limit at 1: half the variance of the information
      return -0.5 * rare_ * (1.0 - rare_) * spread * spread / elementary::kLn2;
    const double r = ratio(alpha);
    const double mean_log = (r * log_rare_ + log_common_) / (1.0 + r);
    return (mean_log / elementary::kLn2 + entropy) / gap;
  }

 private:
  // (rare / common)^alpha
  double ratio(double alpha) const { return elementary::exp(alpha * (log_rare_ - log_common_)); }
  // The sum is close to 1: its excess, free of cancellation, instead of itself.
  double log_sum_near_one(double alpha) const {
    return elementary::log1p(rare_ * elementary::expm1((alpha - 1.0) * log_rare_) +
                             common_ * elementary::expm1((alpha - 1.0) * log_common_));
  }

  double rare_;
  double common_;
  double log_rare_;
  double log_common_;
};

inline double renyi_entropy(double p, double alpha) {
  const double rare = std::min(p, 1.0 - p);
  return rare <= 0.0 ? 0.0 : RenyiCurve(rare).entropy(alpha);
}

// alpha* = max{a in [0, 1] : H_a(p) >= 1 - tolerance}; H falls in a, so Newton's steps are kept
// inside a bracket that shrinks around the root.
inline double find_alpha(double p, double tolerance) {
  const double rare = std::min(p, 1.0 - p);
  const double level = 1.0 - tolerance;
  if (rare <= 0.0) return 0.0;
  if (rare >= 0.5 || shannon_entropy(rare) >= level) return 1.0;
  const RenyiCurve curve(rare);
  double low = 0.0, high = 1.0, alpha = 0.0;
  for (int step = 0; step < 100; ++step) {
    const double entropy = curve.entropy(alpha);
    (entropy >= level ? low : high) = alpha;
    double next = alpha - (entropy - level) / curve.slope(alpha, entropy);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - alpha) <= 0x1p-53) break;
    alpha = next;
  }
  return alpha;
}

// The criterion of one node: the order is fixed, children are scored with their parent's.
class Scorer {
 public:
  Scorer(const Criterion& criterion, Mix node)
      : impurity_(criterion.impurity),
        neg_(criterion.weight_neg),
        pos_(criterion.weight_pos),
        alpha_(criterion.adaptive ? find_alpha(rare_share(node), criterion.tolerance)
                                  : criterion.alpha),
        total_(weighted(node)),
        worst_(side(static_cast<double>(node.neg), static_cast<double>(node.pos))) {}

  double alpha() const {
    return impurity_ == Impurity::renyi ? alpha_ : std::numeric_limits<double>::quiet_NaN();
  }
  // Concave in the counts of a child: then only extreme points of the reachable counts can win.
  bool concave() const { return impurity_ != Impurity::renyi || alpha_ <= 2.0; }
  double impurity() const { return worst_ / total_; }

  // Weighted impurity of the two children (smaller is better); symmetric to the last bit.
  double score(double neg, double pos, Mix node) const {
    return side(neg, pos) +
           side(static_cast<double>(node.neg) - neg, static_cast<double>(node.pos) - pos);
  }
  double gain(double score) const { return (worst_ - score) / total_; }
  double split_information(Mix left) const { return shannon_entropy(weighted(left) / total_); }

  // With class weights.
  double weighted(Mix mix) const {
    return neg_ * static_cast<double>(mix.neg) + pos_ * static_cast<double>(mix.pos);
  }

 private:
  // Of the class with less weight: 1 - p would lose digits near 1.
  double rare_share(Mix mix) const {
    return std::min(neg_ * static_cast<double>(mix.neg), pos_ * static_cast<double>(mix.pos)) /
           weighted(mix);
  }

  double side(double neg, double pos) const {
    const double a = neg_ * neg;
    const double b = pos_ * pos;
    if (a <= 0.0 || b <= 0.0) return 0.0;
    const double n = a + b;
    switch (impurity_) {
      case Impurity::dkm:
        return 2.0 * std::sqrt(a * b);
      case Impurity::gini:
        return 2.0 * a * b / n;
      case Impurity::shannon:
        return n * shannon_entropy(std::min(a, b) / n);
      case Impurity::renyi:
        return n * renyi_entropy(std::min(a, b) / n, alpha_);
    }
    return 0.0;
  }

  Impurity impurity_;
  double neg_;
  double pos_;
  double alpha_;
  double total_;
  double worst_;
};

}  // namespace thresher
