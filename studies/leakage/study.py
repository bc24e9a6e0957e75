"""Leaks that are planted, and tables as they are, by plan.md: `python -m studies.leakage.study`.

Each run (table, kind, seed) is a line of JSON in the store, so a study that was stopped goes on.
`--report` prints the tables of all runs in the store, fills README.md and writes results.csv.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from studies.accuracy.sets import fresh_families, load
from studies.page import markdown_table, percent, say, show
from thresher.datasets import list_datasets
from thresher.evaluation.leakage import Feature, Sample, find_leakage
from thresher.frames import read_columns

HERE = Path(__file__).parent
SEED, CLEAN_SEEDS = 2026, range(4)
CLEAN, ORDER = "clean", "running number"
LEAKS = (
    "exact copy",
    "1 % of rows flipped",
    "same, as text",
    "reason code of 5",
    "5 % of rare missed",
    "filled in 90 % / 1 %, else 0",
    "filled in 90 % / 1 %, else missing",
    "missing where not rare",
    "missing in 97 % of others",
    "missing where rare",
    "code, 60 % of rare",
    "code, 30 % of rare",
    "noise, AUC .99",
    "duration, r .9",
    "duration, r .8",
    "XOR of two",
    "end - start, noisy",
    "two leaks",
)
CODES = ("reason code of 5", "code, 60 % of rare", "code, 30 % of rare")
NOISY = ("noise, AUC .99", "end - start, noisy")
IDS = (
    *("ID 1 to n, named", "ID 1 to n, unnamed", "ID of 8 digits"),
    *("ID as text", "ID, two rows each"),
)
HARMLESS = ("batch of 3 rows", "whole amounts")
KINDS = (*LEAKS, *IDS, ORDER, *HARMLESS)
SILENT = ("ai4i", "steel", "secom", "pageblocks", "satimage")
"""Tables without a finding, by the start of their names."""
GROUPS = {
    "60 or more positives, honest F1 < .75": (60, np.inf, 0.0, 0.75),
    "20 to 59, < .75": (20, 60, 0.0, 0.75),
    "20 or more, .75 to .9": (20, np.inf, 0.75, 0.9),
    "20 or more, .9 and above": (20, np.inf, 0.9, 1.01),
    "10 to 19, any": (10, 20, 0.0, 1.01),
}
"""Least and most positives, least and most honest F1."""

Run = dict[str, Any]

# ---------------------------------------------------------------------------------------- planting


def planted(kind: str, y: Any, random: np.random.Generator) -> dict[str, Any]:
    """Return the columns of a kind."""
    n, rate = len(y), y.mean()
    amount, noise = random.normal(50.0, 10.0, n).round(1), random.normal(size=n)
    flipped = np.where(random.random(n) < 0.01, ~y, y)
    is_filled = random.random(n) < np.where(y, 0.9, 0.01)
    coin, shuffled = random.random(n) < 0.5, random.permutation(n)

    def correlated(r: float) -> Any:
        return y * np.sqrt(r**2 / (1.0 - r**2) / (rate * (1.0 - rate))) + noise

    if kind == "end - start, noisy":
        start = random.uniform(0.0, 1000.0, n)
        return {"start": start, "end": start + random.gamma(4.0, 5.0, n) + 40.0 * y}
    if kind == "reason code of 5":
        return {"reason": np.where(flipped, random.integers(1, 6, n), 0) * 1.0}
    if kind == "ID of 8 digits":
        return {"x7": random.choice(9 * 10**7, n, replace=False) + 10**7}
    if kind == ORDER:
        return {"seq": np.argsort(np.argsort(random.random(n) + 0.4 * y))}
    if kind == "whole amounts":
        return {"price": np.exp(random.normal(10.0, 1.0, n)).round()}
    filled = np.where(is_filled, amount, np.nan)
    return {
        "exact copy": {"state": y * 1.0},
        "1 % of rows flipped": {"state": flipped * 1.0},
        "same, as text": {"state": np.where(flipped, "closed", "open")},
        "5 % of rare missed": {"state": (y & (random.random(n) > 0.05)) * 1.0},
        "filled in 90 % / 1 %, else 0": {"rework": np.nan_to_num(filled)},
        "filled in 90 % / 1 %, else missing": {"rework": filled},
        "missing where not rare": {"rework": np.where(y, amount, np.nan)},
        "missing in 97 % of others": {
            "rework": np.where(y | (random.random(n) < 0.03), amount, np.nan)
        },
        "missing where rare": {"final_test": np.where(y, np.nan, amount)},
        "code, 60 % of rare": {"code": (y & (random.random(n) < 0.6)) * 1.0},
        "code, 30 % of rare": {"code": (y & (random.random(n) < 0.3)) * 1.0},
        "noise, AUC .99": {"wear": 3.29 * y + noise},
        "duration, r .9": {"down": correlated(0.9)},
        "duration, r .8": {"down": correlated(0.8)},
        "XOR of two": {"a": coin * 1.0, "b": (coin ^ y) * 1.0},
        "two leaks": {"state": flipped * 1.0, "rework": filled},
        "ID 1 to n, named": {"unit_no": shuffled},
        "ID 1 to n, unnamed": {"x7": shuffled},
        "ID as text": {"x7": np.array([f"SN-{number:06d}" for number in shuffled])},
        "ID, two rows each": {"patient_id": shuffled // 2},
        "batch of 3 rows": {"batch": np.array([f"B{number}" for number in shuffled // 3])},
    }[kind]


# -------------------------------------------------------------------------------------------- runs


def tables() -> list[str]:
    known = [name for group in ("paper", "manufacturing") for name in list_datasets(group)]
    return [*known, *fresh_families()]


@cache
def table(name: str) -> tuple[Any, Any]:
    """Return a table, and whether each row is positive."""
    X, y = load(name)
    return X, np.asarray(y) == 1


@cache
def honest_f1(name: str) -> float:
    """Return the out-of-bag F1 of the small forest of the method on a table as it is."""
    X, y = table(name)
    columns, _ = read_columns(X)
    features = {str(i): Feature.of(column) for i, column in enumerate(columns)}
    return Sample(features, y, seed=0, n_threads=1).together(list(features)).f1


def measure(key: tuple[str, str, int]) -> Run:
    name, kind, seed = key
    X, y = table(name)
    new: dict[str, Any] = {}
    if kind != CLEAN:
        random = np.random.default_rng([SEED, crc32(name.encode()), KINDS.index(kind)])
        new = planted(kind, y, random)
        X = X.rename(columns={name: f"{name} of the table" for name in new}).assign(**new)
    rows = np.argsort(new["seq"]) if kind == ORDER else np.arange(len(y))
    X, y = X.iloc[rows], y[rows]
    start = process_time()
    leakage = find_leakage(X, y, random_state=seed)
    seconds = process_time() - start
    accused = {column for leak in leakage.leaks for column in leak.columns}
    left_out = {column: each.kind for each in leakage.left_out for column in each.columns}
    wanted = "order" if kind == ORDER else "id"
    if kind in LEAKS:
        found = set(new) <= accused
    elif kind in HARMLESS or kind == CLEAN:
        found = not accused and not left_out
    else:
        found = left_out.get(next(iter(new))) == wanted
    return {
        "table": name,
        "kind": kind,
        "seed": seed,
        "rows": len(y),
        "columns": X.shape[1],
        "positives": int(y.sum()),
        "honest_f1": round(honest_f1(name), 4),
        "found": found,
        "others_accused": sorted(map(str, accused - set(new))),
        "others_left_out": sorted(map(str, set(left_out) - set(new))),
        "seconds": round(seconds, 4),
    }


def measure_made(n_rows: int, with_leak: bool) -> float:
    """Return the CPU seconds of a made table of 2,000 columns."""
    random = np.random.default_rng(SEED)
    X, y = random.normal(size=(n_rows, 2000)), random.random(n_rows) < 0.05
    if with_leak:
        X[:, 7] = y ^ (random.random(n_rows) < 0.01)
    start = process_time()
    find_leakage(X, y)
    return process_time() - start


def read(store: Path) -> list[Run]:
    """Return the runs of a store, without a line that was not written to its end."""
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def run(store: Path, jobs: int) -> None:
    """Do the runs that are not in the store."""
    done = {(one["table"], one["kind"], one["seed"]) for one in read(store)}
    keys = [(name, CLEAN, seed) for name in tables() for seed in CLEAN_SEEDS]
    keys += [(name, kind, 0) for name in tables() for kind in KINDS]
    todo = [key for key in keys if key not in done]
    store.parent.mkdir(parents=True, exist_ok=True)
    with store.open("a", encoding="utf-8") as file, Pool(jobs) as pool:
        if file.tell():
            print(file=file)  # a line that was not written to its end stays alone
        for count, each in enumerate(pool.imap_unordered(measure, todo), 1):
            print(json.dumps(each), file=file, flush=True)
            if count % 100 == 0 or count == len(todo):
                say(f"{count} of {len(todo)}: {each['table']}, {each['kind']}")


# ------------------------------------------------------------------------------------------ report


def report(frame: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """Return the tables of the page by name."""
    clean, others = frame[frame.kind == CLEAN], frame[frame.kind != CLEAN]
    groups = {}
    for title, (least, most, low, high) in GROUPS.items():
        in_group = others.positives.between(least, most, inclusive="left")
        groups[title] = others[in_group & others.honest_f1.between(low, high, inclusive="left")]
    headings = [f"{title} ({rows.table.nunique()})" for title, rows in groups.items()]
    lines = []
    for kind in KINDS:
        of_kind = [rows[rows.kind == kind].found for rows in groups.values()]
        lines.append([kind, *(f"{found.sum()}" if len(found) else "-" for found in of_kind)])
    yield "found", markdown_table(("kind", *headings), lines)
    yield "claims", list(claims(clean, others, groups))
    wrong = clean[clean.others_accused.str.len() > 0]
    columns = ("table", "seed", "positives", "honest F1", "accused")
    cells = wrong.assign(accused=wrong.others_accused.map(", ".join))
    cells = cells[["table", "seed", "positives", "honest_f1", "accused"]]
    yield "accused", markdown_table(columns, cells.to_numpy())
    slow = clean.sort_values("seconds").drop_duplicates("table", keep="last").tail(4)
    seconds = clean.groupby("table").seconds.median()
    yield (
        "cpu",
        markdown_table(
            ("table", "rows", "columns", "CPU [s]"),
            [
                ["median of all tables", "", "", f"{seconds.median():.3f}"],
                *(
                    [each.table, f"{each.rows:,}", each.columns, f"{seconds[each.table]:.2f}"]
                    for each in slow.itertuples()
                ),
                *(
                    [name, f"{n_rows:,}", "2,000", f"{measure_made(n_rows, with_leak):.1f}"]
                    for n_rows in (2000, 20_000)
                    for name, with_leak in (("random numbers", False), ("and one leak", True))
                ),
            ],
        ),
    )


def claims(clean: pd.DataFrame, others: pd.DataFrame, groups: Any) -> Iterator[str]:
    """Return a line for each claim of the plan."""
    many, some = list(groups.values())[:2]

    def least(rows: pd.DataFrame, kinds: Sequence[str]) -> str:
        shares = rows[rows.kind.isin(kinds)].groupby("kind").found.mean().sort_values()
        below = (f"{kind}: {percent(share, 0)}" for kind, share in shares.head(3).items())
        return f"lowest shares: {'; '.join(below)}"

    strong = [kind for kind in LEAKS if kind not in NOISY]
    yield f"- Claim 1: 90 % wanted; {least(many, strong)}."
    yield f"- Claim 2: 80 % wanted; {least(some, [kind for kind in strong if kind not in CODES])}."
    yield f"- Claim 3: 60 % wanted; {least(many, NOISY)}."
    accused = int((clean.others_accused.str.len() > 0).sum())
    share = f"{accused} of {len(clean)} runs ({percent(accused / len(clean), 1)})"
    yield f"- Claim 4: clean tables, accused: {share}."
    taken = sorted({name for names in clean.others_left_out for name in names}) or "none"
    ids = others[others.kind.isin(IDS)]
    share = f"{ids.found.sum()} of {len(ids)}"
    yield f"- Claim 5: honest columns left out: {taken}; IDs left out: {share}."
    silent = clean[clean.table.str.lower().str.startswith(SILENT)]
    yield f"- Claim 6: without a finding: {silent.found.sum()} of {len(silent)} runs."
    more = int((others.others_accused.str.len() > 0).sum())
    yield f"- Another column than the planted one was accused in {more} of {len(others)} runs."


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--store", type=Path, default=Path("build/leakage.jsonl"))
    parser.add_argument("--jobs", type=int, default=2, help="processes of one thread each")
    parser.add_argument("--report", action="store_true", help="only report what is in the store")
    chosen = parser.parse_args(arguments)
    if not chosen.report:
        run(chosen.store, chosen.jobs)
        return
    runs = read(chosen.store)
    if not runs:
        raise SystemExit(f"{chosen.store} has no runs; name another file with --store.")
    frame = pd.DataFrame(runs).sort_values(["table", "kind", "seed"])
    texts = {name: frame[name].map("; ".join) for name in ("others_accused", "others_left_out")}
    csv = frame.assign(**texts).drop(columns=["rows", "columns"])
    csv.to_csv(HERE / "results.csv", index=False, lineterminator="\n")
    show(dict(report(frame)), HERE / "README.md")


if __name__ == "__main__":
    main()
