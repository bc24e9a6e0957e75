"""The folder that a comparison leaves: tables, figures, a page, and the paper's study run again."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from thresher.benchmark.analysis.comparison import RANKED, Comparison
from thresher.benchmark.analysis.standings import Standings
from thresher.benchmark.errors import StudyError
from thresher.benchmark.output import figures
from thresher.benchmark.output.page import Page, Picture, Section, render_page
from thresher.benchmark.output.reproduction import Reproduction
from thresher.benchmark.output.standings_table import standings_table
from thresher.benchmark.output.tables import HEADINGS, all_tables, counted
from thresher.benchmark.paper.printed_tables import paper_table
from thresher.errors import MissingPackageError
from thresher.text_table import FORMATS, TextTable
from thresher.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Drawing: TypeAlias = tuple[Figure, str]


class StudyFolder:
    """What is written of a comparison.

    Parameters
    ----------
    comparison : Comparison
    reproduction : Reproduction, default=None
        The paper's study beside it.
    remarks : sequence of str
        Sentences for the reader of the page.
    standings : Standings, default=None
        Who is best on the only data set: the first thing that the page says.
    """

    def __init__(
        self,
        comparison: Comparison,
        reproduction: Reproduction | None = None,
        remarks: Sequence[str] = (),
        standings: Standings | None = None,
    ) -> None:
        self.comparison = comparison
        self.reproduction = reproduction
        self.remarks = remarks
        self.standings = standings

    def write(self, folder: Path) -> None:
        """Write all files; `index.html` is the last one, and has everything in it.

        Raises
        ------
        StudyError
            If a file cannot be written; an earlier one of its name stays as it was.
        """
        for name, table in self.tables.items():
            for ending, as_text in FORMATS.items():
                _write(folder / "tables" / f"{name}.{ending}", as_text(table) + "\n")
        for name, (figure, _) in self._figures.items():
            _write(folder / "images" / f"{name}.svg", self._pictures[name].svg)
            _write(folder / "images" / f"{name}.png", figures.render(figure, "png"))
        if self.reproduction is not None:
            _write(folder / "reproduction.md", self.reproduction.as_markdown())
        _write(folder / "index.html", render_page(self.page))

    @cached_property
    def tables(self) -> dict[str, TextTable]:
        """All tables by the names of their files."""
        more = {} if self.reproduction is None else self.reproduction.tables
        if self.standings is not None:
            more = {"standings": standings_table(self.comparison, self.standings), **more}
        return {**all_tables(self.comparison), **more}

    # ------------------------------------------------------------------------------- figures

    @property
    def left_out(self) -> list[str]:
        """Sentences about figures that need a package which is not there."""
        return self._drawn[1]

    @property
    def _figures(self) -> dict[str, "Drawing"]:
        return self._drawn[0]

    @cached_property
    def _drawn(self) -> tuple[dict[str, "Drawing"], list[str]]:
        """Figures and their captions by the names of their files, and which are left out."""
        found: dict[str, Drawing] = {}
        absent: dict[str, None] = {}
        for name, draw in self._drawings():
            try:
                found[name] = draw()
            except MissingPackageError as error:
                absent[f"{str(error).removesuffix('.')}; they are left out."] = None
        return found, list(absent)

    def _drawings(self) -> Iterator[tuple[str, Callable[[], "Drawing"]]]:
        for name in RANKED:
            if self._is_ranked(name):
                yield f"ranks_{name}", partial(self._ranks, name)
            yield f"scores_{name}", partial(self._scores, name)
        if self.reproduction is not None:
            yield "entropies", _entropies

    def _is_ranked(self, name: str) -> bool:
        ranking = self.comparison.rankings.get(name)
        if ranking is None:
            return False
        return len(ranking.scores.datasets) > 1 and len(ranking.scores.methods) > 1

    def _ranks(self, name: str) -> "Drawing":
        ranking = self.comparison.rankings[name]
        drawn = {"Here": ranking}
        if self.reproduction is not None:
            drawn = {"Paper": paper_table(name).ranking, "Here": self.reproduction.sides[name].ours}
        first = drawn["Here"].by_rank[0]
        caption = (
            f"Average ranks by {HEADINGS[name]} on "
            f"{counted(len(ranking.scores.datasets), 'data set')}; {first} has the best, "
            f"{drawn['Here'].average[first]:.2f}."
        )
        return figures.draw_ranks(drawn), caption

    def _scores(self, name: str) -> "Drawing":
        printed = None if self.reproduction is None else paper_table(name).scores
        scores, heading = self.comparison.scores[name], HEADINGS[name]
        caption = f"{heading} of each method on {counted(len(scores.datasets), 'data set')}"
        caption += "." if printed is None else ": the paper's value (diamond) and ours (dot)."
        return figures.draw_scores(scores, heading, printed), caption

    @cached_property
    def _pictures(self) -> dict[str, Picture]:
        return {
            name: Picture(name, figures.render(figure, "svg"), caption)
            for name, (figure, caption) in self._figures.items()
        }

    # ---------------------------------------------------------------------------------- page

    @property
    def page(self) -> Page:
        """The page of the study."""
        title = "Comparison of methods"
        if self.reproduction is not None:
            title = "The paper's study, run again"
        return Page(title, list(self._introduction()), list(self._sections()))

    def _introduction(self) -> Iterator[str]:
        study = self.comparison.study
        settings = study.settings
        if self.standings is not None:
            yield self.standings.sentence
        yield (
            f"{counted(len(study.methods), 'method')} on {counted(len(study.datasets), 'data set')}"
            f": stratified {settings['folds']}-fold cross-validation, "
            f"{counted(settings['repeats'], 'repeat')}, seed {settings['random_state']}."
        )
        if self.reproduction is not None:
            yield "The file reproduction.md beside this page explains where the two differ."
        yield from self.remarks
        yield from self.left_out
        if self.comparison.unfinished:
            missing = counted(self.comparison.unfinished, "run")
            yield f"{missing} of {len(study.runs)} without an outcome: see the end of this page."

    def _sections(self) -> Iterator[Section]:
        tables = self.tables
        if self.reproduction is not None:
            yield Section("What holds", tables=[tables["claims"], tables["paper_means"]])
        if self.standings is not None:
            yield Section("Which is best", tables=[tables["standings"]])
        yield Section("All measures", tables=[tables["summary"]])
        for name in RANKED:
            yield from self._sections_of(name)
        if "entropies" in self._pictures:
            yield Section("Entropies", picture=self._pictures["entropies"])
        if "failures" in tables:
            yield Section("Runs without an outcome", tables=[tables["failures"]])

    def _sections_of(self, name: str) -> Iterator[Section]:
        heading, tables = HEADINGS[name], self.tables
        ranks = [f"ranks_{name}", f"paper_{name}_ranks"]
        if self._is_ranked(name):
            found = [tables[key] for key in ranks if key in tables]
            yield Section(f"{heading}: ranks", (), self._pictures.get(f"ranks_{name}"), found)
        scores = [f"scores_{name}", f"paper_{name}"]
        found = [tables[key] for key in scores if key in tables]
        yield Section(f"{heading}: scores", (), self._pictures.get(f"scores_{name}"), found)


def _entropies() -> "Drawing":
    caption = "Entropy of two classes by the share of positives; Shannon's is dashed."
    return figures.draw_entropies(), caption


def _write(path: Path, content: str | bytes) -> None:
    """Write a file as a whole or not at all; folders on the way are made."""
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary:
            temporary.write_bytes(data)
    except OSError as error:
        raise StudyError(
            f"'{path}' could not be written: {error.strerror or error}; all runs are in the store."
        ) from error
