"""A model for each reason code of a target, which decide together."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.action.table import ActionTable
from thresher.condition.table import ConditionTable
from thresher.drawing.notebook import html_table, in_notebook
from thresher.errors import ParameterError, TableError
from thresher.frames import is_frame
from thresher.judging.drift import Drift, drift_sentences
from thresher.judging.judgement import Judgement
from thresher.judging.verdict import Verdict
from thresher.plant.coded.conditions import codes_csv, codes_json, codes_text
from thresher.plant.coded.facts import CodedFacts
from thresher.plant.coded.pareto import Pareto
from thresher.plant.coded.prediction import CodedPrediction, added_columns, predict_codes
from thresher.plant.coded.report import CodedReport
from thresher.plant.coded.store import StoredCodes, codes_bytes, read_codes_file, write_codes
from thresher.plant.coded.verdict import make_verdict
from thresher.plant.model import PlantModel
from thresher.plant.quiet import without_warnings
from thresher.plant.report import readable
from thresher.tables.codes import ReasonCodes, known_codes
from thresher.tables.frame import frame_of, frame_with
from thresher.tables.table import Table
from thresher.tables.target import Labels

logger = logging.getLogger("thresher.plant")


@dataclass(frozen=True, eq=False)
class CodedModel:
    """What `thresher.plant.train` with `codes=` returns and `thresher train --codes` writes.

    A row alerts where one of the models does. Each model finds one code against all other rows,
    good ones and those of other codes, so that its alerts name the code.

    Attributes
    ----------
    models : a PlantModel for each code, with its judgement, conditions and threshold.
    facts : what is known of the training of all of them.
    summary : the report as data, where one was made.
    """

    models: Mapping[str, PlantModel]
    facts: CodedFacts
    summary: dict[str, Any] | None = None

    # ---------------------------------------------------------------------------------- what it is

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes that have a model."""
        return tuple(self.models)

    @property
    def pareto(self) -> Pareto:
        """Judged rows by code: found, found under another code, missed."""
        return self.facts.pareto

    @property
    def judgement(self) -> Judgement:
        """The decisions of all models together about rows that chose nothing; a row counts once."""
        return self.facts.judgement

    @property
    def conditions(self) -> dict[str, ConditionTable]:
        """What leads to each code, with evidence."""
        return {code: model.conditions for code, model in self.models.items()}

    def conditions_as(self, form: str) -> str:
        """Return the conditions of all codes as "text", "csv" or "json"."""
        if form == "text":
            return codes_text(self.conditions, self.facts.terms)
        return codes_csv(self.conditions) if form == "csv" else codes_json(self.conditions)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the models are of use, in a few sentences."""
        facts = self.facts
        return make_verdict(self.judgement, facts.pareto, facts.terms, facts.per_1000, self.models)

    @property
    def is_at_hand(self) -> bool:
        """Whether the training is in memory, so that its report can be made."""
        return all(model.origin is not None for model in self.models.values())

    def __repr__(self) -> str:
        return f"<CodedModel: {', '.join(map(repr, self.codes))}, F1 {self.judgement.f1:.3f}>"

    def _repr_html_(self) -> str:
        table = self.pareto.as_table(self.facts.terms.unit)
        rows = [[cell.text for cell in row] for row in table.cells]
        return in_notebook(self.verdict.heading, html_table(list(table.columns), rows))

    def as_json(self) -> dict[str, Any]:
        """Return what people and programs ask for: all codes together, then each."""
        facts = self.facts
        return {
            "target": facts.target,
            "good": facts.good,
            "codes": list(self.codes),
            "per_1000": facts.per_1000,
            **facts.terms._asdict(),
            "judged": self.judgement.as_data(),
            "pareto": self.pareto.as_data(),
            "remarks": list(facts.remarks),
            "verdict": self.verdict.as_data(),
        }

    # ------------------------------------------------------------------------------------ new rows

    @property
    def _first(self) -> PlantModel:
        return next(iter(self.models.values()))

    def read(self, table: Any, texts: Collection[str] = ()) -> Table:
        """Read a table as the one of the training was read; columns in `texts` stay as written."""
        return self._first.read(table, texts)

    def predict_table(self, table: Any) -> Any:
        """Return a table with the probability of each code, likely codes and decision added.

        Parameters
        ----------
        table : data frame, path, or anything that `thresher.tables.read_table` takes
            Columns are matched by name; further ones are kept.

        Returns
        -------
        data frame
            `table` itself, or one of pandas, with the columns "probability of ..." for each code,
            "codes" (those that alert, the most probable first), "decision" (the first of them, or
            the value of good rows) and "condition" (of the first).
        """
        whole = self.read(table)
        found = self.predict_columns(whole)
        for note in (*whole.notes, *found.notes, *drift_sentences(found.drift)):
            logger.warning(note)
        if is_frame(table):
            return frame_with(table, found.columns)
        return frame_of({**whole.columns, **found.columns}, whole.kind)

    def predict_columns(self, table: Table) -> CodedPrediction:
        """Return the columns that are added to a table, and what a user should know."""
        return predict_codes(self.models, self.facts.good, table)

    def added(self) -> tuple[str, ...]:
        """Return the columns that a prediction adds."""
        return added_columns(self.models)

    def find_drift(self, table: Any) -> list[Drift]:
        """Return the columns of a table that are not as they were in training."""
        return self.predict_columns(self.read(table)).drift

    def judge_decisions(self, table: Table, is_alert: NDArray[np.bool_]) -> Pareto | None:
        """Compare alerts (rows by codes) with the target; None where no row's is known."""
        if self.facts.target not in table.columns:
            return None
        labels = self._labels_in(table)
        is_known = np.array([label is not None for label in labels])
        if not is_known.any():
            return None
        known = np.array([label for label in labels if label is not None])
        costs = self.pareto.costs
        return Pareto.of(known, is_alert[is_known], self.codes, self.facts.good, costs)

    def warn_of_seen(self, table: Table, *, refuse: bool) -> None:
        """Say, or refuse, that rows whose decisions are judged were training rows."""
        self._first.warn_of_seen(table, refuse=refuse)

    def _labels_in(self, table: Table) -> list[str | None]:
        return known_codes(table, self.facts.target, self.facts.good, self.codes)

    # ----------------------------------------------------------------------------- rows to judge by

    def one_by_one(self, table: Any, time: str | None = None) -> tuple[Labels, dict[str, Table]]:
        """Return the codes of rows, and for each code their table: the code against other rows."""
        target = self.facts.target
        whole = self.read(table, [target, *([time] if time else [])])
        whole.need([target])
        labels = self._labels_in(whole)
        rows = np.flatnonzero([label is not None for label in labels])
        if not len(rows):
            raise TableError(f"Column {target!r} has no value in any row; it cannot be the target.")
        kept = whole.take(rows)
        codes = ReasonCodes(np.array([labels[row] for row in rows]), self.facts.good, self.codes)
        return codes.labels, {
            code: replace(kept, columns={**kept.columns, target: codes.one_against_others(code)})
            for code in self.codes
        }

    def test_conditions(
        self, table: Any, *, allow_training_rows: bool = False
    ) -> dict[str, ConditionTable]:
        """Return the conditions of each code with evidence from rows that had no part in it."""
        _, tables = self.one_by_one(table)
        return {
            code: model.test_conditions(tables[code], allow_training_rows=allow_training_rows)
            for code, model in self.models.items()
        }

    def actions(
        self,
        table: Any = None,
        *,
        settings: str | Collection[str] | None = None,
        limits: Mapping[str, Any] | None = None,
        allow_training_rows: bool = False,
    ) -> dict[str, ActionTable]:
        """Return for each code which setting to hold where, and what that would bring.

        Parameters
        ----------
        table : data frame or path, default=None
            Rows that had no part in the training. Without it those of the training, where it is at
            hand, and models without each fold.
        settings : names of columns, default=None
            What somebody can set; as given to `train` by default.
        limits : mapping, default=None
            As in `thresher.actions`.
        allow_training_rows : bool, default=False
            Take rows that the models were trained on.

        Returns
        -------
        dict of ActionTable
            Associations in past rows, not proofs of cause.
        """
        tables = {} if table is None else self.one_by_one(table)[1]
        costs = self.pareto.costs or {}
        return {
            code: model.actions(
                tables.get(code),
                settings=settings,
                limits=limits,
                costs=costs.get(code),
                allow_training_rows=allow_training_rows,
            )
            for code, model in self.models.items()
        }

    # ------------------------------------------------------------------------------ report and file

    def report(
        self,
        table: Any = None,
        *,
        time: str | None = None,
        title: str | None = None,
        allow_training_rows: bool = False,
    ) -> CodedReport:
        """Return the report of the training, or of how the models do on a table of other rows.

        Parameters
        ----------
        table : data frame or path, default=None
            Rows that had no part in the training.
        time : str, default=None
            When a row was made.
        title : str, default=None
        allow_training_rows : bool, default=False
            Take rows that the models were trained on.
        """
        from thresher.plant.coded.summary import summarize_codes, summarize_unseen_codes

        with without_warnings():
            if table is not None:
                allowed = {"allow_training_rows": allow_training_rows}
                return CodedReport(summarize_unseen_codes(self, table, time, title, **allowed))
            if self.summary is None:
                if not self.is_at_hand:
                    raise ParameterError(
                        "There is no report in the file of this model, and its training table is "
                        "not at hand; give rows that it has not seen: report(table)."
                    )
                object.__setattr__(self, "summary", summarize_codes(self))
        assert self.summary is not None
        made = CodedReport(self.summary)
        return made if self.is_at_hand else readable(made)

    def save(self, path: str | PathLike[str]) -> None:
        """Write all models, their conditions, facts and report (where one was made) to a file."""
        write_codes(self._stored(), Path(path))

    def to_bytes(self) -> bytes:
        """Return the content of the file that `save` writes."""
        return codes_bytes(self._stored())

    def _stored(self) -> StoredCodes:
        return StoredCodes(dict(self.models), self.facts, self.summary)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "CodedModel":
        """Read models from a file, or from the folder of `thresher train --codes`."""
        return cls(*read_codes_file(Path(path)))
