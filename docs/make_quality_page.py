"""Run the checks of the Makefile and put what came of them into docs/quality.md.

    python docs/make_quality_page.py              every check, most of a day: `make check-all`
    python docs/make_quality_page.py test lint    some of them; the others keep their rows
    python docs/make_quality_page.py --read fuzz-long   the row of a run that has ended before

What a check says is kept in build/check-all. The exit code is 1 if one of them failed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "quality.md"
LOGS = ROOT / "build" / "check-all"
FUZZ_RESULTS = ROOT / "build" / "fuzz" / "results.json"
PYTHON_COVERAGE, CORE_COVERAGE = (
    ROOT / "build" / "coverage.json",
    ROOT / "build" / "coverage-core.json",
)


def last_line(pattern: str) -> Callable[[str], str]:
    """Return a function that finds the last line of a log that matches."""

    def find(log: str) -> str:
        found = [line for line in log.splitlines() if re.search(pattern, line)]
        return found[-1].strip("= ") if found else "no figures"

    return find


def every_line(pattern: str) -> Callable[[str], str]:
    """Return a function that joins what the lines of a log say."""

    def find(log: str) -> str:
        return "; ".join(re.findall(pattern, log, re.MULTILINE)) or "no figures"

    return find


PYTEST = last_line(r"\d+ passed")
SITE = last_line(r"[\d,]+ links inside the site")
DRIVER = every_line(r"^\d+ passed, \d+ failed$")


@dataclass(frozen=True)
class Check:
    """A command of the Makefile, what it is for, and its figures."""

    shows: str
    figures: Callable[[str], str]
    environment: dict[str, str] = field(default_factory=dict)


CHECKS = {
    "test": Check("the suite and the doctests", PYTEST),
    "test-slow": Check(
        "long campaigns: faults at every change of a file, kills, forks, memory, recovery",
        PYTEST,
        {"THRESHER_ENDURANCE": "full"},
    ),
    "test-oldest": Check("the estimators with the oldest scikit-learn", PYTEST),
    "lint": Check("formats, types, import contracts", lambda log: "clean"),
    "docs": Check("the site without a warning, its gallery run", SITE),
    "sanitize-core": Check("C++ checks: ASan + UBSan, failing allocations, TSan", DRIVER),
    "sanitize-address": Check("Python tests of the core under ASan + UBSan", PYTEST),
    "sanitize-thread": Check("Python tests of the core under TSan", PYTEST),
    "fuzz-long": Check("the fuzz targets, see below", lambda log: fuzz_summary()),
    "coverage": Check("lines and branches, see below", PYTEST),
    "bench": Check("speed and memory beside rivals", lambda log: "tables in benchmarks/results"),
}


def run_check(name: str) -> tuple[bool, str]:
    """Run a check; whether it passed, and what it said."""
    environment = {**os.environ, **CHECKS[name].environment}
    log = LOGS / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(
            ["make", name], cwd=ROOT, stdout=file, stderr=file, env=environment, check=False
        )
        file.write(f"exit code {done.returncode}\n")
    return read_check(name)


def read_check(name: str) -> tuple[bool, str]:
    """Return the same of a check that was run before."""
    said = (LOGS / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    return said.rstrip().endswith("exit code 0"), said


def row_of(name: str, passed: bool, said: str) -> str:
    """Return the line of a check in the table of results."""
    command = " ".join([f"{k}={v}" for k, v in CHECKS[name].environment.items()] + [f"make {name}"])
    outcome = "passed" if passed else "**failed**"
    figures = CHECKS[name].figures(said)
    return f"| `{command}` | {CHECKS[name].shows} | {date.today()} | {outcome} | {figures} |"


def fuzz_summary() -> str:
    """Return the sum of executions and of findings."""
    results = json.loads(FUZZ_RESULTS.read_text(encoding="utf-8"))
    executions = sum(one["executions"] for one in results)
    return f"{executions:,} executions, {sum(len(one['findings']) for one in results)} findings"


def fuzz_rows() -> list[str]:
    """Return a line for each target that was run."""
    results = json.loads(FUZZ_RESULTS.read_text(encoding="utf-8"))
    return [
        f"| `{one['target']}` | {one['executions']:,} | {one['edges']:,} | {one['inputs']:,} | "
        f"{len(one['findings'])} | {one['day']} |"
        for one in results
    ]


def coverage_rows() -> list[str]:
    """Return a line for the package, for the reading of model files, and for the core."""
    rows = []
    if PYTHON_COVERAGE.exists():
        files = json.loads(PYTHON_COVERAGE.read_text(encoding="utf-8"))["files"]
        for part, place in {"Python": "thresher/", "`model_file/`": "thresher/model_file/"}.items():
            found = [one["summary"] for path, one in files.items() if place in path]
            lines = _share(found, "covered_lines", "num_statements")
            branches = _share(found, "covered_branches", "num_branches")
            rows.append(f"| {part} | {lines} | {branches} | {date.today()} |")
    if CORE_COVERAGE.exists():
        totals = json.loads(CORE_COVERAGE.read_text(encoding="utf-8"))["data"][0]["totals"]
        lines, branches = (
            _share([totals[kind]], "covered", "count") for kind in ("lines", "branches")
        )
        rows.append(f"| `_core/` | {lines} | {branches} | {date.today()} |")
    return rows


def _share(parts: list[dict[str, int]], covered: str, whole: str) -> str:
    hit, all_of = sum(one[covered] for one in parts), sum(one[whole] for one in parts)
    return f"{hit:,} of {all_of:,} ({hit / all_of:.1%})"


def with_rows(text: str, name: str, rows: list[str]) -> str:
    """Return a page whose table between the marks of a name has these rows, by their first cell."""
    place = re.compile(f"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
    head, rule, *old = place.search(text)[2].splitlines()  # type: ignore[index]
    kept = {line.split("|")[1]: line for line in [*old, *rows]}
    table = "\n".join([head, rule, *kept.values()])
    return place.sub(lambda found: f"{found[1]}{table}\n{found[3]}", text)


def main() -> int:
    """Run the checks that were named, or all, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("checks", nargs="*", default=list(CHECKS))
    parser.add_argument("--read", action="store_true", help="read the logs of former runs")
    given = parser.parse_args()
    ends = {name: (read_check if given.read else run_check)(name) for name in given.checks}
    text = PAGE.read_text(encoding="utf-8")
    rows = [row_of(name, passed, said) for name, (passed, said) in ends.items()]
    text = with_rows(text, "results", rows)
    if FUZZ_RESULTS.exists():
        text = with_rows(text, "fuzz", fuzz_rows())
    if "coverage" in ends:
        text = with_rows(text, "coverage", coverage_rows())
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write("\n".join(rows) + "\n")
    return 0 if all(passed for passed, _ in ends.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
