"""Models on a page beside the forest that they imitate, by the plan of plan.md.

Each fold of a set is kept as it ends, under a hash of the code, so that a study that was stopped
goes on, and results of other code are never mixed in.
"""

import json
import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

import thresher
from studies.accuracy.contenders import hashed, package_files
from studies.accuracy.report import Gap, family_means, gap_between
from studies.accuracy.sets import load, sets_of
from studies.accuracy.study import TITLES
from thresher import ImbalancedForestClassifier
from thresher.answers import REFER
from thresher.text_table import Cell, Row, TextTable

FOLDS, TREES, LEAVES = 5, 100, 32
READERS: dict[str, Callable[[Any], Any]] = {
    "tree": lambda forest: forest.to_tree(LEAVES, cv=None),
    "refer .05": lambda forest: forest.to_tree(LEAVES, refer=0.05, cv=None),
    "refer .10": lambda forest: forest.to_tree(LEAVES, refer=0.10, cv=None),
}
CONTENDERS = ("forest", *READERS)
PAIRS = (
    *((name, "forest") for name in READERS),
    *((name, "tree") for name in READERS if name != "tree"),
)
NEAR, LEVEL = 0.02, 0.05
MOST_REFERRED, WELL_TOLD = 0.12, 0.01

Vector = NDArray[np.float64]


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = parse(arguments)
    chosen.store.parent.mkdir(parents=True, exist_ok=True)
    if not chosen.report:
        for part in chosen.part:
            run_part(part, chosen)
    text = report(chosen.part, read(chosen.store))
    print(text, end="")
    if chosen.out:
        chosen.out.write_text(text, encoding="utf-8")
    return 0


def parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--part", nargs="+", choices=tuple(TITLES), default=["develop"])
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="some sets of the part")
    parser.add_argument("--store", type=Path, default=Path("build/readable.jsonl"))
    parser.add_argument("--report", action="store_true", help="print what is there, run nothing")
    parser.add_argument("--out", type=Path, help="a file for the report")
    return parser.parse_args(arguments)


# --------------------------------------------------------------------------------------- the runs


def code() -> str:
    """Hash what shapes the results."""
    return hashed([*package_files(Path(thresher.__file__).parent), Path(__file__)])


def run_part(part: str, chosen: Namespace) -> None:
    known = {(one["set"], one["fold"]) for one in read(chosen.store)}
    for name in sets_of(part):
        if chosen.sets and name not in chosen.sets:
            continue
        for fold in range(FOLDS):
            if (name, fold) not in known:
                keep(chosen.store, run_fold(name, fold))


def run_fold(name: str, fold: int) -> dict[str, Any]:
    """Fit the forest without a fold, let the others read it, and decide about the fold."""
    X, y = load(name)
    labels = np.asarray(y)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, labels)
    train, test = list(splits)[fold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = process_time()
        forest = ImbalancedForestClassifier(TREES, n_bootstrap=0, random_state=0)
        forest.fit(X.iloc[train], labels[train])
        seconds = process_time() - start
        by_forest = forest.predict(X.iloc[test])
        truth = labels[test] == forest.pos_label_
        found = {"forest": _measured(truth, by_forest == forest.pos_label_, seconds)}
        for reader, read_forest in READERS.items():
            try:
                start = process_time()
                model = read_forest(forest)
                seconds = process_time() - start
                found[reader] = _of_reader(model, X.iloc[test], truth, by_forest, seconds)
            except Exception as error:  # told in the report
                found[reader] = {"error": f"{type(error).__name__}: {error}"}
    return {"set": name, "fold": fold, "code": code(), "results": found}


def _of_reader(
    model: Any, X: Any, truth: Any, by_forest: Any, seconds: float
) -> dict[str, float | str]:
    is_referred = model.decide(X) == REFER
    decided = np.where(is_referred, by_forest, model.predict(X)) == model.pos_label_
    found = _measured(truth, decided, seconds)
    told = getattr(model, "referred_", None)
    return found | {
        "referred": float(is_referred.mean()),
        "told": 0.0 if told is None else told.share,
        "splits": int((np.asarray(model.tree_.feature) >= 0).sum()),
    }


def _measured(truth: Any, decided: Any, seconds: float) -> dict[str, float | str]:
    return {"f1": float(f1_score(truth, decided, zero_division=0)), "seconds": seconds}


def keep(store: Path, one: dict[str, Any]) -> None:
    with store.open("a", encoding="utf-8") as file:
        file.write(json.dumps(one) + "\n")
    failed = [name for name, found in one["results"].items() if "error" in found]
    told = f"; failed: {', '.join(failed)}" if failed else ""
    print(f"{one['set']}, fold {one['fold']}{told}", file=sys.stderr, flush=True)


def read(store: Path) -> list[dict[str, Any]]:
    """Return the folds that this code has done."""
    if not store.exists():
        return []
    lines = store.read_text(encoding="utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one["code"] == code()]


# ------------------------------------------------------------------------------------- the report


class Group(NamedTuple):
    """The folds of one part, by set, and the family of each set."""

    part: str
    folds: Mapping[str, list[dict[str, Any]]]
    families: Mapping[str, str]

    @property
    def complete(self) -> list[str]:
        """The contenders that have a result on every fold."""
        every = [one["results"] for folds in self.folds.values() for one in folds]
        return [name for name in CONTENDERS if all("f1" in found[name] for found in every)]

    def means(self, contender: str, measure: str = "f1") -> Vector:
        """Return the mean over folds of each set."""
        return np.array(
            [
                np.mean([one["results"][contender].get(measure, 0.0) for one in folds])
                for folds in self.folds.values()
            ]
        )

    def of_families(self, values: Vector) -> Vector:
        """Return the mean of each family."""
        return family_means(values, [self.families[name] for name in self.folds])

    def gap(self, first: str, second: str) -> Gap:
        """Return how far a contender is above another one."""
        families = [self.families[name] for name in self.folds]
        return gap_between(self.means(first), self.means(second), families)


def report(parts: Sequence[str], runs: list[dict[str, Any]]) -> str:
    """Return all tables in Markdown."""
    found = []
    for part in parts:
        families = sets_of(part)
        folds = {name: [one for one in runs if one["set"] == name] for name in families}
        lacking = [name for name, ones in folds.items() if len(ones) < FOLDS]
        whole = {name: ones for name, ones in folds.items() if name not in lacking}
        found.append(f"## {TITLES[part]}")
        if lacking:
            found.append(f"Not done, hence left out: {', '.join(lacking)}.")
        if whole:
            group = Group(part, whole, families)
            found += [table.as_markdown() for table in tables_of(group)]
    return "\n\n".join(found) + "\n"


def tables_of(group: Group) -> Iterator[TextTable]:
    rows: list[Row] = []
    for name in group.complete:
        f1, referred, splits, seconds = (
            group.means(name, one) for one in ("f1", "referred", "splits", "seconds")
        )
        family = float(group.of_families(f1).mean())
        shares = (100.0 * float(referred.mean()), 100.0 * float(referred.max()))
        row: Row = [name, Cell(float(f1.mean()), 3), Cell(family, 3)]
        row += [Cell(shares[0], 1), Cell(shares[1], 1), Cell(float(splits.mean()), 1)]
        rows.append([*row, Cell(float(seconds.mean()), 2)])
    columns = (
        *("contender", "F1", "F1, mean of families", "referred [%]", "most of a set [%]"),
        *("splits", "CPU [s]"),
    )
    lacking = [name for name in CONTENDERS if name not in group.complete]
    notes = [f"{len(group.folds)} sets, {FOLDS} folds. CPU beside the fit of the forest."]
    notes += [f"Not complete, hence without a row: {', '.join(lacking)}."] if lacking else []
    yield TextTable("Means", columns, rows, notes)
    yield gap_table(group)
    yield TextTable("Claims", ("claim", "found", "holds"), list(claims_of(group)))
    yield set_table(group)


def gap_table(group: Group) -> TextTable:
    rows: list[Row] = []
    for first, second in PAIRS:
        if {first, second} <= set(group.complete):
            gap = group.gap(first, second)
            near = float((group.means(first) - group.means(second) >= -NEAR).mean())
            rows.append(
                [
                    f"{first} - {second}",
                    Cell(gap.by_set, 4),
                    f"{gap.wins}/{gap.ties}/{gap.losses}",
                    f"{near:.0%}",
                    Cell(gap.p_by_set, 4),
                    Cell(gap.by_family, 4),
                    f"{gap.low:.4f} to {gap.high:.4f}",
                    Cell(gap.p_by_family, 4),
                ]
            )
    columns = (
        *("pair", "F1", "better/equal/worse", f"at most {NEAR:g} below", "p by set"),
        *("F1 by family", "95 %", "p by family"),
    )
    return TextTable("Differences", columns, rows)


def claims_of(group: Group) -> Iterator[Row]:
    there = set(group.complete)
    if "refer .10" in there:
        gaps = group.means("refer .10") - group.means("forest")
        share = float(group.means("refer .10", "referred").mean())
        told = f"{gaps.mean():+.4f}, {share:.1%} referred"
        holds = float(gaps.mean()) >= -NEAR and share <= 0.1
        yield [
            f"refer .10 is at most {NEAR:g} below the forest, at most 10 % referred",
            told,
            holds,
        ]
        near = float((gaps >= -NEAR).mean())
        yield ["the same on 75 % of the sets or more", f"{near:.0%}", near >= 0.75]
        yield from _claims_of_shares(group)
    if {"refer .10", "tree"} <= there:
        found = group.gap("refer .10", "tree")
        holds = found.by_set > 0 and found.p_by_set < LEVEL
        told = f"{found.by_set:+.4f}, p = {found.p_by_set:.4f}"
        yield [f"refer .10 is above tree, p < {LEVEL:g}", told, holds]


def _claims_of_shares(group: Group) -> Iterator[Row]:
    share, told = (group.means("refer .10", one) for one in ("referred", "told"))
    most = float(share.max())
    above = int((share > 0.1).sum())
    yield [
        f"refer .10 refers at most {MOST_REFERRED:.0%} of each set",
        f"{most:.1%}; more than 10 % of {above} sets",
        most <= MOST_REFERRED,
    ]
    off = float((share - told).mean())
    yield [
        f"what is told of the share is at most {WELL_TOLD:g} off in the mean",
        f"{off:+.4f}, at most {np.abs(share - told).max():.4f} of a set",
        abs(off) <= WELL_TOLD,
    ]


def set_table(group: Group) -> TextTable:
    names = group.complete
    shares = [100.0 * group.means("refer .10", one) for one in ("referred", "told")]
    columns = [group.means(name) for name in names]
    rows: list[Row] = [
        [
            name,
            *(Cell(float(column[place]), 3) for column in columns),
            *(Cell(float(share[place]), 1) for share in shares),
        ]
        for place, name in enumerate(group.folds)
    ]
    headings = ("set", *names, "referred at .10 [%]", "told [%]")
    return TextTable("F1 by set", headings, rows)


if __name__ == "__main__":
    sys.exit(main())
