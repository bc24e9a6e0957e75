"""The paper's study beside ours as a page of Markdown, every figure of it computed."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.analysis.significance import LEVEL, p_text
from thresher.benchmark.methods import CONTROL
from thresher.benchmark.output.tables import (
    HEADINGS,
    beside_table,
    cell_table,
    counted,
    rank_table,
)
from thresher.benchmark.paper import differences
from thresher.benchmark.paper.claims import Beside, PaperClaim, beside_paper, claims_table, judge
from thresher.benchmark.paper.printed_tables import paper_datasets, paper_methods
from thresher.text_table import TextTable

FAR = 0.1
"""A cell that differs by more than this is shown in bold."""

TWINS = ("Thyroid1", "Thyroid2")
"""Two of the paper's data sets that are the same rows."""


class Reproduction:
    """A study of the paper's methods on its data sets, beside what the paper prints.

    Parameters
    ----------
    comparison : Comparison
        Data sets and methods that the paper does not have are left out.
    clock : callable, default=None
        Returns the seconds of CPU that the whole run has taken so far; None where that is not
        known, as after a study that was resumed.
    """

    def __init__(self, comparison: Comparison, clock: Callable[[], float] | None = None) -> None:
        self.comparison = comparison
        self._clock = clock

    @cached_property
    def sides(self) -> dict[str, Beside]:
        """The two measures of the paper."""
        return {name: beside_paper(self.comparison, name) for name in ("f1", "accuracy")}

    @cached_property
    def claims(self) -> list[PaperClaim]:
        """What the paper says of its study, judged."""
        return judge(self.sides["f1"], self.sides["accuracy"])

    @cached_property
    def tables(self) -> dict[str, TextTable]:
        """Tables by the names of their files."""
        f1, accuracy = self.sides.values()
        tables = {"claims": claims_table(self.claims)}
        tables["paper_means"] = differences.gap_table(f1, accuracy)
        for name, side in self.sides.items():
            heading = side.paper.heading
            tables[f"paper_{name}"] = beside_table(side.here, side.printed, heading, FAR)
            tables[f"paper_{name}_cells"] = cell_table(side.here, side.printed, heading)
            tables[f"paper_{name}_ranks"] = rank_table(side.paper.ranking, f"{heading} as printed")
            tables[f"paper_{name}_furthest"] = differences.furthest_cells(side)
        return tables

    def as_markdown(self) -> str:
        """Return the page; its figures are files of the folder images beside it."""
        template = _environment().get_template("reproduction.md.j2")
        return template.render(self._facts()).rstrip("\n") + "\n"

    def _facts(self) -> dict[str, Any]:
        study = self.comparison.study
        f1, accuracy = self.sides.values()
        facts = {
            "control": CONTROL,
            "level": LEVEL,
            "f1": f1,
            "accuracy": accuracy,
            "methods": f1.here.methods,
            "absent_datasets": _absent(paper_datasets(), f1.here.datasets),
            "absent_methods": _absent(paper_methods(), f1.here.methods),
            "settings": study.settings,
            "cpu_seconds": self.comparison.cpu_seconds,
            "all_seconds": None if self._clock is None else self._clock(),
            "runs": sum(run.status == "done" for run in study.runs),
            "unfinished": self.comparison.unfinished,
            "ranks": {
                name: rank_table(side.ours, HEADINGS[name]) for name, side in self.sides.items()
            },
            "tables": self.tables,
            "noise": differences.fold_noise(self.comparison, f1),
            "wrong_shares": differences.wrong_shares(),
        }
        return {**facts, **self._one_sided(), **self._twins()}

    def _one_sided(self) -> dict[str, Any]:
        """Facts of the methods that the paper prints as one-sided, where they take part."""
        f1, accuracy = self.sides.values()
        facts: dict[str, Any] = {"dkm": None, "weighted": None}
        if {"DKMDT", "HDDT"} <= set(f1.here.methods):
            facts["dkm"] = differences.never_positive(f1, accuracy, "DKMDT", "HDDT")
            facts["unequal"] = differences.unequal_cells("DKMDT", "HDDT", [f1, accuracy])
        if {"LogR+CS", "LogR+OS"} <= set(f1.here.methods):
            facts["weighted"] = differences.nearly_always_positive(
                f1, accuracy, "LogR+CS", "LogR+OS"
            )
        return facts

    def _twins(self) -> dict[str, Any]:
        f1 = self.sides["f1"]
        if not set(TWINS) <= set(f1.here.datasets) or not differences.same_rows(*TWINS):
            return {"twins": None}
        return {"twins": TWINS, "twin_gaps": differences.column_gap(f1, *TWINS)}


def _absent(wanted: tuple[str, ...], there: tuple[str, ...]) -> list[str]:
    return [name for name in wanted if name not in there]


def _environment() -> Environment:
    """Return what fills Markdown templates; names in them are those of our catalogue."""
    environment = Environment(
        loader=PackageLoader("thresher.benchmark.output", "template"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # Markdown, and no text from outside
    )
    environment.filters |= {
        "two": "{:.2f}".format,
        "three": "{:.3f}".format,
        "p": p_text,
        "place": ordinal,
        "names": names,
        "counted": counted,
    }
    return environment


def names(words: Any) -> str:
    """Return a list of names as a phrase.

    >>> names(["a"]), names(["a", "b", "c"]), names([])
    ('a', 'a, b and c', 'none')
    """
    words = list(words)
    if len(words) < 2:
        return words[0] if words else "none"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def ordinal(place: int) -> str:
    """Return a place as a word or short form.

    >>> ordinal(1), ordinal(3), ordinal(11), ordinal(22)
    ('first', 'third', '11th', '22nd')
    """
    words = ("first", "second", "third", "fourth", "fifth", "sixth")
    if place <= len(words):
        return words[place - 1]
    endings = {} if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}
    return f"{place}{endings.get(place % 10, 'th')}"
