"""A trained model with its judgement, its conditions, and what is known of its training."""

import logging
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.table import HOLD_OUT, TRAINING_ROWS, ConditionTable
from thresher.errors import ModelFileError, ParameterError, SeenRowsError, TableError
from thresher.frames import is_frame
from thresher.judging.drift import Drift, drift_sentences, find_drift
from thresher.judging.facts import Facts
from thresher.judging.judgement import Judgement
from thresher.judging.money import Money
from thresher.judging.row_prints import Hashes, Overlap, row_hashes
from thresher.judging.verdict import (
    EVERYTHING,
    NOTHING,
    Setting,
    Verdict,
    make_verdict,
    shown_threshold,
)
from thresher.plant.acting import ActingMixin
from thresher.plant.model_html import model_html
from thresher.plant.moving import moved_by, moved_to
from thresher.plant.origin import Origin
from thresher.plant.prediction import Prediction, added_columns, predict_columns
from thresher.plant.quiet import without_warnings
from thresher.plant.reader import conditions_above
from thresher.plant.reporting import ReportingMixin
from thresher.plant.row_cuts import cut_words, cuts_in, row_costs_of, row_cuts_of
from thresher.plant.rows import Decided, UnseenRows
from thresher.plant.store import StoredPlant, plant_bytes, read_plant, write_plant
from thresher.tables.features import match_columns, match_features
from thresher.tables.frame import frame_of, frame_with
from thresher.tables.reading import read_table, source_of
from thresher.tables.table import Table, texts_of
from thresher.tables.target import as_classes, read_labels, typed_labels, with_target
from thresher.tables.wishes import NOBODY
from thresher.threshold.answered import Answered
from thresher.threshold.counts import Counts
from thresher.threshold.promise import OUT_OF_FOLD
from thresher.threshold.unseen import positive_scores
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import check_integer, check_number

logger = logging.getLogger("thresher.plant")


@dataclass(frozen=True, eq=False)
class PlantModel(ActingMixin, ReportingMixin):
    """What `thresher.plant.train` returns and `thresher train` writes.

    Attributes
    ----------
    estimator : a tree, a forest, boosted trees or a blend, with its threshold.
    reader : the tree that conditions are read from: the estimator, or the tree that imitates it.
    conditions : what leads to the positive class, with evidence.
    facts : what is known of the training.
    summary : the report as data, where one was made.
    origin : the training at hand, None for a model from a file.
    """

    estimator: Any
    reader: ImbalancedTreeClassifier
    conditions: ConditionTable
    facts: Facts
    summary: dict[str, Any] | None = None
    origin: Origin | None = None

    # ---------------------------------------------------------------------------------- what it is

    @property
    def threshold(self) -> float:
        """The threshold as people see it, in [0, 1]; see `alerts_on` for its ends."""
        return shown_threshold(float(self.estimator.threshold_))

    @property
    def threshold_alert(self) -> float | None:
        """Above it rows alert, where those between are referred; None where none is."""
        alert = self.estimator.threshold_alert_
        return None if alert is None else shown_threshold(float(alert))

    @property
    def alerts_on(self) -> str | None:
        """The word "everything" or "nothing" where the threshold decides nothing, or None."""
        threshold = float(self.estimator.threshold_)
        if self.threshold_alert is not None or row_cuts_of(self.estimator) is not None:
            return None
        if self.is_imitated:
            return self.facts.alerts_on(threshold)
        tree = self.estimator.tree_
        is_alert = tree.probability[tree.is_leaf] > threshold
        return EVERYTHING if is_alert.all() else None if is_alert.any() else NOTHING

    @property
    def judgement(self) -> Judgement:
        """The decisions about rows that chose nothing of the model."""
        if self.facts.judgement is None:
            raise ModelFileError(
                "The file of this model does not record how it was judged; train it again with "
                "thresher.plant.train."
            )
        return self.facts.judgement

    @property
    def is_imitated(self) -> bool:
        """Whether conditions are read from a tree that imitates the estimator."""
        return not isinstance(self.estimator, ImbalancedTreeClassifier)

    @property
    def is_at_hand(self) -> bool:
        """Whether the training is in memory, so that its report can be made."""
        return self.origin is not None

    def conditions_as(self, form: str) -> str:
        """Return the conditions as "text", "csv", "json" or "sql"."""
        words = self.facts.terms if form == "text" else ()
        return str(getattr(self.conditions, f"to_{form}")(*words))

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the model is of use, in a few sentences."""
        facts = self.facts
        return make_verdict(self.judgement, facts.folds, self.setting, self.conditions, facts.terms)

    @property
    def setting(self) -> Setting:
        """How the model decides: threshold, rule, and what it was chosen over."""
        facts = self.facts
        is_fixed = facts.judgement is not None and facts.judgement.is_fixed
        rule = "fixed by the user" if is_fixed else facts.recipe.rule_words
        threshold = float(self.estimator.threshold_)
        interval = facts.threshold_interval
        promise = None if facts.promise is None else str(facts.promise)
        words = facts.choice, facts.model, promise, cut_words(self.estimator)
        return Setting(threshold, rule, interval, self.alerts_on, *words, self.threshold_alert)

    @property
    def place(self) -> int:
        """The place of the positive class among the classes."""
        estimator = self.estimator
        return int(np.flatnonzero(estimator.classes_ == estimator.pos_label_)[0])

    def __repr__(self) -> str:
        judged = "" if self.facts.judgement is None else f", F1 {self.facts.judgement.f1:.3f}"
        return f"<PlantModel: {self.facts.model}, threshold {self.threshold:.4g}{judged}>"

    def _repr_html_(self) -> str:
        return model_html(self)

    # ------------------------------------------------------------------------------------ new rows

    def read(self, table: Any, texts: Collection[str] = ()) -> Table:
        """Read a table as the one of the training was read; columns in `texts` stay as written.

        A model of an older version has learnt numbers such as -9999 as they are, one that was
        trained batch by batch texts as well.
        """
        if isinstance(table, Table):
            return table
        if self.facts.plan is None and not is_frame(table):
            source = source_of(table)
            table = replace(source, missing=source.missing or (NOBODY,))
        missing = (NOBODY,) if self.facts.plan is None else None
        texts = [*texts, *self._learnt_as_written]
        return read_table(table, texts=texts, plan=self.facts.plan, missing=missing)

    @property
    def _learnt_as_written(self) -> list[str]:
        """Categories whose texts were not read, say, as numbers: those of a lake."""
        if self.facts.plan is not None or self.facts.columns is None:
            return []
        columns = self.estimator.columns_
        pairs = zip(columns.names or (), columns.levels, strict=True)
        return [name for name, levels in pairs if levels is not None]

    def predict_table(self, table: Any, *, reasons: int = 0) -> Any:
        """Return a table with the columns probability, decision and condition added.

        Of an alert that meets no condition, as some of a forest do, the column condition has the
        reasons. A model that refers rows adds the column answer: "alert", "pass" or "refer".

        Parameters
        ----------
        table : data frame, path, or anything that `thresher.tables.read_table` takes
            Columns are matched by name; further ones are kept.
        reasons : int, default=0
            Also adds reason_1, reason_2, ...: what adds most to the score of a row, or takes most
            off it, in words. Not for a blend or a committee of boosted trees.

        Returns
        -------
        data frame
            `table` itself with the columns added, or one of pandas. Decisions are numbers or truth
            values where the classes are.

        Notes
        -----
        Columns that are not as they were in training are told as warnings of the logger
        "thresher.plant"; `find_drift` returns them.
        """
        whole = self.read(table)
        found, notes, drift = self.predict_columns(whole, reasons)
        for note in (*whole.notes, *notes, *drift_sentences(drift)):
            logger.warning(note)
        decision = typed_labels(texts_of(found["decision"]), self.estimator.classes_)
        added = {**found, "decision": decision}
        if is_frame(table):
            return frame_with(table, added)
        return frame_of({**whole.columns, **added}, whole.kind)

    def find_drift(self, table: Any) -> list[Drift]:
        """Return the columns of a table that are not as they were in training.

        Parameters
        ----------
        table : data frame, path, or anything that `thresher.tables.read_table` takes

        Returns
        -------
        list of Drift
            None of it where the model does not know its training: `facts.columns` is None.
        """
        whole = self.read(table)
        match_features(whole, self.estimator.columns_)
        return self._drift(whole)

    def _drift(self, table: Table) -> list[Drift]:
        """Compare columns, which the model has matched, with those of the training."""
        if self.facts.columns is None:
            return []
        known = self.estimator.columns_
        columns = match_columns(table, known.names or (), known.levels)
        return find_drift(columns, known.levels, self.facts.columns)

    def decided(self, table: Table) -> Decided:
        """Return what the model takes of a table, and what it decides about each row."""
        features, notes = match_features(table, self.estimator.columns_)
        with without_warnings():
            probability = positive_scores(self.estimator, features.X, self.place)
        is_alert = probability > cuts_in(self.estimator, table)
        return Decided(features, notes, probability, is_alert)

    def predict_columns(self, table: Table, reasons: int = 0) -> Prediction:
        """Return the columns that are added to a table, and what a user should know."""
        check_integer("reasons", reasons, low=0)
        return predict_columns(self, table, self._drift, int(reasons))

    def added(self, reasons: int = 0) -> tuple[str, ...]:
        """Return the columns that a prediction adds, with so many reasons."""
        return added_columns(self.estimator, reasons)

    def judge_decisions(
        self, table: Table, is_alert: NDArray[np.bool_], is_sure: NDArray[np.bool_] | None = None
    ) -> Judgement | None:
        """Compare decisions with the target where the table has it, None where it has not.

        `is_sure` tells which alerts are not referred, where rows can be.
        """
        found = self.truth_of(table)
        if found is None:
            return None
        known, is_positive = found[0], found[1][found[0]]
        counts, answered = Counts.of(is_alert[known], is_positive), None
        if is_sure is not None:
            answered = Answered(counts, Counts.of(is_sure[known], is_positive))
        how = f"the {int(known.sum()):,} rows of {table.source} whose target is known"
        costs, recipe = row_costs_of(self.estimator, table), self.facts.recipe
        others: dict[str, Any] = {"costs": recipe.costs, "price": recipe.price}
        if costs is not None:
            others["money"] = Money.of(costs.take(known), is_alert[known], is_positive)
        return Judgement.of(counts, how, answered, **others)

    def truth_of(self, table: Table) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return whose target is known and which are positive; None where no row's is known."""
        target = self.facts.target
        if target is None or target not in table.columns:
            return None
        labels = self._classes_in(table, target)
        known = np.array([label is not None for label in labels])
        is_positive = np.array([label == str(self.estimator.pos_label_) for label in labels])
        return (known, is_positive) if known.any() else None

    # ----------------------------------------------------------------------------- rows to judge by

    def read_unseen(
        self,
        table: Any,
        target: str | None = None,
        time: str | None = None,
        *,
        allow_training_rows: bool = False,
    ) -> UnseenRows:
        """Read a table whose target is known; rows that the model was trained on are refused."""
        target = target or self.facts.target
        if target is None:
            raise TableError("The model does not know its target; name the column with target=.")
        special = [target, *([time] if time else [])]
        whole = self.read(table, special)
        whole.need(special)
        classes = [str(label) for label in self.estimator.classes_]
        whole = with_target(whole, target, self.estimator.pos_label_, classes)
        labels = read_labels(whole, target)
        unknown = np.setdiff1d(labels, self.estimator.classes_.astype(str))
        if len(unknown):
            raise TableError(
                f"Column {target!r} has the class {str(unknown[0])!r}; the model knows "
                f"{', '.join(map(repr, self.estimator.classes_.tolist()))}."
            )
        features, notes = match_features(whole, self.estimator.columns_)
        for note in (*whole.notes, *notes.values()):
            logger.warning(note)
        is_seen = self._refuse_seen(whole, labels, allow_training_rows)
        return UnseenRows(whole, features, labels, TRAINING_ROWS if is_seen else HOLD_OUT)

    def overlap(self, table: Table, labels: Any) -> Overlap | None:
        """Return how many rows equal training rows, label included; None where it is not known."""
        prints = self.facts.prints
        return None if prints is None else prints.overlap(self.hashes(table, labels))

    def hashes(self, table: Table, labels: Any) -> Hashes:
        """Return a hash of each row: what the model takes of it, and a label."""
        names = self.estimator.columns_.names or ()
        return row_hashes(match_columns(table, names, self.estimator.columns_.levels), labels)

    def warn_of_seen(self, table: Table, *, refuse: bool) -> None:
        """Say, or refuse, that rows whose decisions are judged were training rows."""
        labels = np.array(self._classes_in(table, str(self.facts.target)), dtype=object)
        self._refuse_seen(table, labels, allowed=not refuse)

    def _classes_in(self, table: Table, target: str) -> list[str | None]:
        """Return the class of each row in the words of the model, None where it is not known."""
        classes = [str(label) for label in self.estimator.classes_]
        return as_classes(table, target, self.estimator.pos_label_, classes)[0].values()

    def _refuse_seen(self, table: Table, labels: Any, allowed: bool) -> bool:
        """Refuse training rows, or say that there are some; whether they are too many to judge."""
        found = self.overlap(table, labels.tolist())
        if found is None or not found.equal:
            return False
        sentence = (
            f"{found.equal:,} of the {found.compared:,} rows given equal rows that the model was "
            "trained on, label included"
        )
        if found.is_odd and not allowed:
            raise SeenRowsError(
                f"{sentence}: more than repeats explain, so they cannot judge it; give rows that "
                "had no part in the training, or allow_training_rows=True."
            )
        flatters = ", so that figures on them flatter it" if found.is_odd else ""
        logger.warning(f"{sentence}{flatters}.")
        return found.is_odd

    def test_conditions(
        self, table: Any, target: str | None = None, *, allow_training_rows: bool = False
    ) -> ConditionTable:
        """Return the conditions with evidence from rows that had no part in the training."""
        rows = self.read_unseen(table, target, allow_training_rows=allow_training_rows)
        return self.tested_on(rows)

    def tested_on(self, rows: UnseenRows) -> ConditionTable:
        """Return the conditions with evidence from rows that are read already."""
        columns = self.reader.columns_
        with without_warnings():
            matrix = columns.matrix(rows.features.X, "conditions")
        is_positive = rows.labels == str(self.estimator.pos_label_)
        return self.conditions.tested_on(matrix, columns.wide_names, is_positive, rows.evidence)

    # ------------------------------------------------------------------------------------ threshold

    def with_threshold(self, threshold: Any = None, **parameters: Any) -> "PlantModel":
        """Return the model with another threshold, judged without a new fit.

        Parameters
        ----------
        threshold : float or str
            A number in [0, 1], which is judged as it is and marked as fixed by the user; or the
            name of a rule, which chooses in each fold without the rows that judge it ("cost" where
            only costs are given).
        **parameters : float
            Of the rule: `beta`, `floor`, `per_1000`, `confidence`, `miss`, `false_alarm`, `price`,
            `cost_fp`, `cost_fn`. Costs of the training stay where none are given.
        """
        if row_cuts_of(self.estimator) is not None:
            raise ParameterError(
                "The model has a cut for each row, by its costs or its group, and no threshold "
                "that could be moved; train it again with another rule."
            )
        if threshold is None and {"cost_fp", "cost_fn"} <= set(parameters):
            threshold = "cost"
        if isinstance(threshold, str):
            return self._moved(*moved_by(self.facts, threshold, parameters, self._unseen))
        if parameters:
            raise ParameterError(f"{next(iter(parameters))} is for a rule, not for a number.")
        check_number("threshold", threshold, 0.0, 1.0)
        return self._moved(*moved_to(self.facts, float(threshold)))

    @property
    def _unseen(self) -> str:
        """How the models that scored the training rows came not to know them."""
        state = getattr(self.estimator, "threshold_state_", None)
        return OUT_OF_FOLD if state is None or len(self.facts.folds) == 1 else state.unseen

    def _moved(self, facts: Facts, threshold: float, alert: float | None) -> "PlantModel":
        estimator = copy(self.estimator)
        estimator.threshold_, estimator.threshold_alert_ = threshold, alert
        if hasattr(estimator, "promise_"):
            # What the model promises is in its facts: the estimator keeps its own rule.
            estimator.promise_ = estimator.confidence = None
        if self.is_imitated:
            return replace(self, estimator=estimator, facts=facts, summary=None)
        found = conditions_above(self.reader, self.conditions, threshold)
        return replace(
            self, estimator=estimator, reader=estimator, conditions=found, facts=facts, summary=None
        )

    # ----------------------------------------------------------------------------------------- file

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model with conditions, facts and report (where one was made) to a file."""
        write_plant(self._stored(), Path(path))

    def to_bytes(self) -> bytes:
        """Return the content of the file that `save` writes."""
        return plant_bytes(self._stored())

    def _stored(self) -> StoredPlant:
        return StoredPlant(self.estimator, self.reader, self.conditions, self.facts, self.summary)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "PlantModel":
        """Read a model from a file, or from the folder of `thresher train`.

        Files of 0.1.0 are read too; what they lack is "not recorded".
        """
        return cls(*read_plant(Path(path)))
