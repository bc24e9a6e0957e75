"""The paper's study run again: runs, figures, and a page on which every figure is computed.

    python -m studies.paper.study --page docs/reproduction.md

A run is a line of the file `--runs` as soon as it has ended, so that a study that was stopped goes
on when it is called again. The page, its tables and figures are made of that file. The data sets
with birds are made by birds.py.
"""

import os
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy
import scipy
import sklearn
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import thresher
from studies.paper import differences, figures
from studies.paper.claims import Beside, PaperClaim, beside_paper, claims_table, judge, place_of
from studies.paper.printed_tables import paper_datasets, paper_methods, paper_table
from thresher.cli.comparison import rank_table
from thresher.datasets import list_datasets
from thresher.study import METRICS, PAPER_METHODS, StudyResult, run_study
from thresher.study.methods import CONTROL
from thresher.study.results import LEVEL, p_text
from thresher.text_table import TextTable
from thresher.wording import counted

REPEATS = 5
"""One repeat is noisy on small data sets: LinR+OS alone moves by .01 from seed to seed."""
FAR = 0.1
"""A cell that differs by more than this is shown in bold."""
TWINS = ("Thyroid1", "Thyroid2")
"""Two of the paper's data sets that are the same rows."""


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = parse(arguments)
    chosen.runs.parent.mkdir(parents=True, exist_ok=True)
    there = set(list_datasets("paper", available=True))
    is_new = not chosen.runs.exists()
    study = run_study(
        [name for name in chosen.datasets if name in there],
        chosen.methods,
        folds=chosen.folds,
        repeats=chosen.repeats,
        path=chosen.runs,
        resume=True,
        n_jobs=chosen.jobs,
        empty_folds="keep",
    )
    # Of this process and those that it started; unknown where some runs were there already.
    seconds = sum(os.times()[:4]) if is_new else None
    page = Reproduction(study, chosen.repeats, seconds)
    chosen.page.parent.mkdir(parents=True, exist_ok=True)
    chosen.page.write_text(page.as_markdown(), encoding="utf-8")
    images = chosen.page.parent / "images"
    images.mkdir(exist_ok=True)
    for name, figure in page.figures().items():
        (images / f"{name}.svg").write_bytes(figures.render(figure))
    return int(bool(study.failures))


def parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", choices=paper_datasets(), metavar="NAME")
    parser.add_argument("--methods", nargs="+", choices=PAPER_METHODS, metavar="NAME")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("build/reproduction.jsonl"))
    parser.add_argument("--page", type=Path, default=Path("build/reproduction/reproduction.md"))
    parser.set_defaults(datasets=list(paper_datasets()), methods=list(PAPER_METHODS))
    return parser.parse_args(arguments)


class Reproduction:
    """A study of the paper's methods on its data sets, beside what the paper prints.

    Parameters
    ----------
    study : StudyResult
        Data sets and methods that the paper does not have are left out.
    repeats : int
    seconds : float or None
        Of CPU that the whole run took; None where that is not known.
    """

    def __init__(self, study: StudyResult, repeats: int, seconds: float | None) -> None:
        self.study, self._repeats, self._seconds = study, repeats, seconds

    @cached_property
    def sides(self) -> dict[str, Beside]:
        """The two measures of the paper."""
        return {name: beside_paper(self.study, name) for name in ("f1", "accuracy")}

    @cached_property
    def claims(self) -> list[PaperClaim]:
        """What the paper says of its study, judged."""
        return judge(self.sides["f1"], self.sides["accuracy"])

    @cached_property
    def tables(self) -> dict[str, TextTable]:
        """Tables by name."""
        f1, accuracy = self.sides.values()
        tables = {"claims": claims_table(self.claims)}
        tables["paper_means"] = differences.gap_table(f1, accuracy)
        for name, side in self.sides.items():
            heading = side.paper.heading
            tables[f"paper_{name}"] = differences.beside_table(
                side.here, side.printed, heading, FAR
            )
            tables[f"paper_{name}_ranks"] = rank_table(side.paper.ranking, f"{heading} as printed")
            tables[f"paper_{name}_furthest"] = differences.furthest_cells(side)
        return tables

    def figures(self) -> dict[str, figures.Figure]:
        """Draw the figures of the page by name."""
        drawn = {"entropies": figures.draw_entropies()}
        for name, side in self.sides.items():
            scores, heading = self.study.scores(name), METRICS[name].heading
            drawn[f"scores_{name}"] = figures.draw_scores(scores, heading, paper_table(name).scores)
            if len(side.here.datasets) > 1 and len(side.here.methods) > 1:
                ranked = {"Paper": side.paper.ranking, "Here": side.ours}
                drawn[f"ranks_{name}"] = figures.draw_ranks(ranked)
        return drawn

    def as_markdown(self) -> str:
        """Return the page; its figures are files of the folder images beside it."""
        template = _environment().get_template("page.md.j2")
        return template.render(self._facts()).rstrip("\n") + "\n"

    def _facts(self) -> dict[str, Any]:
        study = self.study
        f1, accuracy = self.sides.values()
        facts = {
            "control": CONTROL,
            "level": LEVEL,
            "f1": f1,
            "accuracy": accuracy,
            "methods": f1.here.methods,
            "absent_datasets": _absent(paper_datasets(), f1.here.datasets),
            "absent_methods": _absent(paper_methods(), f1.here.methods),
            "folds": study.folds,
            "repeats": self._repeats,
            "versions": {
                "python": platform.python_version(),
                **{one.__name__: one.__version__ for one in (numpy, scipy, sklearn, thresher)},
            },
            "cpu_seconds": study.cpu_seconds,
            "all_seconds": self._seconds,
            "runs": sum(run.status == "done" for run in study.runs),
            "unfinished": len(study.failures),
            "ranks": {
                name: rank_table(side.ours, METRICS[name].heading)
                for name, side in self.sides.items()
            },
            "tables": self.tables,
            "noise": differences.fold_noise(study, f1),
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
        loader=FileSystemLoader(Path(__file__).parent),
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
        "place_in": place_of,
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


if __name__ == "__main__":
    sys.exit(main())
