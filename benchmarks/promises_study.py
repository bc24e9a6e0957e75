"""How often promised thresholds keep their word, and what that takes: `make promises-study`.

The plan, written down before the first run:

- Scores: ten models (logistic regressions, trees and forests in turn, each fitted on 4,000 rows of
  its own) score 50,000 positives and 200,000 negatives that none of them has seen. These are the
  populations; rows are drawn from them with replacement, and a population tells exactly what a
  threshold does. A share of positives mixes the classes.
- Exact promises of recall (at least .9 with confidence .9): shares 20, 5, 1, 0.3 and 0.1 %; as many
  rows as hold 30, 60, 120 and 240 positives on average; ten models a cell; 2,000 draws each. Draws
  with too few positives get an error, no promise, and are counted apart. Held: the recall of the
  population is at least .9. Again with the scores of each model put into 5 distinct values.
- Exact promises of precision (at least .5), of alerts (at most 50 per 1000) and of cost (a miss
  costs ten false alarms; every tenth draw): the same shares and models; 500, 2,000, 8,000 and
  32,000 rows; 500 draws each (all rows are drawn and sorted here). What is promised of precision
  is that a promise is made and broken in at most 10 % of draws; it is often not made.
- Test: each cell (its ten models together), that promises hold less often than in 90 %, one-sided
  binomial, Holm over all cells of the four promises and the five values. Aim: no cell below .05.
- Oracle: on 5 draws of all rows for each model and cell of recall, the alerts must be those at or
  above the k-th smallest positive score, found by sorting and scipy's binomial law. Aim: no
  difference.
- Price: alerts per 1000 rows on the population, against the threshold that knows the population.
- MAPIE beside it (recall, same numbers): as it comes, with its fixed sequence, and with a grid of
  100 quantiles of the positives' scores; our floor without a promise; 5 % of 4,000 rows and 1 % of
  10,000, scores of the first logistic regression, 100 draws. No aim.
- Measured promises of recall: out of fold (logistic regression, tree; five folds) and out of bag
  (forest of 100 trees), 20, 5 and 1 % positives, 40 and 100 of them on average, 200 trainings each;
  judged on 4,000 new rows of each class. No aim: stated as it is.
- Confidence set: true probabilities as scores, 23 and 3 % positives, 500, 2,000 and 10,000 rows,
  200 draws; how often the hull holds the threshold that is best by expected counts, asked 90 and
  95 %; for F1 the percentile bootstrap of the best threshold beside it. Aim: the coverage that is
  asked for.

A trial of one draw in fifty, to see that everything runs, changed two things before the first run:
positives lie 1.8 instead of 1.2 standard deviations apart, since the models alerted on half of the
rows, and the rows for precision are up to 32,000 instead of 4,000, since hardly any were promised.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from filled_page import fill
from promise_refits import measured
from promise_scores import KINDS, Population, populations
from promise_trials import CONFIDENCE, Tally, oracle_differences, other_tallies, recall_tally
from scipy.stats import binomtest
from threadpoolctl import threadpool_limits
from threshold_set_trials import MIDDLES, RULES, covered

from thresher.statistics import holm_adjusted

SHARES = (0.2, 0.05, 0.01, 0.003, 0.001)
POSITIVES, ROWS = (30, 60, 120, 240), (500, 2000, 8000, 32_000)
MODELS, DRAWS, OTHER_DRAWS, ORACLE_DRAWS = 10, 2000, 500, 5
BESIDE = ((0.05, 4000), (0.01, 10_000))
REFITS = ((0.2, 0.05, 0.01), (40, 100))
SET_ROWS = (500, 2000, 10_000)
RESULTS = Path(__file__).parent / "promises_results.json"


def exact(models: list[Population], thin: int) -> Iterator[Tally]:
    """Yield what exact promises did, by promise, cell and model."""
    for share, positives in product(SHARES, POSITIVES):
        _say(f"recall at {share:g}, {positives} positives")
        for number, model in enumerate(models):
            random = np.random.default_rng([5, number, positives, round(1000 * share)])
            yield recall_tally(model, share, positives, DRAWS // thin, random)
            five = recall_tally(model.in_five_values(), share, positives, DRAWS // thin, random)
            yield five._replace(what="recall, 5 values")
    for share, n in product(SHARES, ROWS):
        _say(f"precision, alerts and cost at {share:g}, {n} rows")
        for number, model in enumerate(models):
            random = np.random.default_rng([6, number, n, round(1000 * share)])
            yield from other_tallies(model, share, n, OTHER_DRAWS // thin, random)


def differences(models: list[Population]) -> tuple[int, int]:
    """Return on how many draws alerts differ from the oracle's, and on how many it was asked."""
    found, asked = 0, 0
    for share, positives in product(SHARES, POSITIVES):
        for number, model in enumerate(models):
            random = np.random.default_rng([9, number, positives, round(1000 * share)])
            draws = ORACLE_DRAWS if positives / share < 100_000 else 1
            found += oracle_differences(model, share, positives, draws, random)
            asked += draws
    return found, asked


# ----------------------------------------------------------------------------------------- results


def cells(tallies: Iterable[Tally]) -> list[dict[str, Any]]:
    """Put the models of each cell together, and test each cell."""
    by_cell = defaultdict(list)
    for one in tallies:
        by_cell[one.what, one.share, one.size].append(one)
    found = []
    for (what, share, size), parts in by_cell.items():
        draws, made, held = (
            sum(getattr(one, name) for one in parts) for name in Tally._fields[4:7]
        )
        # Of precision a promise that is not made is not broken. The others are judged where they
        # are made, which is stricter: few rows, or a tie of the highest scores, refuse them.
        trials, kept = (draws, draws - made + held) if what == "precision" else (made, held)
        p = binomtest(kept, trials, CONFIDENCE, "less").pvalue if trials else 1.0
        found.append(
            {
                "what": what,
                "share": share,
                "size": size,
                "draws": draws,
                "made": made,
                "held": held,
                "kept": kept / trials if trials else None,
                "p": float(p),
                "alerts": _mean([one.alerts for one in parts if one.made]),
                "best": _mean([one.best for one in parts if one.made]),
            }
        )
    for cell, p in zip(found, holm_adjusted([one["p"] for one in found]), strict=True):
        cell["holm"] = float(p)
    return found


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values and not np.isnan(values).any() else None


def main() -> None:
    from promise_rivals import side_by_side  # MAPIE comes with the extra `study` only

    options = _options()
    if not options.kept:
        found = run(options.thin, side_by_side)
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    found = json.loads(options.out.read_text(encoding="utf-8"))
    for name, lines in tables(found).items():
        print(f"\n{name}\n" + "\n".join(lines))
    for page in options.page or []:
        fill(page, tables(found))


def run(thin: int, side_by_side: Callable[..., Any]) -> dict[str, Any]:
    """Return all figures of the study."""
    models = populations(MODELS)
    found: dict[str, Any] = {"cells": cells(exact(models, thin))}
    found["differences"], found["compared"] = differences(models)
    _say("MAPIE beside it")
    found["beside"] = [
        one._asdict()
        for share, n in BESIDE
        for one in side_by_side(models[0], share, n, 100 // thin or 1)
    ]
    found["measured"] = []
    for kind, share, positives in product(KINDS, *REFITS):
        _say(f"measured: {kind} at {share:g}, {positives} positives")
        found["measured"].append(measured(kind, share, positives, 200 // thin)._asdict())
    found["sets"] = []
    for rule, share, n in product(RULES, MIDDLES, SET_ROWS):
        _say(f"confidence set: {rule}, {share}, {n} rows")
        found["sets"] += [one._asdict() for one in covered(rule, share, n, 200 // thin)]
    return found


# ------------------------------------------------------------------------------------------ tables


def tables(found: dict[str, Any]) -> dict[str, list[str]]:
    """Return the tables of the pages, as Markdown."""
    return {
        "recall": _kept_table(found, "recall", "positives"),
        "recall, 5 values": _kept_table(found, "recall, 5 values", "positives"),
        "precision": _kept_table(found, "precision", "rows"),
        "alerts": _kept_table(found, "alerts", "rows"),
        "cost": _kept_table(found, "cost", "rows"),
        "tests": _tests(found),
        "price": _price_table(found),
        "beside": _beside_table(found),
        "measured": _measured_table(found),
        "sets": _sets_table(found),
    }


def _kept_table(found: dict[str, Any], what: str, unit: str) -> list[str]:
    chosen = {(c["share"], c["size"]): c for c in found["cells"] if c["what"] == what}
    sizes = sorted({size for _, size in chosen})
    lines = [_row("share of positives", *(f"{size:,} {unit}" for size in sizes)), _rule(len(sizes))]
    for share in SHARES:
        lines.append(_row(_percent(share), *(_kept(chosen[share, size]) for size in sizes)))
    return lines


def _kept(cell: dict[str, Any]) -> str:
    if not cell["made"]:
        return "none made"
    made = cell["made"] / cell["draws"]
    return f"{100 * cell['kept']:.1f} %" + (f" ({100 * made:.0f} % made)" if made < 0.995 else "")


def _tests(found: dict[str, Any]) -> list[str]:
    below = [c for c in found["cells"] if c["holm"] < 0.05]
    lowest = min(found["cells"], key=lambda c: (c["holm"], c["p"]))
    return [
        f"{len(found['cells'])} cells are tested; {len(below)} are significantly below the "
        f"{CONFIDENCE:.0%} asked for (Holm, .05); the least adjusted p is {lowest['holm']:.2g}. "
        f"Alerts differ from the oracle's on {found['differences']} of {found['compared']} draws."
    ]


def _price_table(found: dict[str, Any]) -> list[str]:
    lines = [
        _row("share of positives", *(f"{size:,} positives" for size in POSITIVES), "known"),
        _rule(len(POSITIVES) + 1),
    ]
    chosen = {(c["share"], c["size"]): c for c in found["cells"] if c["what"] == "recall"}
    for share in SHARES:
        row = [chosen[share, size] for size in POSITIVES]
        shown = [f"{one['alerts']:.0f}" for one in row]
        lines.append(_row(_percent(share), *shown, f"{row[0]['best']:.0f}"))
    return lines


def _beside_table(found: dict[str, Any]) -> list[str]:
    heads = ("rows, share", "way", "held", "alerts per 1000", "CPU time a choice")
    lines = [_row(*heads), _rule(len(heads) - 1)]
    for one in found["beside"]:
        cell = f"{one['rows']:,}, {_percent(one['share'])}"
        held = f"{100 * one['held'] / one['made']:.0f} %" if one["made"] else "none made"
        took = f"{one['milliseconds']:.1f} ms"
        lines.append(_row(cell, one["way"], held, f"{one['alerts']:.0f}", took))
    return lines


def _measured_table(found: dict[str, Any]) -> list[str]:
    heads = ("model", "share", "positives", "made", "held", "mean recall", "alerts per 1000")
    lines = [_row(*heads), _rule(len(heads) - 1)]
    for one in found["measured"]:
        held = f"{100 * one['held'] / one['made']:.1f} %"
        shown = (f"{one['made']} of {one['draws']}", held, f"{one['mean_recall']:.3f}")
        lines.append(
            _row(one["model"], _percent(one["share"]), one["size"], *shown, f"{one['alerts']:.0f}")
        )
    return lines


def _sets_table(found: dict[str, Any]) -> list[str]:
    cells: dict[tuple[Any, ...], dict[str, Any]] = defaultdict(dict)
    for one in found["sets"]:
        cells[one["rule"], one["share"], one["rows"]][one["way"], one["asked"]] = one
    ways = [("confidence set", 0.9), ("confidence set", 0.95), ("percentile bootstrap", 0.95)]
    heads = ("rule", "share", "rows", "asked 90 %", "asked 95 %", "length at 95 %")
    more = ("percentile bootstrap, 95 %", "its length")
    lines = [_row(*heads, *more), _rule(len(heads) + 1)]
    for (rule, share, rows), by_way in cells.items():
        held = [_held(by_way.get(way)) for way in ways]
        lengths = [f"{by_way[way]['length']:.2f}" if way in by_way else "" for way in ways]
        shown = (*held[:2], lengths[1], held[2], lengths[2])
        lines.append(_row(f"`{rule}`", share, f"{rows:,}", *shown))
    return lines


def _held(one: dict[str, Any] | None) -> str:
    return "" if one is None else f"{100 * one['held'] / one['draws']:.1f} %"


def _row(*items: object) -> str:
    return f"| {' | '.join(map(str, items))} |"


def _rule(columns: int) -> str:
    return f"| --- |{' ---: |' * columns}"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--thin", type=int, default=1, help="take one of so many draws [1]")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file of all figures")
    parser.add_argument("--kept", action="store_true", help="take the figures of that file")
    parser.add_argument("--page", type=Path, action="append", help="page whose tables to fill")
    return parser.parse_args()


if __name__ == "__main__":
    with threadpool_limits(1):  # threads that wait would count as CPU time
        main()
