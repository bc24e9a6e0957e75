"""One budget of alerts for several reason codes: dealt, dealt equally, or one model for all.

The plan, before any result. Tables: ten made lines (2,000 parts, 10 columns, four codes of unequal
rates; each code has a condition of one or two columns that explains half to nine tenths of it, the
rest falls at random), and the steel plates with the four codes of the data folder (1,941 plates;
plates of other faults are the good ones there, for want of better). Models: forests, one a code and
one for "any code", chosen and judged by the same five outer folds, stratified by code. Budgets:
half as many alerts as there are bad rows, and as many. Three ways to spend one, each chosen on the
inner scores of each fold and judged on its outer rows: "dealt" (what `train` does), "equal" (each
code the same share, its own best cut), "one model" (any code against good). Reported for each table
and budget: alerts per 1000 against the budget with Wilson's interval, bad rows stopped (any alert),
and of the first two those found under their own code. Paired differences: on the steel plates by
McNemar's exact test over bad rows, over the lines by a t interval. The claims: (1) the budget is
inside the interval of the alerts on at least nine tables of eleven at each budget; (2) dealt finds
at least as many under their own code as equal; (3) no claim against one model, whose alerts name no
code: it is stated what naming costs or brings.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from thresher.datasets import load_dataset
from thresher.judging.recipe import Recipe
from thresher.plant.coded.dealing import Budget, outer_folds
from thresher.plant.table_training import Wishes, judge_rows
from thresher.plant.training_table import Roles, training_table
from thresher.statistics import wilson
from thresher.tables.codes import ReasonCodes, read_codes
from thresher.tables.reading import read_table
from thresher.tables.table import Table
from thresher.texts import Texts

STEEL = ("dirtiness", "pastry", "stains", "z_scratch")
SHARES = (0.5, 1.0)
LINES = 10
RATES = {"crack": 0.06, "leak": 0.04, "noise": 0.03, "scratch": 0.02}
WAYS = ("dealt", "equal", "one model")
RECIPE = Recipe(model="forest", derive="none")


class Run(NamedTuple):
    """One way to spend one budget on one table.

    `stopped` and `named` are of bad rows, in one order for all ways.
    """

    table: str
    share: float
    way: str
    rows: int
    per_1000: float
    alerts: int
    stopped: np.ndarray
    named: np.ndarray


def made_line(seed: int, rows: int = 2_000) -> pd.DataFrame:
    """Return parts with the column `reason`."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(rows, 10)), columns=[f"x{n}" for n in range(10)])
    reason = np.full(rows, "ok", dtype=object)
    for code, rate in RATES.items():
        explained = random.uniform(0.5, 0.9)
        columns = random.choice(10, random.integers(1, 3), replace=False)
        depth = X.to_numpy()[:, columns].min(axis=1)
        inside = np.argsort(-depth)[: int(1.25 * explained * rate * rows)]
        hits = inside[random.random(len(inside)) < 0.8]
        others = random.choice(rows, int((1.0 - explained) * rate * rows), replace=False)
        reason[np.concatenate([hits, others])] = code
    return X.assign(reason=reason)


def steel_plates() -> pd.DataFrame:
    """Return the plates with their codes in one column: the same rows in each of the four files."""
    parts = {code: load_dataset(f"steel_plates-{code}") for code in STEEL}
    first = np.asarray(parts[STEEL[0]][0], dtype=float)
    table = pd.DataFrame(first, columns=[f"x{n}" for n in range(first.shape[1])])
    reason = np.full(len(table), "ok", dtype=object)
    for code, (X, y) in parts.items():
        assert np.array_equal(np.asarray(X, dtype=float), first), "The files hold other rows."
        is_own = np.asarray(y).astype(int) == 1
        assert (reason[is_own] == "ok").all(), "A plate has two codes."
        reason[is_own] = code
    return table.assign(reason=reason)


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables by name."""
    yield "steel plates", steel_plates()
    for seed in range(LINES):
        yield f"line {seed}", made_line(seed)


def judged(table: Table, codes: ReasonCodes, label: str, is_positive: np.ndarray):
    """Choose and judge a model of one class against all other rows."""
    target = Texts.of(np.where(is_positive, label, "others").tolist())
    own = Table(table.source, {**table.columns, "reason": target})
    rows = training_table(own, Roles("reason", label))
    return judge_rows(rows, RECIPE, Wishes(), strata=codes.labels)


def runs_of(name: str, frame: pd.DataFrame) -> Iterator[Run]:
    """Yield all ways and budgets of one table."""
    table, codes = read_codes(read_table(frame, texts=["reason"]), "reason")
    labels = codes.labels
    is_bad = labels != codes.good
    place = {code: number for number, code in enumerate(codes.codes)}
    places = np.array([place.get(label, -1) for label in labels.tolist()])
    by_code = [judged(table, codes, code, labels == code).judged for code in codes.codes]
    any_code = judged(table, codes, "bad", is_bad).judged
    folds, alone = outer_folds(by_code), outer_folds([any_code])
    for share in SHARES:
        per_1000 = 1000.0 * share * float(is_bad.mean())
        shared = Budget(per_1000, (1.0,) * len(place))
        one = Budget(per_1000, (1.0,))
        part = Budget(per_1000 / len(place), (1.0,))

        def equal(inner, own, part=part):
            columns = [
                part.thresholds(inner.scores[:, [code]], np.where(own == code, 0, -1))
                for code in range(inner.scores.shape[1])
            ]
            return np.concatenate(columns)

        ways = {
            "dealt": (folds, shared.thresholds, places),
            "equal": (folds, None, places),
            "one model": (alone, one.thresholds, np.where(is_bad, 0, -1)),
        }
        for way, (of, choose, own) in ways.items():
            alerts = np.zeros((len(labels), len(place) if of is folds else 1), dtype=bool)
            for fold in of.values():
                inner = fold.inner
                mine = own[inner.rows]
                cuts = equal(inner, mine) if choose is None else choose(inner.scores, mine)
                alerts[fold.outer.rows] = fold.outer.scores > cuts
            is_alert = alerts.any(axis=1)
            named = is_alert[is_bad]
            if of is folds:
                named = alerts[np.flatnonzero(is_bad), places[is_bad]]
            found = is_alert[is_bad]
            yield Run(name, share, way, len(labels), per_1000, int(is_alert.sum()), found, named)


def lines_of(found: list[Run]) -> list[str]:
    """Return the table of all runs."""
    lines = [
        "| table | budget | way | alerts per 1000, 95 % interval | bad rows stopped "
        "| under their own code |",
        "| --- | ---: | --- | --- | ---: | ---: |",
    ]
    for run in found:
        low, high = wilson(run.alerts, run.rows, 0.95)
        alerts = f"{1000 * run.alerts / run.rows:.1f} ({1000 * low:.1f} to {1000 * high:.1f})"
        named = "-" if run.way == "one model" else f"{run.named.sum():,}"
        lines.append(
            f"| {run.table} | {run.per_1000:.1f} | {run.way} | {alerts} "
            f"| {run.stopped.sum():,} of {len(run.stopped):,} | {named} |"
        )
    return lines


def summary_of(found: list[Run]) -> list[str]:
    """Return the claims with their figures."""
    by_key = {(run.table, run.share, run.way): run for run in found}
    names = list(dict.fromkeys(run.table for run in found))
    lines = []
    for share in SHARES:
        for way in WAYS:
            runs = [by_key[name, share, way] for name in names]
            kept = [wilson(run.alerts, run.rows, 0.95) for run in runs]
            inside = sum(
                low <= run.per_1000 / 1000 <= high
                for run, (low, high) in zip(runs, kept, strict=True)
            )
            over = sum(run.alerts / run.rows > run.per_1000 / 1000 for run in runs)
            mean = np.mean([1000 * run.alerts / run.rows / run.per_1000 for run in runs])
            lines.append(
                f"- Budget {share:g} x bad rows, {way}: alerts are {mean:.3f} of the budget on "
                f"average, above it on {over} of {len(runs)}; inside the interval on {inside}."
            )
        for what, others in (("named", ("equal",)), ("stopped", ("equal", "one model"))):
            for other in others:
                lines.append(_paired(by_key, names, share, what, other))
    return lines


def _paired(by_key, names: list[str], share: float, what: str, other: str) -> str:
    words = "found under their own code" if what == "named" else "stopped"
    ours, theirs = (getattr(by_key["steel plates", share, way], what) for way in ("dealt", other))
    more, fewer = int((ours & ~theirs).sum()), int((~ours & theirs).sum())
    p = stats.binomtest(more, more + fewer).pvalue if more + fewer else 1.0
    gains = np.array(
        [
            getattr(by_key[name, share, "dealt"], what).mean()
            - getattr(by_key[name, share, other], what).mean()
            for name in names
            if name != "steel plates"
        ]
    )
    mean, reach = float(gains.mean()), float(stats.sem(gains) * stats.t.ppf(0.975, len(gains) - 1))
    return (
        f"- Budget {share:g} x bad rows, bad rows {words}, dealt against {other}: steel plates "
        f"{more} more and {fewer} fewer (McNemar p = {p:.3g}); lines {100 * mean:+.1f} points of "
        f"recall ({100 * (mean - reach):+.1f} to {100 * (mean + reach):+.1f}), better on "
        f"{int((gains > 0).sum())}, worse on {int((gains < 0).sum())} of {len(gains)}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    options = parser.parse_args()
    found: list[Run] = []
    for name, frame in tables():
        new = list(runs_of(name, frame))
        print("\n".join(lines_of(new)[2:]), flush=True)
        found += new
    text = "\n".join([*lines_of(found), "", *summary_of(found)])
    print(text)
    if options.out is not None:
        options.out.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
