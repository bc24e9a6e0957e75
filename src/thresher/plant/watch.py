"""A watch over a model in use: whether rates are still those that it was judged by."""

import logging
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import ParameterError, TableError, WatchFileError
from thresher.frames import make_frame
from thresher.judging.plot import plot_watch
from thresher.judging.watch.journal import Batch, Journal
from thresher.judging.watch.look import Look
from thresher.judging.watch.question import WATCHED, ask, check_watched
from thresher.judging.watch.standing import Standing
from thresher.judging.watch.state_file import State, fingerprint, read_state, write_state
from thresher.plant.model import PlantModel
from thresher.report.summary.watch import watch_data
from thresher.tables.table import Table
from thresher.tables.times import read_times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        Of `thresher.plant.train`, or loaded.
    alpha : float, default=0.05
        The questions (misses, the rate, more alerts, fewer alerts) share it equally. Each spends
        one half on its reference, which is an estimate, and one on the batches.
    watched : names, default=("rate", "misses", "alerts")
        What is watched; fewer leave more of alpha to each.

    Examples
    --------
    >>> from thresher.datasets import make_assembly_line
    >>> from thresher.plant import Watch, train
    >>> line = make_assembly_line(4000, random_state=0)
    >>> parts = line.X.assign(scrap=line.y, finished=line.time)
    >>> model = train(parts[:2000], target="scrap", time="finished", model="tree", event="scrap")
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
        self, table: Any, *, time: str | None = None, allow_training_rows: bool = False
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
        allow_training_rows : bool, default=False
            Take rows that the model was trained on.

        Returns
        -------
        Look
            With `is_alarm`, `advice`, `sentence` and figures.
        """
        whole = self._read(table, time)
        batches = self._batches(whole, time, allow_training_rows)
        before = self._journal
        self._journal = before.with_batches(batches, whole.source)
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
        return Look(tuple(new), repeated, standings, batches, self.model.facts.terms)

    def _read(self, table: Any, time: str | None) -> Table:
        special = [name for name in (self.model.facts.target, time) if name is not None]
        whole = self.model.read(table, special)
        whole.need([] if time is None else [time])
        for note in whole.notes:
            logger.warning(note)
        return whole

    def _batches(self, whole: Table, time: str | None, allow_training_rows: bool) -> list[Batch]:
        """Return the rows of each day, in their order, or all rows."""
        _, notes, _, is_alert = self.model.decided(whole)
        for note in notes.values():
            logger.warning(note)
        if self.model.facts.target in whole.columns:
            self.model.warn_of_seen(whole, refuse=not allow_training_rows)
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

    def plot(self) -> "Figure":
        """Draw e-values against batches with the line of alarm, above the p-chart."""
        return plot_watch(watch_data(self.last, self.alpha))

    def section_for(self, model: PlantModel) -> dict[str, Any]:
        """Return the section of a model's report: charts, figures and words as plain data."""
        if model is not self.model and _fingerprint(model) != _fingerprint(self.model):
            raise ParameterError("watch= is a watch over another model; give one over this one.")
        return watch_data(self.last, self.alpha)

    def __repr__(self) -> str:
        return f"<Watch: {self.last.sentence}>"

    # ------------------------------------------------------------------------------------- a file

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a small JSON file, as a whole or not at all."""
        name = _fingerprint(self.model)
        write_state(State(name, self.alpha, self.watched, self._journal), Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str], model: PlantModel) -> "Watch":
        """Go on with a watch over the same model.

        Raises
        ------
        WatchFileError
            A ValueError: the file is damaged, no state of a watch, or one of another model.
        """
        state = read_state(Path(path))
        found = cls(model, state.alpha, watched=state.watched)
        if state.model != _fingerprint(model):
            raise WatchFileError(
                f"'{path}' is the state of a watch over another model, or over this one with "
                "another threshold; name that model, or begin a new watch with another file."
            )
        found._journal = state.journal
        return found


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
