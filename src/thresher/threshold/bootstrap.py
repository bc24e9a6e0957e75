"""How sure a threshold is: the rule applied to bootstrap samples of the scored rows."""

import numpy as np

from thresher.threshold.rules import Rule, RuleNotMetError
from thresher.threshold.search import ScoredRows

COVERAGE = 0.95


def threshold_interval(
    rows: ScoredRows, rule: Rule, n_bootstrap: int, seed: int
) -> tuple[float, float]:
    """Return the central 95 % of the thresholds that a rule chooses on bootstrap samples.

    Each sample draws as many rows with replacement, not stratified, so that the share of positives
    varies as it would in new data; samples of one class are drawn again. Samples on which the rule
    cannot be met are left out; (nan, nan) if no sample remains.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> y = random.random(500) < 0.2
    >>> from thresher.threshold.rules import make_rule
    >>> rows = ScoredRows.of(random.random(500), y)
    >>> low, high = threshold_interval(rows, make_rule("prior"), n_bootstrap=200, seed=0)
    >>> bool(low < y.mean() < high)
    True
    """
    random = np.random.default_rng(seed)
    thresholds = [_choose(rows, rule, random) for _ in range(n_bootstrap)]
    met = [threshold for threshold in thresholds if threshold is not None]
    if not met:
        return float("nan"), float("nan")
    tail = 0.5 * (1.0 - COVERAGE)
    low, high = np.quantile(met, [tail, 1.0 - tail]).tolist()
    return low, high


def _choose(rows: ScoredRows, rule: Rule, random: np.random.Generator) -> float | None:
    try:
        return rule.choose(rows.resampled(random))
    except RuleNotMetError:
        return None
