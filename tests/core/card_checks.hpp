// Cards: laws of their fit, for any number of threads.
#pragma once

#include <cmath>

#include "base/threads.hpp"
#include "card/fitting.hpp"
#include "random_tables.hpp"

namespace thresher::checks {

struct CardData {
  std::vector<std::uint8_t> codes, categorical;
  std::vector<double> target, weight;

  CardData(Random& random, std::size_t n_rows, std::size_t n_features) {
    for (std::size_t i = 0; i < n_features; ++i) categorical.push_back(chance(random, 0.3));
    const std::size_t n_codes = 1 + below(random, kCells - 1);
    for (std::size_t i = 0; i < n_rows * n_features; ++i)
      codes.push_back(
          static_cast<std::uint8_t>(chance(random, 0.1) ? kMissing : below(random, n_codes)));
    for (std::size_t row = 0; row < n_rows; ++row) {
      target.push_back(static_cast<double>(codes[row * n_features] % 5 + below(random, 3)));
      weight.push_back(0.25 * static_cast<double>(1 + below(random, 8)));
    }
  }
};

struct FittedCard {
  CardOptions options;
  CardRows rows;
  CardFit fit;

  FittedCard(const CardData& data, const CardOptions& how, int n_threads)
      : options(how),
        rows(data.codes.data(), data.categorical, data.target, data.weight),
        fit(rows, options, n_threads) {
    fit.fit();
  }
};

inline void cards() {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const CardData data(random, seed < 10 ? 1 + below(random, 400) : kWorthThreads, 3);
    CardOptions options;
    options.max_splits = 1 + below(random, 20);
    options.max_trees = 1 + below(random, 4);
    const FittedCard one(data, options, 1), several(data, options, 3);
    check(one.fit.trees().n_splits() <= options.max_splits, "a card has few questions");
    check(one.fit.trees().n_trees() <= options.max_trees, "a card has few trees");
    check(one.fit.loss() == several.fit.loss(), "threads change no card");
    check(one.fit.intercept() == several.fit.intercept(), "threads change no intercept");
    check(std::isfinite(one.fit.loss()), "the loss is a number");
    const std::vector<double>& losses = one.fit.losses();
    check(losses.empty() || one.fit.loss() <= losses.front() * (1.0 + 1e-12), "no step loses");
  }
}

inline void card_interrupts() {
  Random random(0);
  const CardData data(random, 200, 3);
  CardOptions options;
  options.interrupted = [] { return true; };
  bool thrown = false;
  try {
    const FittedCard card(data, options, 1);
  } catch (const Interrupted&) {
    thrown = true;
  }
  check(thrown, "a card is interrupted");
}

inline void check_cards() {
  group("cards", cards);
  group("interrupts of cards", card_interrupts);
}

}  // namespace thresher::checks
