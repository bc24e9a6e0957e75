"""Thresholds by group beside one for all, on 30 made sets: `make study NAME=groups`."""

from argparse import ArgumentParser
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from studies.page import markdown_table, show
from thresher import ThresholdClassifier
from thresher.threshold.counts import Counts

KINDS = ("alike", "shares", "one")
GROUPS = 8
SHARE = 0.05
SHARES = np.array([900, 700, 500, 350, 250, 150, 90, 60]) / 3000
COLUMNS = [f"x{place}" for place in range(5)]
COST_FP, COST_FN = 1.0, 15.0
PER_1000 = 60.0
RULES = {
    "budget": {"per_1000": PER_1000},
    "cost": {"cost_fp": COST_FP, "cost_fn": COST_FN},
    "f1": {},
}


def made_set(kind, seed, rows=3_000, unseen=30_000):
    """Return a table with a column `site`, its labels, and how many rows are to fit on."""
    random = np.random.default_rng([KINDS.index(kind), seed])
    n = rows + unseen
    group = random.choice(GROUPS, n, p=SHARES)
    shift = np.zeros(GROUPS)
    if kind == "shares":
        shift = random.normal(size=GROUPS)
    if kind == "one":
        shift[random.integers(4, GROUPS)] = 2.0
    X = random.normal(size=(n, len(COLUMNS)))
    line = X @ random.normal(size=len(COLUMNS)) + shift[group]
    intercept = brentq(lambda at: expit(line + at).mean() - SHARE, -40.0, 40.0)
    y = (random.random(n) < expit(line + intercept)).astype(int)
    table = pd.DataFrame(X, columns=COLUMNS).assign(site=np.array(list("abcdefgh"))[group])
    return table, y, rows


def model_of(rule, by):
    blind = make_column_transformer(("passthrough", COLUMNS))
    estimator = make_pipeline(blind, LogisticRegression(C=10.0))
    given = {"pos_label": 1, "n_bootstrap": 0, "threshold_by": by}
    return ThresholdClassifier(estimator, rule, **RULES[rule], **given)


def measured(rule, counts):
    """Return what the rule is after, larger is better, and alerts per 1000."""
    if rule == "cost":
        cost = (COST_FP * counts.fp + COST_FN * counts.fn) / counts.total
        return -float(cost[0]), float(counts.alerts_per_1000[0])
    value = counts.recall if rule == "budget" else counts.fbeta()
    return float(value[0]), float(counts.alerts_per_1000[0])


def runs(sets):
    """Yield kind, set, rule, and both ways with value, alerts and CPU seconds of fit."""
    for kind in KINDS:
        for seed in range(sets):
            table, y, rows = made_set(kind, seed)
            for rule in RULES:
                for way, by in (("common", None), ("by group", "site")):
                    start = process_time()
                    model = model_of(rule, by).fit(table[:rows], y[:rows])
                    seconds = process_time() - start
                    alert = model.predict(table[rows:]) == 1
                    value, alerts = measured(rule, Counts.of(alert, y[rows:] == 1))
                    yield kind, seed, rule, way, value, alerts, seconds


def gains(found, rule, kind=None):
    """Return the paired gains of a rule, relative to the size of the common value."""
    part = found[found["rule"] == rule]
    part = part if kind is None else part[part["kind"] == kind]
    wide = part.pivot(index=["kind", "set"], columns="way", values="value")
    return ((wide["by group"] - wide["common"]) / wide["common"].abs()).to_numpy()


def interval(values):
    """Return the mean with its 95 % t interval."""
    mean, error = float(values.mean()), float(stats.sem(values))
    reach = error * stats.t.ppf(0.975, len(values) - 1)
    return mean, mean - reach, mean + reach


def table_of(found):
    """Return the page's table."""
    rows = []
    for rule in RULES:
        for kind in (*KINDS, None):
            values = gains(found, rule, kind)
            part = found[(found["rule"] == rule) & ((kind is None) | (found["kind"] == kind))]
            alerts = part.groupby("way")["alerts"].mean()
            mean, low, high = interval(values)
            gain = f"{100 * mean:+.1f} % ({100 * low:+.1f} to {100 * high:+.1f})"
            sides = f"{(values > 0).sum()} / {(values < 0).sum()}"
            both = f"{alerts['common']:.1f}, {alerts['by group']:.1f}"
            rows.append([rule, f"{kind or 'all'} ({len(values)})", gain, sides, both])
    columns = ("rule", "sets", "gain over the common cut, 95 % interval", "sets better / worse")
    return markdown_table([*columns, "alerts per 1000: common, by group"], rows)


def main():
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=10, help="of each kind; fewer fill no page")
    options = parser.parse_args()
    columns = ["kind", "set", "rule", "way", "value", "alerts", "seconds"]
    found = pd.DataFrame(runs(options.sets), columns=columns)
    seconds = found.groupby("way")["seconds"].mean()
    took = f"A fit takes {seconds['by group']:.2f} s of CPU instead of {seconds['common']:.2f}."
    page = Path(__file__).parent / "README.md" if options.sets == 10 else None
    show({"gains": table_of(found), "seconds": [took]}, page)


if __name__ == "__main__":
    main()
