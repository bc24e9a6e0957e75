"""When two answers are equal, and which differences are intended."""

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

CLOSE = 1e-12
"""Figures that differ by less are equal; relatively above 1."""
NEAR_A_CUT = 1e-9
"""A row whose score is as near as this may be decided either way."""
DECISIONS = ("decisions", "answers")

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "oracle" / "differences.toml"


@dataclass(frozen=True)
class Difference:
    """How many values of an answer differ, and the largest difference; `inf` is no number's."""

    count: int
    largest: float

    def __str__(self) -> str:
        return f"{self.count} values, largest difference {self.largest:.1e}"


class Listed(NamedTuple):
    """An intended difference, and the test that shows the new answer to be better."""

    difference: Difference
    test: str


def compare(old: Any, new: Any) -> Difference | None:
    """Return the difference of two answers, None where they are equal."""
    gaps = list(_gaps(old, new, _near_a_cut(old)))
    return Difference(len(gaps), max(gaps)) if gaps else None


def compare_all(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Difference]:
    """Return the differences by question."""
    found = {name: compare(old.get(name), new.get(name)) for name in {**old, **new}}
    return {name: difference for name, difference in found.items() if difference is not None}


def _near_a_cut(answer: Any) -> set[int]:
    if not isinstance(answer, dict) or "probabilities" not in answer:
        return set()
    groups = answer.get("groups") or {}
    cuts = [answer.get("threshold"), answer.get("alert"), *groups.values()]
    return {
        row
        for row, score in enumerate(answer["probabilities"])
        if any(abs(score - cut) <= NEAR_A_CUT for cut in cuts if cut is not None)
    }


def _gaps(old: Any, new: Any, near: set[int]) -> Iterator[float]:
    match old, new:
        case dict(), dict():
            for key in {**old, **new}:
                if key not in old or key not in new:
                    yield math.inf
                elif key in DECISIONS and isinstance(old[key], list):
                    yield from _gaps(_without(old[key], near), _without(new[key], near), near)
                else:
                    yield from _gaps(old[key], new[key], near)
        case list(), list() if len(old) == len(new):
            for one, other in zip(old, new, strict=True):
                yield from _gaps(one, other, near)
        case (int() | float(), int() | float()) if type(old) is not bool and type(new) is not bool:
            gap = abs(old - new) / max(1.0, abs(old))
            is_equal = old == new or (math.isnan(old) and math.isnan(new)) or gap <= CLOSE
            if not is_equal:
                yield math.inf if math.isnan(gap) else gap
        case _:
            if type(old) is not type(new) or old != new:
                yield math.inf


def _without(values: Any, rows: set[int]) -> Any:
    if not isinstance(values, list):
        return values
    return [value for row, value in enumerate(values) if row not in rows]


def read_listed(path: Path = LISTED) -> dict[str, Listed]:
    """Return the intended differences by question."""
    stanzas = tomllib.loads(path.read_text(encoding="utf-8")).get("difference", [])
    found = {
        one["question"]: Listed(Difference(one["count"], one["largest"]), one["test"])
        for one in stanzas
    }
    if len(found) < len(stanzas):
        raise ValueError(f"{path.name} lists a question twice.")
    return found


def stanza(question: str, difference: Difference) -> str:
    """Return the lines of differences.toml for a difference; its test is still to be named."""
    return (
        f'[[difference]]\nquestion = "{question}"\ncount = {difference.count}\n'
        f'largest = {difference.largest:.1e}\ntest = ""\n'
    )


def faults(
    found: Mapping[str, Difference],
    listed: Mapping[str, Listed],
    asked: Mapping[str, Any],
    *,
    is_listed_seed: bool = True,
) -> list[str]:
    """Return a line for each difference that is not as it is listed.

    The counts of the list are those of one seed; with another one a listed question may differ.
    """
    lines = []
    for question in asked:
        difference, intended = found.get(question), listed.get(question)
        if difference is not None and intended is None:
            lines.append(f"{question}: {difference}, not listed.")
        if intended is None or not is_listed_seed:
            continue
        if difference is None:
            lines.append(f"{question}: listed, but the answers are equal.")
        elif _rounded(difference) != _rounded(intended.difference):
            lines.append(f"{question}: {difference}, listed as {intended.difference}.")
    return lines


def faults_of_list(listed: Mapping[str, Listed], asked: Mapping[str, Any]) -> list[str]:
    """Return a line for each listed difference without a question or without its test."""
    unknown = [f"{name}: listed, but not asked." for name in listed if name not in asked]
    return unknown + [
        f"{name}: no test {one.test!r}." for name, one in listed.items() if not _is_test(one.test)
    ]


def _rounded(difference: Difference) -> tuple[int, str]:
    return difference.count, f"{difference.largest:.1e}"


def _is_test(test: str) -> bool:
    file, _, name = test.partition("::")
    path = ROOT / file
    return bool(name) and path.is_file() and f"def {name}(" in path.read_text(encoding="utf-8")
