"""How often promised thresholds keep their word, and at what price: `make study NAME=promises`."""

import json
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest
from threadpoolctl import threadpool_limits

from studies.page import OTHERS, OURS, TEXT, markdown_table, new_figure, save_figure, say, show
from studies.promises.models import CONFIDENCE, KINDS, Population, measured, populations
from studies.promises.trials import (
    MIDDLES,
    RULES,
    Tally,
    covered,
    oracle_differences,
    other_tallies,
    recall_tally,
)
from thresher.statistics import holm_adjusted

SHARES = (0.2, 0.05, 0.01, 0.003, 0.001)
POSITIVES, ROWS = (30, 60, 120, 240), (500, 2000, 8000, 32_000)
MODELS, DRAWS, OTHER_DRAWS, ORACLE_DRAWS = 10, 2000, 500, 5
BESIDE = ((0.05, 4000), (0.01, 10_000))
REFITS = ((0.2, 0.05, 0.01), (40, 100))
SET_ROWS = (500, 2000, 10_000)
HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
COLORS = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00")
DRAWN = 0.01
"""The share of positives of the lower part of the figure."""


def exact(models: list[Population], thin: int) -> Iterator[Tally]:
    """Yield what exact promises did, by promise, cell and model."""
    for share, positives in product(SHARES, POSITIVES):
        say(f"recall at {share:g}, {positives} positives")
        for number, model in enumerate(models):
            random = np.random.default_rng([5, number, positives, round(1000 * share)])
            yield recall_tally(model, share, positives, DRAWS // thin, random)
            five = recall_tally(model.in_five_values(), share, positives, DRAWS // thin, random)
            yield five._replace(what="recall, 5 values")
    for share, n in product(SHARES, ROWS):
        say(f"precision, alerts and cost at {share:g}, {n} rows")
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
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--thin", type=int, default=1, help="take one of so many draws [1]")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file of all figures")
    parser.add_argument("--kept", action="store_true", help="take the figures of that file")
    options = parser.parse_args()
    if not options.kept:
        options.out.write_text(json.dumps(run(options.thin), indent=1) + "\n", encoding="utf-8")
    found = json.loads(options.out.read_text(encoding="utf-8"))
    is_whole = options.out == RESULTS
    show(tables(found), HERE / "README.md" if is_whole else None)
    if is_whole:
        draw(found, HERE / "promises.svg")


def run(thin: int) -> dict[str, Any]:
    """Return all figures of the study."""
    from studies.promises.rivals import side_by_side  # MAPIE comes with the extra studies only

    models = populations(MODELS)
    found: dict[str, Any] = {"cells": cells(exact(models, thin))}
    found["differences"], found["compared"] = differences(models)
    say("MAPIE beside it")
    found["beside"] = [
        one._asdict()
        for share, n in BESIDE
        for one in side_by_side(models[0], share, n, 100 // thin or 1)
    ]
    found["measured"] = []
    for kind, share, positives in product(KINDS, *REFITS):
        say(f"measured: {kind} at {share:g}, {positives} positives")
        found["measured"].append(measured(kind, share, positives, 200 // thin)._asdict())
    found["sets"] = []
    for rule, share, n in product(RULES, MIDDLES, SET_ROWS):
        say(f"confidence set: {rule}, {share}, {n} rows")
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
    rows = [[_percent(one), *(_kept(chosen[one, size]) for size in sizes)] for one in SHARES]
    return markdown_table(["share of positives", *(f"{size:,} {unit}" for size in sizes)], rows)


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
    chosen = {(c["share"], c["size"]): c for c in found["cells"] if c["what"] == "recall"}
    rows = []
    for share in SHARES:
        row = [chosen[share, size] for size in POSITIVES]
        alerts = [*(one["alerts"] for one in row), row[0]["best"]]
        rows.append([_percent(share), *(f"{one:.0f}" for one in alerts)])
    columns = ("share of positives", *(f"{size:,} positives" for size in POSITIVES), "known")
    return markdown_table(columns, rows)


def _beside_table(found: dict[str, Any]) -> list[str]:
    rows = []
    for one in found["beside"]:
        cell = f"{one['rows']:,}, {_percent(one['share'])}"
        held = f"{100 * one['held'] / one['made']:.0f} %" if one["made"] else "none made"
        took = f"{one['milliseconds']:.1f} ms"
        rows.append([cell, one["way"], held, f"{one['alerts']:.0f}", took])
    columns = ("rows, share", "way", "held", "alerts per 1000", "CPU time a choice")
    return markdown_table(columns, rows)


def _measured_table(found: dict[str, Any]) -> list[str]:
    rows = []
    for one in found["measured"]:
        held = f"{100 * one['held'] / one['made']:.1f} %"
        cells = [one["model"], _percent(one["share"]), one["size"]]
        cells += [f"{one['made']} of {one['draws']}", held, f"{one['mean_recall']:.3f}"]
        rows.append([*cells, f"{one['alerts']:.0f}"])
    columns = ("model", "share", "positives", "made", "held", "mean recall", "alerts per 1000")
    return markdown_table(columns, rows)


def _sets_table(found: dict[str, Any]) -> list[str]:
    cells: dict[tuple[Any, ...], dict[str, Any]] = defaultdict(dict)
    for one in found["sets"]:
        cells[one["rule"], one["share"], one["rows"]][one["way"], one["asked"]] = one
    ways = [("confidence set", 0.9), ("confidence set", 0.95), ("percentile bootstrap", 0.95)]
    rows = []
    for (rule, share, size), by_way in cells.items():
        held = [_held(by_way.get(way)) for way in ways]
        lengths = [f"{by_way[way]['length']:.2f}" if way in by_way else "" for way in ways]
        rows.append([f"`{rule}`", share, f"{size:,}", *held[:2], lengths[1], held[2], lengths[2]])
    columns = ("rule", "share", "rows", "asked 90 %", "asked 95 %", "length at 95 %")
    return markdown_table([*columns, "percentile bootstrap, 95 %", "its length"], rows)


def _held(one: dict[str, Any] | None) -> str:
    return "" if one is None else f"{100 * one['held'] / one['draws']:.1f} %"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


# ------------------------------------------------------------------------------------- the figure


def draw(found: dict[str, Any], target: Path) -> None:
    """Draw how often recall holds, and the alerts of each way to promise it."""
    figure, (top, bottom) = new_figure(6.5, 5.8, rows=2)
    _draw_cells(top, [cell for cell in found["cells"] if cell["what"] == "recall"])
    _draw_ways(bottom, [one for one in found["beside"] if one["share"] == DRAWN])
    save_figure(figure, target)


def _draw_cells(ax: Any, cells: list[dict[str, Any]]) -> None:
    """Draw how often recall holds, a line for each share of positives."""
    for color, share in zip(COLORS, dict.fromkeys(cell["share"] for cell in cells), strict=True):
        line = [cell for cell in cells if cell["share"] == share]
        kept = [100.0 * cell["kept"] for cell in line]
        label = f"{100 * share:g} % positives"
        ax.plot([cell["size"] for cell in line], kept, "o-", color=color, label=label, linewidth=1)
    asked = 100.0 * CONFIDENCE
    ax.axhline(asked, color=TEXT, linestyle="--", linewidth=1)
    ax.annotate("asked", (30, asked), (0, 3), textcoords="offset points", color=TEXT, fontsize=9)
    ax.set(xscale="log", ylim=(80, 100), xlabel="positives to promise on, on average")
    ax.set_xticks([30, 60, 120, 240], ["30", "60", "120", "240"], minor=False)
    ax.set_xticks([], minor=True)
    ax.set_title("Promises of recall >= .9 that hold, %", fontsize=10, loc="left")
    ax.legend(fontsize=9, frameon=False, ncols=2)


def _draw_ways(ax: Any, ways: list[dict[str, Any]]) -> None:
    """Draw the alerts of each way, with how often its recall holds."""
    names = [one["way"] for one in ways]
    colors = [OURS if "thresher" in name else OTHERS for name in names]
    ax.barh(names, [one["alerts"] for one in ways], color=colors, height=0.6)
    for place, one in enumerate(ways):
        held = f"{one['alerts']:.0f}; holds in {100 * one['held'] / one['made']:.0f} %"
        beside = (one["alerts"], place)
        ax.annotate(
            held, beside, (4, 0), textcoords="offset points", va="center", color=TEXT, fontsize=9
        )
    ax.invert_yaxis()
    ax.set_xlim(0, 1250)  # with room for the words beside the longest bar
    ax.set_xticks(range(0, 1001, 200))
    title = f"Alerts per 1000 rows: 10,000 rows, {100 * DRAWN:g} % positives"
    ax.set_title(title, fontsize=10, loc="left")
    ax.tick_params(axis="y", labelsize=9)


if __name__ == "__main__":
    with threadpool_limits(1):  # threads that wait would count as CPU time
        main()
