"""What referring rows gives, on the paper's 18 sets: `make study NAME=refer`."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from studies.page import markdown_table, new_figure, percent, save_figure, say, show
from thresher import ImbalancedForestClassifier
from thresher.datasets import list_datasets, load_dataset
from thresher.errors import RuleNotMetError
from thresher.threshold.counts import Answered, Costs, Counts
from thresher.threshold.rules import Rule, choose_pair, make_rule
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.search import Cuts

HERE = Path(__file__).parent
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


def curve_table(found: list[Found], curve: str, places: tuple[float, ...]) -> list[str]:
    exceeds = curve == "limits"
    rows = []
    for at in places:
        of = points(found, curve, at)
        shares = [mean(of, name) for name in ("referred", "positives_referred")]
        wrong = [mean(of, name) for name in ("miss", "false_alarm")]
        rows.append([f"{at:g}", *map(tenths, shares), f"{mean(of, 'f1'):.3f}", *map(tenths, wrong)])
        if exceeds:
            over = [sum(getattr(one, name) > at for one in of) for name in ("miss", "false_alarm")]
            rows[-1] += [f"{over[0]}, {over[1]} of {len(of)}", tenths(mean(of, "refused"))]
    columns = [curve, "referred", "positives referred", "F1 of decided", "missed", "false alarms"]
    columns += ["sets over: missed, false alarms", "folds refused"] if exceeds else []
    return markdown_table(columns, rows)


def set_table(found: list[Found]) -> list[str]:
    plain, shown = points(found, "f1", 0.0), points(found, "limits", SHOWN)
    tried = by_set(found, "promise", PROMISE["confidence"])
    rows = []
    for before, one in zip(plain, shown, strict=True):
        made = [fold for fold in tried[one.name] if not fold.refused]
        kept = point(one.name, made) if made else None
        rows.append(
            [
                one.name,
                f"{before.f1:.3f}",
                tenths(one.referred),
                tenths(one.positives_referred),
                f"{one.f1:.3f}",
                tenths(one.miss),
                tenths(one.false_alarm),
                *(["-"] * 3 if kept is None else map(tenths, kept[1:2] + kept[4:6])),
                tenths(1.0 - len(made) / len(tried[one.name])),
            ]
        )
    columns = ("set", "F1, all decided", f"referred at {SHOWN:g}", "positives referred")
    columns += ("F1 of decided", "missed", "false alarms", "promise: referred")
    return markdown_table([*columns, "missed", "false alarms", "folds refused"], rows)


def tenths(share: float) -> str:
    return percent(share, 1)


def draw(found: list[Found], target: Path) -> None:
    """Draw F1 of decided rows over the share referred: means over sets, and each set thinly."""
    figure, (ax,) = new_figure(6.4, 3.6)
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
    save_figure(figure, target)


# ------------------------------------------------------------------------------------ the programme


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="some of them fill no page")
    parser.add_argument("--jobs", type=int, default=1, help="threads of a forest")
    options = parser.parse_args()
    found: list[Found] = []
    for name in options.datasets or list_datasets("paper"):
        say(name)
        found += run_set(name, options.jobs)
    plain = mean(points(found, "f1", 0.0), "f1")
    words = f"All rows decided by the rule `f1`: a mean F1 of {plain:.3f}."
    parts = {
        "limits": [*curve_table(found, "limits", LIMITS), "", words],
        "price": curve_table(found, "price", PRICES),
        "sets": set_table(found),
    }
    show(parts, None if options.datasets else HERE / "README.md")
    if not options.datasets:
        draw(found, HERE / "refer.svg")


if __name__ == "__main__":
    main()
