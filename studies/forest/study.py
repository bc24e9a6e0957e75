"""The defaults of the forest, by plan.md: `python -m studies.forest.study --part choose`.

Each run (table, split, contender) is a line of JSON in the store, so a study that was stopped goes
on. A contender belongs to one version of thresher. The script runs the contenders of the version
that is installed, so part `score` takes a call with 1.0 and a call with 0.2.0. `--report` prints
the tables of all parts in the store, fills README.md and writes results.csv.
"""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from multiprocessing import Pool
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedShuffleSplit

import thresher
from studies.accuracy.sets import fresh_families, load
from studies.page import markdown_table, say, show
from thresher.datasets import list_datasets

HERE = Path(__file__).parent
START: dict[str, Any] = {
    "random_cuts": 0.5,
    "n_estimators": 200,
    "max_features": "sqrt",
    "max_bins": "auto",
}
CHOSEN = {
    "forest of 1.0, 400 trees": START | {"n_estimators": 400},
    "forest of 1.0, 100 trees": START | {"n_estimators": 100},
}
"""What the rules of the plan choose, in its second part and before; part `score` uses both."""
LEVELS = {
    "random_cuts": (0.0, 0.25, 0.75, 1.0),
    "n_estimators": (100, 400),
    "max_features": (1 / 3, "log2"),
    "max_bins": (255,),
}
SECOND_LEVELS = {"n_estimators": (50, 100, 400, 800), "random_cuts": LEVELS["random_cuts"]}
LARGE = ("Letter-A", "Letter-B", "Letter-C", "Letter-D", "bank_marketing", "nassCDS_dead")
SPLITS = {
    "choose": (range(5), 0.5),
    "large": (range(3), 0.2),
    "second": (range(5, 25), 0.5),
    "score": (range(5), 0.5),
    "auto": (range(3), 0.5),
}
"""Splits, share of test rows."""
POSITIVES = 12
"""Fewest positives of a table of the parts `score` and `auto`: train needs one in each fold."""
SMALL_TABLE = "Yeast-vac-vs-nuc"
HEADINGS = (
    *("comparison", "F1", "F1 - other", "s.e.", "p", "average precision", "AP - other", "s.e."),
    *("CPU of the fit [s]", "/ other", "median", "CPU of predict [s]"),
)
PAIRS = {
    "second": (
        ("n_estimators=100", "n_estimators=50"),
        ("start", "n_estimators=100"),
        ("n_estimators=400", "start"),
        ("n_estimators=800", "n_estimators=400"),
        *((f"random_cuts={level:.2g}", "start") for level in SECOND_LEVELS["random_cuts"]),
    ),
    "score": (
        *((new, f"{old} of 0.2.0") for new in CHOSEN for old in ("blend", "forest")),
        ("blend of 0.2.0", "forest of 0.2.0"),
    ),
    "auto": (("train of 1.0", "train of 0.2.0"),),
}
"""Contenders that the report compares in a part, instead of each with the starting point."""

Run = dict[str, Any]

# -------------------------------------------------------------------------------------- contenders


def forest(seed: int, **parameters: Any) -> Any:
    return thresher.ImbalancedForestClassifier(
        n_bootstrap=0, random_state=seed, n_jobs=1, **parameters
    )


def blend(seed: int) -> Any:
    return thresher.ImbalancedBlendClassifier(n_bootstrap=0, random_state=seed, n_jobs=1)


class Train:
    """`train` with its defaults, as an estimator of 0 and 1."""

    def __init__(self, seed: int):
        self.seed = seed

    def fit(self, X: Any, y: Any) -> "Train":
        is_new = thresher.__version__.startswith("1.0")
        module = import_module("thresher" if is_new else "thresher.plant")
        table = X.assign(target=y)
        self.model = module.train(table, "target", random_state=self.seed, n_jobs=1)
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict_table(X)["decision"].astype(int)

    def predict_proba(self, X: Any) -> Any:
        probability = self.model.predict_table(X)["probability"]
        return np.column_stack([1.0 - probability, probability])


def contenders(part: str) -> dict[str, tuple[str, Callable[..., Any]]]:
    """Return the version of thresher that a contender needs, and a function of the seed."""
    if part == "score":
        new = {name: ("1.0", partial(forest, **one)) for name, one in CHOSEN.items()}
        return {**new, "blend of 0.2.0": ("0.2", blend), "forest of 0.2.0": ("0.2", forest)}
    if part == "auto":
        return {"train of 1.0": ("1.0", Train), "train of 0.2.0": ("0.2", Train)}
    levels = {"choose": LEVELS, "second": SECOND_LEVELS, "large": {"max_bins": (None, 255)}}[part]
    changes = {
        f"{name}={level:.2g}" if isinstance(level, float) else f"{name}={level}": {name: level}
        for name, several in levels.items()
        for level in several
    }
    settings: dict[str, dict[str, Any]] = {"start": {}, **changes}
    return {name: ("1.0", partial(forest, **START | one)) for name, one in settings.items()}


def tables(part: str) -> list[str]:
    if part == "large":
        return list(LARGE)
    known = [name for group in ("paper", "manufacturing") for name in list_datasets(group)]
    if part in ("choose", "second"):
        return known
    wanted = known if part == "auto" else [*known, *fresh_families()]
    return [name for name in wanted if sum(table(name)[1]) >= POSITIVES]


# -------------------------------------------------------------------------------------------- runs


@cache
def table(name: str) -> tuple[Any, Any]:
    X, y = load(name)
    return X, np.asarray(y, dtype=np.int64)


@cache
def warm_up(part: str, contender: str) -> None:
    """Fit a small table, so that no import is counted in this process."""
    X, y = table(SMALL_TABLE)
    contenders(part)[contender][1](0).fit(X, y).predict(X)


def measure(key: tuple[str, str, int, str]) -> Run:
    part, name, split, contender = key
    warm_up(part, contender)
    X, y = table(name)
    splitter = StratifiedShuffleSplit(1, test_size=SPLITS[part][1], random_state=split)
    training, test = next(splitter.split(X, y))
    model = contenders(part)[contender][1](split)
    times = [process_time()]
    model.fit(X.iloc[training], y[training])
    times.append(process_time())
    decisions = model.predict(X.iloc[test])
    times.append(process_time())
    scores = model.predict_proba(X.iloc[test])[:, 1]
    fit_seconds, predict_seconds = np.diff(times).tolist()
    return {
        "part": part,
        "table": name,
        "split": split,
        "contender": contender,
        "f1": round(float(f1_score(y[test], decisions, zero_division=0.0)), 6),
        "average_precision": round(float(average_precision_score(y[test], scores)), 6),
        "fit_seconds": round(fit_seconds, 3),
        "predict_seconds": round(predict_seconds, 4),
        "training_rows": len(training),
        "test_rows": len(test),
    }


def read(store: Path) -> list[Run]:
    """Return the runs of a store, without a line that was not written to its end."""
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def run(part: str, store: Path, jobs: int) -> None:
    """Do the runs of the installed version that are not in the store."""
    done = {(r["part"], r["table"], r["split"], r["contender"]) for r in read(store)}
    version = thresher.__version__
    names = [name for name, (needed, _) in contenders(part).items() if version.startswith(needed)]
    keys = [
        (part, each, split, name)
        for each in tables(part)
        for split in SPLITS[part][0]
        for name in names
    ]
    todo = [key for key in keys if key not in done]
    store.parent.mkdir(parents=True, exist_ok=True)
    with store.open("a", encoding="utf-8") as file, Pool(jobs) as pool:
        if file.tell():
            print(file=file)  # a line that was not written to its end stays alone
        for count, each in enumerate(pool.imap_unordered(measure, todo), 1):
            print(json.dumps(each), file=file, flush=True)
            say(f"{count} of {len(todo)}: {each['table']}, {each['split']}, {each['contender']}")


# ------------------------------------------------------------------------------------------ report


def compared(frame: pd.DataFrame, first: str, second: str) -> list[str]:
    """Return the cells that compare two contenders, by the means of tables."""
    means = frame.groupby(["contender", "table"]).mean(numeric_only=True)
    ours, theirs = means.loc[first], means.loc[second]
    gaps = ours - theirs
    errors = gaps.std() / np.sqrt(len(gaps))
    f1 = gaps.f1.round(9)
    p = wilcoxon(f1[f1 != 0]).pvalue if (f1 != 0).any() else 1.0
    ratios = ours.fit_seconds / theirs.fit_seconds
    ratio = ours.fit_seconds.mean() / theirs.fit_seconds.mean()
    ap = "average_precision"
    return [
        *(f"{ours.f1.mean():.4f}", f"{gaps.f1.mean():+.4f}", f"{errors.f1:.4f}", f"{p:.2g}"),
        *(f"{ours[ap].mean():.4f}", f"{gaps[ap].mean():+.4f}", f"{errors[ap]:.4f}"),
        *(f"{ours.fit_seconds.mean():.2f}", f"{ratio:.2f}", f"{ratios.median():.2f}"),
        f"{ours.predict_seconds.mean():.3f}",
    ]


def report(runs: Sequence[Run]) -> Iterator[tuple[str, list[str]]]:
    """Return the tables of the page by name."""
    frame = pd.DataFrame(runs)
    for part, rows in frame.groupby("part"):
        names = list(contenders(str(part)))
        pairs = PAIRS.get(str(part)) or [(name, names[0]) for name in names]
        fresh = rows[rows.table.isin(list(fresh_families()))]
        groups = {"all tables: ": rows, "new tables: ": fresh} if part == "score" else {"": rows}
        lines = [
            [f"{title}{first} against {second}", *compared(several, first, second)]
            for title, several in groups.items()
            for first, second in pairs
        ]
        yield str(part), markdown_table(HEADINGS, lines)
        by_table = rows.pivot_table("f1", "table", "contender", sort=False)[names]
        cells = [[name, *(f"{f1:.3f}" for f1 in row)] for name, row in by_table.iterrows()]
        yield f"{part}, F1 by table", markdown_table(("table", *names), cells)
    hours = frame[["fit_seconds", "predict_seconds"]].sum(axis=1).groupby(frame.part).sum() / 3600
    parts = ", ".join(f"{part} {value:.2f}" for part, value in hours.items())
    yield "time", [f"{len(runs):,} runs, {hours.sum():.2f} CPU hours of fit and predict ({parts})."]


def shortened(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the runs; those of part `second` as means over the splits of a table."""
    second = frame.part == "second"
    same = ["part", "table", "contender", "training_rows", "test_rows"]
    means = frame[second].groupby(same, as_index=False, sort=False).mean(numeric_only=True)
    return pd.concat([frame[~second], means.round(6).assign(split="5 to 24")])[frame.columns]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--part", choices=SPLITS, default="choose")
    parser.add_argument("--store", type=Path, default=Path("build/forest.jsonl"))
    parser.add_argument("--jobs", type=int, default=2, help="processes of one thread each")
    parser.add_argument("--report", action="store_true", help="only report what is in the store")
    chosen = parser.parse_args(arguments)
    if not chosen.report:
        run(chosen.part, chosen.store, chosen.jobs)
        return
    runs = read(chosen.store)
    if not runs:
        raise SystemExit(f"{chosen.store} has no runs; name another file with --store.")
    shortened(pd.DataFrame(runs)).to_csv(HERE / "results.csv", index=False, lineterminator="\n")
    show(dict(report(runs)), HERE / "README.md")


if __name__ == "__main__":
    main()
