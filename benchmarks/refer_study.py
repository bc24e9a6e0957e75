"""What referring rows gives, on the paper's 18 sets: `make refer-study`.

The plan, written down before the first run:

- Sets: the 18 of the paper. Model: ImbalancedForestClassifier with its defaults (200 trees). Folds:
  5, stratified and shuffled, with 2 seeds; rows of a set are added up over folds and seeds.
- Each fold's thresholds are chosen on the out-of-bag votes of its training rows, and judged on the
  rows that it holds out.
- Curve by limits: miss = false_alarm = 0.4, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01, 0. Where no
  alert keeps the limit on the votes of a fold, all its rows are referred; how often is told.
- Curve by price: cost_fp = cost_fn = 1, price 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01.
- Told for each point: mean over sets of the share referred, of the share of positives referred, of
  F1 on the rows that are decided (0 where none of these is positive and none alerts), of the shares
  of positives that pass and of alerts that are negative, and on how many sets these two exceed
  their limit. Beside it: F1 of the rule "f1", which decides all rows.
- Expected: F1 of decided rows rises as more is referred; limits that are met on votes are exceeded
  on about half of the sets, since nothing is promised.
- With a promise: miss = 0.2, false_alarm = 0.3, confidence 0.8, on the folds whose positives
  suffice for it; others are told as refused and left out of its figures.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from filled_page import fill
from sklearn.model_selection import StratifiedKFold

from thresher import ImbalancedForestClassifier
from thresher.datasets import list_datasets, load_dataset
from thresher.threshold.answered import Answered
from thresher.threshold.costs import Costs
from thresher.threshold.counts import Counts
from thresher.threshold.rules import Rule, RuleNotMetError, choose_pair, make_rule
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.search import Cuts

LIMITS = (0.4, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01, 0.0)
PRICES = (0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01)
PROMISE = {"miss": 0.2, "false_alarm": 0.3, "confidence": 0.8}
FOLDS, SEEDS = 5, 2
SHOWN = 0.1
"""The limit whose sets are told one by one."""


class Way(NamedTuple):
    """A rule, by the curve that it is on and its place there."""

    curve: str
    at: float
    rule: Rule


class Found(NamedTuple):
    """What a way did on the held-out rows of one fold; no answer where the rule was refused."""

    name: str
    curve: str
    at: float
    answered: Answered
    refused: bool


def ways() -> list[Way]:
    limits = [Way("limits", e, make_rule("refer", miss=e, false_alarm=e)) for e in LIMITS]
    prices = [Way("price", c, make_rule("refer", price=c, costs=Costs())) for c in PRICES]
    promise = Way("promise", PROMISE["confidence"], make_rule("refer", **PROMISE))
    return [Way("f1", 0.0, make_rule("f1")), *limits, *prices, promise]


def run_set(name: str, jobs: int) -> Iterator[Found]:
    X, y = load_dataset(name)
    for seed in range(SEEDS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for train, test in folds.split(X, y):
            forest = ImbalancedForestClassifier(random_state=seed, n_bootstrap=0, n_jobs=jobs)
            forest.fit(X[train], y[train])
            state = forest.threshold_state_
            votes = ScoreCounts.of(state.scores, state.is_positive).cuts()
            place = forest.positive_index_
            scores = forest.predict_proba(X[test])[:, place]
            judged = ScoreCounts.of(scores, y[test] == forest.pos_label_)
            yield from (judge(name, way, votes, judged) for way in ways())


def judge(name: str, way: Way, votes: Cuts, judged: ScoreCounts) -> Found:
    try:
        low, high = choose_pair(way.rule, votes)
        refused = False
    except RuleNotMetError:
        low, high, refused = -1.0, 1.0, True
    answered = judged.answered_at(low, low if high is None else high)
    return Found(name, way.curve, way.at, answered, refused)


# -------------------------------------------------------------------------------------- the tables


class Point(NamedTuple):
    """What a way did on a set, over folds and seeds."""

    name: str
    referred: float
    positives_referred: float
    f1: float
    miss: float
    false_alarm: float
    refused: float


def point(name: str, found: list[Found]) -> Point:
    total = Answered(*(add([one.answered[place] for one in found]) for place in (0, 1)))
    positives = float((total.low.fn + total.low.tp)[0])
    return Point(
        name,
        float(total.referred[0]),
        float((total.low.tp - total.high.tp)[0]) / positives,
        float(total.decided.fbeta()[0]),
        float(total.miss[0]),
        float(total.false_alarm[0]),
        float(np.mean([one.refused for one in found])),
    )


def add(parts: list[Counts]) -> Counts:
    return Counts(*np.sum(parts, axis=0))


def points(found: list[Found], curve: str, at: float) -> list[Point]:
    return [point(*one) for one in by_set(found, curve, at).items()]


def by_set(found: list[Found], curve: str, at: float) -> dict[str, list[Found]]:
    sets: dict[str, list[Found]] = {one.name: [] for one in found}
    for one in found:
        if (one.curve, one.at) == (curve, at):
            sets[one.name].append(one)
    return sets


def mean(found: list[Point], measure: str) -> float:
    return float(np.mean([getattr(one, measure) for one in found]))


def curve_lines(found: list[Found], curve: str, places: tuple[float, ...]) -> list[str]:
    exceeds = curve == "limits"
    more = " sets over: missed, false alarms | folds refused |" if exceeds else ""
    head = (
        f"| {curve} | referred | positives referred | F1 of decided | missed | false alarms |{more}"
    )
    lines = [head, "|" + " --- |" * (head.count("|") - 1)]
    for at in places:
        of = points(found, curve, at)
        shares = [mean(of, name) for name in ("referred", "positives_referred")]
        wrong = [mean(of, name) for name in ("miss", "false_alarm")]
        cells = [f"{at:g}", *map(percent, shares), f"{mean(of, 'f1'):.3f}", *map(percent, wrong)]
        if exceeds:
            over = [sum(getattr(one, name) > at for one in of) for name in ("miss", "false_alarm")]
            cells += [f"{over[0]}, {over[1]} of {len(of)}", percent(mean(of, "refused"))]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def set_lines(found: list[Found]) -> list[str]:
    lines = [
        f"| set | F1, all decided | referred at {SHOWN:g} | positives referred | F1 of decided | "
        "missed | false alarms | promise: referred | missed | false alarms | folds refused |",
        "|" + " --- |" * 11,
    ]
    plain, shown = points(found, "f1", 0.0), points(found, "limits", SHOWN)
    tried = by_set(found, "promise", PROMISE["confidence"])
    for before, one in zip(plain, shown, strict=True):
        made = [fold for fold in tried[one.name] if not fold.refused]
        kept = point(one.name, made) if made else None
        cells = [
            one.name,
            f"{before.f1:.3f}",
            percent(one.referred),
            percent(one.positives_referred),
            f"{one.f1:.3f}",
            percent(one.miss),
            percent(one.false_alarm),
            *(["-"] * 3 if kept is None else map(percent, kept[1:2] + kept[4:6])),
            percent(1.0 - len(made) / len(tried[one.name])),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def draw(found: list[Found], target: Path) -> None:
    """Draw F1 of decided rows over the share referred: means over sets, and each set thinly."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    figure, ax = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
    plain = mean(points(found, "f1", 0.0), "f1")
    curves = {"limits": (LIMITS, "#0072b2"), "price": (PRICES, "#d55e00")}
    for curve, (places, color) in curves.items():
        of = [points(found, curve, at) for at in places]
        for one in zip(*of, strict=True):
            x, y = [100 * p.referred for p in one], [p.f1 for p in one]
            ax.plot(x, y, color=color, linewidth=0.6, alpha=0.25)
        x, y = [100 * mean(p, "referred") for p in of], [mean(p, "f1") for p in of]
        ax.plot(x, y, color=color, marker="o", markersize=4, label=f"by {curve}, mean of the sets")
    ax.axhline(plain, color="#333333", linewidth=1.0, linestyle="--", label="all rows decided")
    ax.set_xlabel("rows referred, %")
    ax.set_ylabel("F1 of the rows that are decided")
    ax.set_ylim(0.0, 1.02)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.legend(loc="lower right", edgecolor="none")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    figure.savefig(target, metadata={"Date": None})


# ------------------------------------------------------------------------------------ the programme


def main() -> None:
    options = _options()
    found: list[Found] = []
    for name in options.datasets or list_datasets("paper"):
        print(name, file=sys.stderr, flush=True)
        found += run_set(name, options.jobs)
    plain = points(found, "f1", 0.0)
    parts = {
        "limits": [*curve_lines(found, "limits", LIMITS), "", _plain_words(plain)],
        "price": curve_lines(found, "price", PRICES),
        "sets": set_lines(found),
    }
    for name, lines in parts.items():
        print("\n".join([f"{name}:", *lines, ""]))
    if options.page is not None:
        fill(options.page, parts)
        draw(found, options.page.parent / "images" / "refer.svg")


def _plain_words(plain: list[Point]) -> str:
    return f"All rows decided by the rule `f1`: a mean F1 of {mean(plain, 'f1'):.3f}."


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="some of them [all]")
    parser.add_argument("--jobs", type=int, default=1, help="threads of a forest")
    parser.add_argument("--page", type=Path, help="page to fill, with its figure")
    return parser.parse_args()


if __name__ == "__main__":
    main()
