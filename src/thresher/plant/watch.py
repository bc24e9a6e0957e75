"""A watch over a model in use: whether rates are still those that it was judged by."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from math import log
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import ParameterError, TableError, WatchFileError
from thresher.figures.figure import Figure
from thresher.figures.svg import WIDE
from thresher.frames import make_frame
from thresher.judging.watch.journal import Batch, Journal
from thresher.judging.watch.look import Look
from thresher.judging.watch.question import WATCHED, Standing, ask, check_watched
from thresher.judging.watch.state_file import State, fingerprint, read_state, write_state
from thresher.plant.model import PlantModel
from thresher.report.watch import draw_watch
from thresher.tables.table import Table
from thresher.tables.times import read_times
from thresher.whole_file import locked

logger = logging.getLogger("thresher.plant")


class Watch:
    """Tells whether rates have changed since a model was judged; every look is allowed.

    Up to three rates are watched: of positives among labelled rows, against that of the training;
    of misses among known positives, and of alerts among all rows (which needs no labels, and may
    rise or fall), against those of the judgement. Each has an e-process: evidence against "it is
    at most what the reference allows" that may be looked at after every batch. A false alarm, of
    any rate, at any time of the watch's life, has at most the probability `alpha`.

    Parameters
    ----------
    model : PlantModel
        Of `thresher.train`, or loaded.
    alpha : float, default=0.05
        The questions (misses, the rate, more alerts, fewer alerts) share it equally. Each spends
        one half on its reference, which is an estimate, and one on the batches.
    watched : names, default=("rate", "misses", "alerts")
        What is watched; fewer leave more of alpha to each.

    Examples
    --------
    >>> from thresher.datasets import make_assembly_line
    >>> from thresher import train
    >>> from thresher.plant import Watch
    >>> line = make_assembly_line(4000, random_state=0)
    >>> parts = line.X.assign(scrap=line.y, finished=line.time)
    >>> model = train(parts[:2000], target="scrap", time="finished", model="tree")
    >>> watch = Watch(model)
    >>> watch.look(parts[2000:2100], time="finished").is_alarm
    False
    >>> path = getfixture("tmp_path") / "watch.json"
    >>> watch.save(path)
    >>> Watch.load(path, model).look(parts[2100:2150], time="finished").repeated
    0
    """

    def __init__(
        self, model: PlantModel, alpha: float = 0.05, *, watched: Sequence[str] = tuple(WATCHED)
    ) -> None:
        self.model, self.alpha, self.watched = model, float(alpha), check_watched(watched)
        self.questions = ask(model.facts, self.watched, alpha)
        self._journal = Journal()

    # --------------------------------------------------------------------------------------- a look

    def look(
        self,
        table: Any,
        *,
        time: str | None = None,
        state: str | PathLike[str] | None = None,
        allow_drift: bool = False,
    ) -> Look:
        """Add the rows of a table, and say how the watch stands.

        Parameters
        ----------
        table : data frame, path, or anything that `thresher.tables.read_table` takes
            New rows; the target may be missing, in some rows or as a column. A batch that was
            seen before counts once; where it has labels now that it had not, these are added.
        time : name of a column, default=None
            When a row was made: the rows of a day are a batch, otherwise those of the table are.
            The order of rows inside a batch does not matter.
        state : path, default=None
            File to go on from, if it is there, and to write. Several processes may look with one
            file at a time: one waits for another, and what a look returned is in the file.
        allow_drift : bool, default=False
            Count rows even if a column lies outside the training range; otherwise this is an alarm
            of this look, and its rows are not counted.

        Returns
        -------
        Look
            With `is_alarm`, `advice`, `sentence` and figures.

        Raises
        ------
        WatchFileError
            A ValueError: `state` is damaged, no state of a watch, of another model, or has and
            lacks looks of this watch; it stays as it is.
        """
        whole = self._read(table, time)
        found = self.model.find_outside(whole, allow_drift=True)
        outside = tuple(column for column in found if column.is_refused)
        if outside and not allow_drift:
            return replace(self._stand((), 0), outside=outside)
        batches = self._batches(whole, time)
        if state is None:
            before = self._journal
            self._journal = before.with_batches(batches, whole.source)
        else:
            path = Path(state)
            with locked(path, logger.info):
                before = self._stored(path)
                if not before.goes_on_from(self._journal):
                    before = self._instead_of(before, path)
                after = before.with_batches(batches, whole.source)
                write_state(self._state(after), path)
                self._journal = after
        new = self._journal.entries[len(before.entries) :]
        digests = {one.digest for one in new}
        repeated = sum(one.entry.rows for one in batches if one.entry.digest not in digests)
        return self._stand(new, repeated)

    @property
    def last(self) -> Look:
        """How the watch stands, without a new look."""
        return self._stand((), 0)

    @property
    def is_alarm(self) -> bool:
        """Whether there is an alarm; it stays for the life of the watch."""
        return self.last.is_alarm

    def _stand(self, new: Any, repeated: int) -> Look:
        entries = self._journal.entries
        standings = tuple(Standing(question, entries) for question in self.questions)
        batches = tuple(self._journal.batches)
        return Look(tuple(new), repeated, standings, batches, self.model.facts.class_name)

    def _read(self, table: Any, time: str | None) -> Table:
        special = [name for name in (self.model.facts.target, time) if name is not None]
        whole = self.model.read(table, special)
        whole.need([] if time is None else [time])
        for note in whole.notes:
            logger.warning(note)
        return whole

    def _batches(self, whole: Table, time: str | None) -> list[Batch]:
        """Return the rows of each day, in their order, or all rows."""
        decided = self.model.decided(whole, allow_drift=True)
        is_alert = decided.is_alert
        for note in decided.notes.values():
            logger.warning(note)
        self.model.warn_of_training_rows(whole)
        none = np.zeros(len(is_alert), dtype=bool)
        known, is_positive = self.model.truth_of(whole) or (none, none)
        columns = (self.model.hashes(whole, [None] * len(is_alert)), is_alert, known, is_positive)
        if time is None:
            return [Batch.of(None, *columns)]
        days, place = np.unique(_days(whole, time), return_inverse=True)
        return [
            Batch.of(str(day), *(column[place == number] for column in columns))
            for number, day in enumerate(days)
        ]

    # ------------------------------------------------------------------------------- what it shows

    def columns(self) -> dict[str, Any]:
        """Return what was seen, one entry a batch and look, with the logarithms of e-values."""
        entries = self._journal.entries
        standings = self.last.standings
        seen = {
            name: [getattr(entry, name) for entry in entries]
            for name in ("day", "rows", "alerts", "labelled", "positives", "misses")
        }
        return {**seen, **{f"log e, {one.question.name}": one.log_e for one in standings}}

    def to_frame(self, kind: str | None = None) -> Any:
        """Return `columns()` as a data frame, of pandas by default."""
        return make_frame(self.columns(), kind)

    def plot(self) -> Figure:
        """Draw e-values against batches with the line of alarm, above the p-chart."""
        last = self.last
        return Figure(last.sentence, draw_watch(self._section(last), WIDE))

    def section_for(self, model: PlantModel) -> dict[str, Any]:
        """Return the section of a model's report: charts, figures and words as plain data."""
        if model is not self.model and _fingerprint(model) != _fingerprint(self.model):
            raise ParameterError("watch= is a watch over another model; give one over this one.")
        return self._section(self.last)

    def _section(self, last: Look) -> dict[str, Any]:
        """Return evidence after each batch, the p-chart and words as plain data."""
        lines = [one.question.line for one in last.standings]
        entries = last.standings[0].entries
        return {
            "words": last.words,
            "is_alarm": last.is_alarm,
            "alpha": self.alpha,
            "line": log(lines[0]),
            "days": [entry.day or f"batch {place + 1}" for place, entry in enumerate(entries)],
            "series": [
                {"name": one.question.name, "values": one.log_e.tolist()} for one in last.standings
            ],
            "questions": [{**one.as_data(), "e_words": one.e_words} for one in last.standings],
            "chart": last.chart,
        }

    def __repr__(self) -> str:
        return f"<Watch: {self.last.sentence}>"

    # ------------------------------------------------------------------------------------- a file

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a small JSON file, as a whole or not at all.

        Raises
        ------
        WatchFileError
            A ValueError: the file has looks that this watch has not, such as those of another
            process since it was loaded; it stays as it is.
        """
        path = Path(path)
        with locked(path, logger.info):
            write_state(self._state(self._instead_of(self._stored(path), path)), path)

    @classmethod
    def load(cls, path: str | PathLike[str], model: PlantModel) -> "Watch":
        """Go on with a watch over the same model.

        Raises
        ------
        WatchFileError
            A ValueError: the file is damaged, no state of a watch, or one of another model.
        """
        state = _state_of(model, Path(path))
        found = cls(model, state.alpha, watched=state.watched)
        found._journal = state.journal
        return found

    def _state(self, journal: Journal) -> State:
        return State(_fingerprint(self.model), self.alpha, self.watched, journal)

    def _stored(self, path: Path) -> Journal:
        """Return the journal in a file of this watch, an empty one where there is no file."""
        if not path.exists():
            return Journal()
        state = _state_of(self.model, path)
        if (state.alpha, state.watched) != (self.alpha, self.watched):
            raise ParameterError(
                f"'{path}' was begun with alpha={state.alpha:g} and "
                f"watched={','.join(state.watched)}, which stay for its life; name another file."
            )
        return state.journal

    def _instead_of(self, stored: Journal, path: Path) -> Journal:
        """Return the journal of this watch, which has all looks of the file that it replaces."""
        if not self._journal.goes_on_from(stored):
            raise WatchFileError(
                f"'{path}' has looks that this watch has not, such as those of another process; "
                "load it and look again, or name another file."
            )
        return self._journal


def _state_of(model: PlantModel, path: Path) -> State:
    """Read the state of a watch over a model."""
    state = read_state(path)
    if state.model != _fingerprint(model):
        raise WatchFileError(
            f"'{path}' is the state of a watch over another model, or over this one with "
            "another threshold; name that model, or begin a new watch with another file."
        )
    return state


def _fingerprint(model: PlantModel) -> str:
    names = tuple(model.estimator.columns_.names or ())
    return fingerprint(model.facts, float(model.estimator.threshold_), names)


def _days(table: Table, time: str) -> NDArray[np.datetime64]:
    moments = read_times(table, time)
    if moments.dtype.kind != "M":
        raise TableError(
            f"Column {time!r} holds numbers, which tell no days; leave out time= and give each "
            "batch as a table of its own."
        )
    return moments.astype("datetime64[D]")
