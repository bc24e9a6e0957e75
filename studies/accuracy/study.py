"""The accuracy study, by plan.md: `make study NAME=accuracy`.

Each run (set, contender, seed, fold) is kept as it ends, under a key of the table, the parameters
and a hash of the code, so that a study that was stopped goes on, and runs of other code are done
again. `--report` prints what is there in Markdown and runs nothing. The part `score` runs only with
the code that `--freeze` has noted in the plan.
"""

import re
import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import thresher
from studies.accuracy import rivals
from studies.accuracy.contenders import BASIC, CONTENDERS, contenders, hashed, package_files
from studies.accuracy.report import Group, report
from studies.accuracy.sets import load, sets_of
from thresher.study import Run, StudyResult, StudyWarning, load_study, run_study

HERE = Path(__file__).parent
PLAN = HERE / "plan.md"
FROZEN = re.compile(r"^Frozen code: (.*)$", re.MULTILINE)
TITLES = {
    "paper": "The paper's sets",
    "manufacturing": "Manufacturing",
    "develop": "Fresh families, developed on",
    "score": "Fresh families, scored once",
}


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = parse(arguments)
    if chosen.freeze:
        return freeze()
    if "score" in chosen.part and not chosen.report:
        check_frozen()
    chosen.store.parent.mkdir(parents=True, exist_ok=True)
    families = {part: _sets(part, chosen.sets) for part in chosen.part}
    groups = [
        Group(TITLES[part], (read if chosen.report else run)(chosen, list(sets)), sets)
        for part, sets in families.items()
        if sets
    ]
    if not groups:
        raise SystemExit("No set of --sets belongs to the part; see sets.py.")
    text = report(groups)
    print(text, end="")
    if chosen.out:
        chosen.out.write_text(text, encoding="utf-8")
    return int(any(show_failures(group.study) for group in groups))


def parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--part", nargs="+", choices=TITLES, default=["develop"])
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="some sets of the part")
    parser.add_argument(
        "--contenders",
        nargs="+",
        choices=CONTENDERS,
        metavar="NAME",
        help=f"of {', '.join(CONTENDERS)}; by default {', '.join(BASIC)}, or all that were run",
    )
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=1, help="seeds 0, 1, ... of folds and models")
    parser.add_argument("--jobs", type=int, default=2, help="processes of one thread each")
    parser.add_argument("--timeout", type=float, default=3600.0, help="seconds that a run may take")
    parser.add_argument("--store", type=Path, default=Path("build/accuracy.jsonl"))
    parser.add_argument("--report", action="store_true", help="print what is there, run nothing")
    parser.add_argument("--out", type=Path, help="a file for the report")
    parser.add_argument("--freeze", action="store_true", help="note the hash of the code")
    return parser.parse_args(arguments)


def _sets(part: str, wanted: Sequence[str] | None) -> dict[str, str]:
    return {name: family for name, family in sets_of(part).items() if not wanted or name in wanted}


# --------------------------------------------------------------------------------------- the runs


def run(chosen: Namespace, sets: list[str]) -> StudyResult:
    """Do what is not in the store yet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)  # the report and the last lines tell
        return run_study(
            *_plan(chosen, sets),
            folds=chosen.folds,
            repeats=chosen.seeds,
            path=chosen.store,
            resume=True,
            n_jobs=chosen.jobs,
            timeout=chosen.timeout,
            empty_folds="keep",
        )


def _plan(chosen: Namespace, sets: list[str]) -> tuple[Any, Any]:
    names = chosen.contenders or list(CONTENDERS if chosen.report else BASIC)
    absent = [name for name in names if name in rivals.absent_rivals()]
    if absent:
        say(
            f"Left out, since not installed: {', '.join(absent)} (pip install 'thresher[studies]')."
        )
    tables = {name: load(name) for name in sets}
    return tables, contenders(name for name in names if name not in absent)


def read(chosen: Namespace, sets: list[str]) -> StudyResult:
    """Return what the file has of these sets."""
    study = load_study(chosen.store)
    names = chosen.contenders or study.methods
    runs = [run for run in study.runs if run.dataset in sets and run.method in names]
    return StudyResult(tuple(runs), study.folds)


def show_failures(study: StudyResult) -> list[Run]:
    for run in study.failures:
        say(f"{run.status}: {run.dataset}, {run.method}, fold {run.fold}: {run.error}")
    return study.failures


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --------------------------------------------------------------------------------- the frozen plan


def study_code() -> str:
    """Hash the package, the study and its plan, but for the line that notes the hash."""
    files = [*package_files(Path(thresher.__file__).parent), *HERE.glob("*.py")]
    return hashed(files, FROZEN.sub("", PLAN.read_text(encoding="utf-8")))


def freeze() -> int:
    text = PLAN.read_text(encoding="utf-8")
    PLAN.write_text(FROZEN.sub(f"Frozen code: {study_code()}", text), encoding="utf-8")
    say(f"{PLAN.name} has the hash of the code now; commit it before anything is scored.")
    return 0


def check_frozen() -> None:
    found = FROZEN.search(PLAN.read_text(encoding="utf-8"))
    if found is None or found[1] != study_code():
        raise SystemExit(
            "The part 'score' is run once, with frozen code: the plan's hash is "
            f"{found[1] if found else 'missing'}, that of the code {study_code()}. See --freeze."
        )


if __name__ == "__main__":
    sys.exit(main())
