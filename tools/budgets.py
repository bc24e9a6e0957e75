"""Hold the project to the budgets of budgets.toml and to the floors of tests/coverage.toml.

    python tools/budgets.py            part of `make lint`
    python tools/budgets.py --lower    lower the budgets to today's figures, but not below a goal
    python tools/budgets.py --coverage build/coverage.json    part of `make coverage`

The exit code is 1 where a figure exceeds its budget or is below its floor. A budget that rises and
a floor that falls need a reason that no former version of the file, as git has it, gave.
"""

import argparse
import ast
import contextlib
import inspect
import io
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tokenize import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL, generate_tokens
from typing import Any

ROOT = Path(__file__).parents[1]
BUDGETS = "budgets.toml"
FLOORS = "tests/coverage.toml"
Limits = dict[str, dict[str, Any]]

PYTHON = {"src": ["src"], "tests": ["tests"], "studies": ["studies", "benchmarks"]}
CXX = ["src", "tests", "fuzz", "studies", "benchmarks"]
# Other texts, by folder, but for what is counted above, the generated stub and results of studies.
OTHER = {
    "src": {".py", ".pyi", ".cpp", ".hpp"},
    "studies": {".py", ".cpp", ".hpp", ".csv", ".json", ".md", ".svg"},
    "benchmarks": {".py", ".cpp", ".hpp", ".csv", ".json", ".md"},
}
NO_CODE = {COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL}


def count_code_lines(text: str) -> int:
    """Count lines of Python with a token that is neither comment, docstring nor import."""
    lines: set[int] = set()
    for token in generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def count_files(root: Path) -> dict[str, int]:
    """Count code, other text and documentation in the files below a folder."""
    figures = {}
    longest = 0
    for name, folders in PYTHON.items():
        paths = [path for folder in folders for path in (root / folder).rglob("*.py")]
        texts = [path.read_text(encoding="utf-8") for path in paths]
        figures[f"{name}.lines"] = sum(count_code_lines(text) for text in texts)
        figures[f"{name}.files"] = len(texts)
        longest = max([longest, *(text.count("\n") for text in texts)])
    figures["python.longest-file"] = longest

    paths = [path for folder in CXX for path in (root / folder).rglob("*.[ch]pp")]
    figures["cpp.lines"] = sum(path.read_bytes().count(b"\n") for path in paths)

    figures["text.lines"] = 0
    for folder, counted in OTHER.items():
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix not in counted:
                with contextlib.suppress(UnicodeDecodeError):  # not a text
                    figures["text.lines"] += path.read_text(encoding="utf-8").count("\n")

    pages = [path.read_text(encoding="utf-8") for path in (root / "docs").glob("*.md")]
    figures["docs.pages"] = len(pages)
    figures["docs.words"] = sum(len(page.split()) for page in pages)
    architecture = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    figures["docs.words-of-architecture"] = len(architecture.split())

    if (settings := root / "pyproject.toml").exists():
        contracts = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]["importlinter"]
        excused = [one for each in contracts["contracts"] for one in each.get("ignore_imports", [])]
        figures["imports.excused"] = len(excused)
    return figures


def count_interface() -> dict[str, int]:
    """Count the parameters of `train` and of the public estimators, and the options of commands."""
    import click

    import thresher
    from thresher import train
    from thresher.cli.main import main as program

    figures = {"parameters.train": len(inspect.signature(train).parameters)}
    for name in thresher.__all__:
        if inspect.isclass(estimator := getattr(thresher, name)):
            figures[f"parameters.{name}"] = len(inspect.signature(estimator).parameters)

    def add_options(command: click.Command, name: str) -> None:
        figures[f"options.{name}"] = sum(isinstance(p, click.Option) for p in command.params)
        if isinstance(command, click.Group):
            for word, part in command.commands.items():
                add_options(part, word if command is program else f"{name} {word}")

    add_options(program, "thresher")
    return figures


def read_coverage(report: Path) -> dict[str, float]:
    """Return the percentage of lines that tests reach, for each folder of the package."""
    every: dict[str, int] = defaultdict(int)
    covered: dict[str, int] = defaultdict(int)
    for path, file in json.loads(report.read_text(encoding="utf-8"))["files"].items():
        inside = path.replace("\\", "/").rpartition("thresher/")[2]
        folder = inside.split("/")[0] if "/" in inside else "*.py"
        every[folder] += file["summary"]["num_statements"]
        covered[folder] += file["summary"]["covered_lines"]
    return {f"lines.{name}": 100 * covered[name] / every[name] for name in every if every[name]}


def read_limits(text: str) -> Limits:
    """Return budgets or floors by section and name."""
    sections = tomllib.loads(text).items()
    return {
        f"{section}.{name}": limit for section, part in sections for name, limit in part.items()
    }


def read_history(path: Path) -> list[Limits]:
    """Return the committed versions of budgets or floors: none without git."""
    if shutil.which("git") is None:
        return []

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=path.parent, capture_output=True, check=False)
        return done.stdout.decode("utf-8")

    versions = []
    for commit in git("log", "--format=%H", "--", path.name).split():
        with contextlib.suppress(tomllib.TOMLDecodeError):  # a conflict that was committed
            versions.append(read_limits(git("show", f"{commit}:./{path.name}")))
    return [version for version in versions if version]  # it may have been deleted for a time


def find_exceeded(figures: dict[str, int], budgets: Limits) -> Iterator[str]:
    """Yield a sentence for each figure above its budget."""
    for name, figure in figures.items():
        budget = budgets.get(name, {"now": 0})["now"]
        if figure > budget:
            yield (
                f"{name} is {figure:,}, its budget {budget:,}: delete {figure - budget:,}, "
                f"or raise the budget in {BUDGETS} with a reason beside it."
            )


def find_uncovered(figures: dict[str, float], floors: Limits) -> Iterator[str]:
    """Yield a sentence for each folder that tests reach less of than its floor says."""
    for name, figure in figures.items():
        if name not in floors:
            yield f"{name} has no floor: add one to {FLOORS}; tests reach {figure:.1f} %."
        elif figure < (floor := floors[name]["floor"]):
            yield (
                f"{name}: tests reach {figure:.1f} %, the floor is {floor} %: test more, "
                f"or lower the floor in {FLOORS} with a reason beside it."
            )


def allowance(limit: dict[str, Any]) -> float:
    """Return a budget, or a floor below zero, so that less is stricter."""
    return float(limit["now"] if "now" in limit else -limit.get("floor", 0))


def find_unexplained(limits: Limits, history: list[Limits]) -> Iterator[str]:
    """Yield a sentence for each limit that was stricter once and is eased without a new reason.

    A budget that a former version lacks was 0 then.
    """
    for name, limit in limits.items():
        stricter = [
            allowance(former)
            for former in (version.get(name, {}) for version in history)
            if allowance(former) < allowance(limit)
            and limit.get("reason") in (None, "", former.get("reason"))
        ]
        if stricter:
            yield (
                f"{name} was {abs(min(stricter)):g} and is {abs(allowance(limit)):g} now: "
                'write a reason = "..." of this change beside it.'
            )


def lower(text: str, figures: dict[str, int]) -> str:
    """Return budgets lowered to the figures, but not below a goal, without what is gone."""
    lines = []
    section = ""
    for line in text.splitlines():
        if head := re.fullmatch(r"\[(.+)\]", line):
            section = head[1]
        if entry := re.match(r'"?([^"=]+?)"? = \{ now = (\d+)(?:, goal = (\d+))?', line):
            figure = figures.get(f"{section}.{entry[1]}")
            if figure is None:
                continue
            budget = min(int(entry[2]), max(figure, int(entry[3] or 0)))
            line = f"{line[: entry.start(2)]}{budget}{line[entry.end(2) :]}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Check, or lower, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lower", action="store_true", help="lower the budgets to the figures")
    parser.add_argument("--coverage", type=Path, metavar="JSON", help="compare with the floors")
    given = parser.parse_args(arguments)
    budgets, floors = root / BUDGETS, root / FLOORS
    if given.coverage:
        floors_now = read_limits(floors.read_text(encoding="utf-8"))
        faults = list(find_uncovered(read_coverage(given.coverage), floors_now))
    else:
        figures = count_files(root) | count_interface()
        text = budgets.read_text(encoding="utf-8")
        lowered = lower(text, figures)
        if given.lower:
            budgets.write_text(lowered, encoding="utf-8")
        elif lowered != text:
            sys.stdout.write("Budgets can be lowered: .venv/bin/python tools/budgets.py --lower\n")
        faults = list(find_exceeded(figures, read_limits(lowered)))
        for path in (budgets, floors):
            limits = read_limits(path.read_text(encoding="utf-8"))
            faults += find_unexplained(limits, read_history(path))
    sys.stderr.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
