"""A trained model with its judgement, its conditions, and what is known of its training."""

import logging
from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.action.finding import act_on
from thresher.action.smallest_change import KINDS, WhatIf, what_if
from thresher.action.table import ActionTable
from thresher.answers import answers
from thresher.column import Texts
from thresher.condition.counterparts import Counterparts
from thresher.condition.finding import Findings, find_conditions
from thresher.condition.firing import fired, with_reasons
from thresher.condition.table import HOLD_OUT, TRAINING_ROWS, ConditionTable
from thresher.errors import ModelFileError, ParameterError, TableError
from thresher.frames import is_frame
from thresher.judging.column_summary import NumbersSummary
from thresher.judging.contest import Money
from thresher.judging.drift import Drift, drift_sentences, find_drift
from thresher.judging.facts import Facts
from thresher.judging.judgement import Judgement, judged_at, judged_by
from thresher.judging.outside import Outside, find_outside, outside_notes, refuse_outside
from thresher.judging.row_prints import Hashes, row_hashes
from thresher.judging.verdict import (
    EVERYTHING,
    NOTHING,
    Setting,
    Verdict,
    make_verdict,
    shown_threshold,
)
from thresher.plant.prediction import (
    ADDED,
    ANSWER,
    Decided,
    Prediction,
    UnseenRows,
    cut_words,
    cuts_in,
    reason_columns,
    row_costs_of,
    row_cuts_of,
)
from thresher.plant.quiet import without_warnings
from thresher.plant.report import Report, checked, model_html, summarize_training, summarize_unseen
from thresher.plant.store import StoredPlant, plant_bytes, read_plant, write_plant
from thresher.tables.features import match_columns, match_features
from thresher.tables.frame import frame_of, frame_with
from thresher.tables.plan import Plan, TrainingRange
from thresher.tables.planning import NOBODY
from thresher.tables.source import read_table, source_of
from thresher.tables.table import Column, Table, texts_of
from thresher.tables.target import as_classes, read_labels, typed_labels, with_target
from thresher.tables.times import read_times
from thresher.threshold.counts import Answered, Costs, Counts
from thresher.threshold.promise import OUT_OF_FOLD
from thresher.threshold.rules import RULE_PARAMETERS, choose_pair
from thresher.threshold.unseen import positive_scores
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import check_integer, check_number

if TYPE_CHECKING:
    from thresher.plant.training import Origin
    from thresher.plant.watch import Watch

logger = logging.getLogger("thresher.plant")
Names = str | Collection[str] | None
NO_SCORES = "The model has no scores to choose a threshold on; train it again."


@dataclass(frozen=True, eq=False)
class PlantModel:
    """What `thresher.train` returns and `thresher train` writes.

    Attributes
    ----------
    estimator : a tree, a forest or boosted trees, with its threshold.
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
    origin: "Origin | None" = None

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
                "thresher.train."
            )
        return self.facts.judgement

    @property
    def is_imitated(self) -> bool:
        """Whether conditions are read from a tree that imitates the estimator."""
        return not isinstance(self.estimator, ImbalancedTreeClassifier)

    def conditions_as(self, form: str) -> str:
        """Return the conditions as "text", "csv", "json" or "sql"."""
        return str(getattr(self.conditions, f"to_{form}")())

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the model is of use, in a few sentences."""
        facts = self.facts
        return make_verdict(
            self.judgement, facts.folds, self.setting, self.conditions, facts.class_name
        )

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
        leaks = tuple(finding.sentence for finding in facts.leaks)
        return Setting(
            threshold, rule, interval, self.alerts_on, *words, self.threshold_alert, leaks
        )

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

        The marks of numbers are those of the table itself; where it does not tell, those with which
        numbers lie in the ranges of the training.

        A model without a plan, such as an estimator that was saved by itself, has learnt numbers
        such as -9999 as they are.
        """
        if isinstance(table, Table):
            return table
        if self.facts.plan is None and not is_frame(table):
            source = source_of(table)
            table = replace(source, missing=source.missing or (NOBODY,))
        missing = (NOBODY,) if self.facts.plan is None else None
        plan = replace(self.facts.plan or Plan({}), ranges=self._ranges)
        return read_table(table, texts=texts, plan=plan, missing=missing)

    @cached_property
    def _ranges(self) -> dict[str, TrainingRange]:
        """The ranges of columns of numbers in training, as far as the model remembers them."""
        names, summaries = self.estimator.columns_.names or (), self.facts.columns or ()
        ranges = {
            name: known.range
            for name, known in zip(names, summaries, strict=False)
            if isinstance(known, NumbersSummary)
        }
        return {name: one for name, one in ranges.items() if one is not None}

    def _matched(self, table: Table) -> list[tuple[str, Column]]:
        """Return the columns of a table that the model takes, in its order."""
        known = self.estimator.columns_
        return match_columns(table, known.names or (), known.levels)

    def predict_table(self, table: Any, *, reasons: int = 0, allow_drift: bool = False) -> Any:
        """Return a table with the columns probability, decision and condition added.

        Of an alert that meets no condition, as some of a forest do, the column condition has the
        reasons. A model that refers rows adds the column answer: "alert", "pass" or "refer".

        Parameters
        ----------
        table : data frame, path, or anything that `thresher.tables.read_table` takes
            Columns are matched by name; further ones are kept.
        reasons : int, default=0
            Also adds reason_1, reason_2, ...: what adds most to the score of a row, or takes most
            off it, in words.
        allow_drift : bool, default=False
            Decide even if a column lies outside the training range.

        Returns
        -------
        data frame
            `table` itself with the columns added, or one of pandas. Decisions are numbers or truth
            values where the classes are.

        Raises
        ------
        OutsideRangeError
            A TableError: a column has ten or more values, and all of them are beyond its training
            range by more than a tenth of it (of the value, where training had only one).

        Notes
        -----
        Columns that are not as they were in training are told as warnings of the logger
        "thresher.plant"; `find_drift` returns them. Some values outside the training range are an
        information of this logger.
        """
        whole = self.read(table)
        found, notes, drift, outside = self.predict_columns(whole, reasons, allow_drift=allow_drift)
        for note in (*whole.notes, *notes, *drift_sentences(drift)):
            logger.warning(note)
        for note in outside_notes(outside, {one.column for one in drift}):
            logger.info(note)
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
        levels = self.estimator.columns_.levels
        return find_drift(self._matched(table), levels, self.facts.columns)

    def find_outside(self, table: Table, *, allow_drift: bool = False) -> list[Outside]:
        """Return the columns of a table, once read, with values outside the training range.

        Unless drift is allowed, a table is refused in which all values of a column, ten or more,
        are far outside. A model that does not know its training finds none.
        """
        found = find_outside(self._matched(table), self._ranges)
        if not allow_drift:
            refuse_outside(found, table)
        return found

    def decided(self, table: Table, *, allow_drift: bool = False) -> Decided:
        """Return what the model takes of a table, and what it decides about each row."""
        features, notes = match_features(table, self.estimator.columns_)
        outside = self.find_outside(table, allow_drift=allow_drift)
        with without_warnings():
            probability = positive_scores(self.estimator, features.X, self.place)
        return Decided(features, notes, probability, cuts_in(self.estimator, table), outside)

    def predict_columns(
        self, table: Table, reasons: int = 0, *, allow_drift: bool = False
    ) -> Prediction:
        """Return the columns that are added to a table, and what a user should know."""
        check_integer("reasons", reasons, low=0)
        estimator, names = self.estimator, self.added(reasons)
        taken = [name for name in names if name in table.columns]
        if taken:
            raise TableError(f"{table.source} has a column {taken[0]!r} already; rename it.")
        decided = self.decided(table, allow_drift=allow_drift)
        features, is_alert = decided.features, decided.is_alert
        with without_warnings():
            texts = fired(self.conditions, self.reader.apply(features.X), is_alert)
            texts = with_reasons(texts, estimator, features.X, is_alert)
            of_reasons = reason_columns(estimator, features.X, int(reasons))
        negative, positive = (str(estimator.classes_[one]) for one in (1 - self.place, self.place))
        decision = Texts.of(positive if alert else negative for alert in is_alert.tolist())
        columns: list[Column] = [decided.probability, decision, Texts.of(texts)]
        if ANSWER in names:
            answer = answers(decided.probability, decided.cuts, estimator.threshold_alert_)
            columns.append(Texts.of(answer.tolist()))
        columns += of_reasons
        drift = self._drift(table)
        named = {one.column for one in drift if one.kind == "levels"}
        others = [note for name, note in decided.notes.items() if name not in named]
        return Prediction(dict(zip(names, columns, strict=True)), others, drift, decided.outside)

    def added(self, reasons: int = 0) -> tuple[str, ...]:
        """Return the columns that a prediction adds, with so many reasons."""
        answer = () if self.estimator.threshold_alert_ is None else (ANSWER,)
        return *ADDED, *answer, *(f"reason_{number}" for number in range(1, reasons + 1))

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
        self, table: Any, target: str | None = None, time: str | None = None
    ) -> UnseenRows:
        """Read a table whose target is known; a warning says if its rows were training rows."""
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
        is_seen = self.warn_of_training_rows(whole, target)
        return UnseenRows(whole, features, labels, TRAINING_ROWS if is_seen else HOLD_OUT)

    def hashes(self, table: Table, labels: Any) -> Hashes:
        """Return a hash of each row: what the model takes of it, and a label."""
        return row_hashes(self._matched(table), labels)

    def warn_of_training_rows(self, table: Table, target: str | None = None) -> bool:
        """Say that rows to judge the model by were used for its training; return whether some."""
        target = target or self.facts.target
        if self.facts.prints is None or target is None or target not in table.columns:
            return False
        labels = self._classes_in(table, target)
        found = self.facts.prints.overlap(self.hashes(table, labels))
        if found.is_odd:
            is_whole = found.equal == found.compared and table.kind is None
            logger.warning(
                f"{found.words(self.facts.rows or 0)} were used for training; these figures are "
                "too high. Evaluate rows that are not in "
                f"{table.source if is_whole else 'the training table'}."
            )
        return found.is_odd

    def _classes_in(self, table: Table, target: str) -> list[str | None]:
        """Return the class of each row in the words of the model, None where it is not known."""
        classes = [str(label) for label in self.estimator.classes_]
        return as_classes(table, target, self.estimator.pos_label_, classes)[0].values()

    def test_conditions(self, table: Any, target: str | None = None) -> ConditionTable:
        """Return the conditions with evidence from rows that had no part in the training."""
        return self.tested_on(self.read_unseen(table, target))

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
            return self._chosen_by(threshold, parameters)
        if parameters:
            raise ParameterError(f"{next(iter(parameters))} is for a rule, not for a number.")
        check_number("threshold", threshold, 0.0, 1.0)
        facts, value = self.facts, float(threshold)
        if not facts.folds:
            raise TableError(NO_SCORES)
        never = None if facts.judgement is None else facts.judgement.never_judged
        like = {"never_judged": never, "costs": facts.recipe.costs}
        judgement = judged_at(facts.folds, value, facts.held_out, **like)
        facts = replace(facts, judgement=judgement, threshold_interval=None, promise=None)
        return self._moved(facts, value)

    def _chosen_by(self, name: str, parameters: dict[str, Any]) -> "PlantModel":
        """Let a rule choose again, in each fold without the rows that judge it."""
        facts = self.facts
        costs = {one: getattr(facts.recipe, one) for one in ("cost_fp", "cost_fn")}
        given = {**dict.fromkeys(RULE_PARAMETERS), **costs, "beta": 1.0}
        recipe = replace(facts.recipe, rule=name, **(given | parameters))
        recipe.check()
        rule = recipe.make_rule()
        if not facts.folds or facts.scores is None or facts.share is None:
            raise TableError(NO_SCORES)
        value, alert = choose_pair(rule, facts.scores.cuts(), facts.share)
        # How the models that scored the training rows came not to know them.
        state = getattr(self.estimator, "threshold_state_", None)
        unseen = OUT_OF_FOLD if state is None or len(facts.folds) == 1 else state.unseen
        promise = recipe.promise(facts.scores, value, unseen)
        folds = tuple(fold.by_rule(rule) for fold in facts.folds)
        never = None if facts.judgement is None else facts.judgement.never_judged
        like = {"never_judged": never, "costs": recipe.costs, "price": recipe.price}
        judgement = judged_by(folds, facts.held_out, **like)
        facts = replace(facts, recipe=recipe, folds=folds, judgement=judgement)
        facts = replace(facts, threshold_interval=None, promise=promise)
        return self._moved(facts, value, alert)

    def _moved(self, facts: Facts, threshold: float, alert: float | None = None) -> "PlantModel":
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

    # -------------------------------------------------------------------------------- what it shows

    def report(
        self,
        table: Any = None,
        *,
        target: str | None = None,
        time: str | None = None,
        costs: Costs | None = None,
        watch: "Watch | None" = None,
        allow_drift: bool = False,
    ) -> Report:
        """Return the report of the training, or of how the model does on a table of other rows.

        Parameters
        ----------
        table : data frame or path, default=None
            Rows that had no part in the training.
        target, time : names of columns, default=None
            Of `table`.
        costs : Costs, default=None
            Those of the training by default.
        watch : Watch, default=None
            A watch over the model, shown in a section of its own.
        allow_drift : bool, default=False
            Decide even if a column of `table` lies outside the training range.
        """
        if table is None:
            page = self._own_report()
        else:
            rows = self.read_unseen(table, target, time)
            for note in outside_notes(self.find_outside(rows.table, allow_drift=allow_drift)):
                logger.info(note)
            times = None if time is None else read_times(rows.table, time)
            with without_warnings():
                page = Report(summarize_unseen(self, rows, times, costs))
        return page if watch is None else page.with_watch(watch.section_for(self))

    def _own_report(self) -> Report:
        """Return the report of the training."""
        if self.summary is None:
            if self.origin is None:
                raise ValueError(
                    "There is no report for this model and its threshold, and its training table "
                    "is not at hand; give rows that it has not seen: report(table)."
                )
            with without_warnings():
                made = summarize_training(self, self.origin)
            object.__setattr__(self, "summary", made)
        assert self.summary is not None
        page = Report(self.summary)
        return checked(page) if self.origin is None else page

    # ----------------------------------------------------------------------------- what may be done

    def actions(
        self,
        table: Any = None,
        *,
        settings: Names = None,
        limits: Mapping[str, Any] | None = None,
        costs: Any = None,
        target: str | None = None,
    ) -> ActionTable:
        """Return for each condition which setting to hold where, and what that would bring.

        Parameters
        ----------
        table : data frame or path, default=None
            Rows that had no part in the training. Without it those of the training, where it is at
            hand, and models without each fold.
        settings : names of columns, default=None
            What somebody can set; as given to `train` by default.
        limits, costs : default=None
            As in `thresher.actions`; costs are those of the training by default.
        target : str, default=None
            Column of `table`.

        Returns
        -------
        ActionTable
            Associations in past rows, not proofs of cause.
        """
        if table is None:
            found = self._found_in_training()
        else:
            found = self._found_in(self.read_unseen(table, target))
        money = self.facts.recipe.costs if costs is None else costs
        names = self._settings(settings)
        assert found.seen is not None
        rows = found.columns, found.seen, found.unseen
        try:
            return act_on(found.table, *rows, settings=names, limits=limits, costs=money)
        except ValueError as error:
            raise ParameterError(str(error)) from None

    def what_if(
        self,
        row: Any,
        *,
        settings: Names = None,
        limits: Mapping[str, Any] | None = None,
        scales: Mapping[str, float] | None = None,
        X: Any = None,
        max_boxes: int = 20_000,
    ) -> WhatIf:
        """Return the smallest change of settings with which the model would pass a part.

        Parameters
        ----------
        row : data frame of one row, or a path
        settings : names of columns, default=None
            What may be changed; as given to `train` by default.
        limits, scales, X, max_boxes
            As in `thresher.what_if`. Without X the scales are about the standard deviations
            of the training.
        """
        names = self._settings(settings)
        if X is None:
            scales = {**self._usual_scales(names), **(scales or {})}
        part, rows = (
            None if one is None else match_features(self.read(one), self.estimator.columns_)[0].X
            for one in (row, X)
        )
        if not isinstance(getattr(self.estimator, "estimator_", self.estimator), KINDS):
            raise ParameterError(
                "what_if follows trees and forests, and this model is another; train with "
                "model='tree' or model='forest'."
            )
        try:
            with without_warnings():
                return what_if(
                    self.estimator,
                    part,
                    settings=names,
                    limits=limits,
                    scales=scales,
                    X=rows,
                    max_boxes=max_boxes,
                )
        except ValueError as error:
            raise ParameterError(str(error)) from None

    def _settings(self, given: Names) -> str | Collection[str]:
        if given is None and not self.facts.settings:
            raise ParameterError(
                "The model does not know which columns can be set; name them with settings=."
            )
        return self.facts.settings if given is None else given

    def _usual_scales(self, settings: str | Collection[str]) -> dict[str, float]:
        """Return how far the settings went in training, as far as the model remembers it."""
        names = [settings] if isinstance(settings, str) else settings
        columns = self.estimator.columns_.names or ()
        known = dict(zip(columns, self.facts.columns or (), strict=False))
        found = {name: known[name] for name in names if name in known}
        return {
            name: one.deviation
            for name, one in found.items()
            if isinstance(one, NumbersSummary) and one.deviation > 0.0
        }

    def _found_in_training(self) -> Findings:
        """Return the conditions with the rows that spoke for them in training."""
        found = None if self.origin is None else self.origin.found
        if found is None or found.table.conditions is not self.conditions.conditions:
            raise ParameterError(
                "The rows behind the conditions of this model are not at hand; give rows that it "
                "has not seen with table=."
            )
        return found._replace(table=self.conditions)

    def _found_in(self, rows: UnseenRows) -> Findings:
        """Return the conditions as unseen rows tell of them."""
        columns = self.reader.columns_
        with without_warnings():
            matrix = columns.matrix(rows.features.X, "actions")
        is_positive = rows.labels == str(self.estimator.pos_label_)
        shown = dict(enumerate(self.conditions.conditions))
        standing = Counterparts(shown, matrix, columns.wide_names, is_positive)
        return Findings(self.tested_on(rows), columns, standing, [standing])

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
        """Read a model from a file, or from the folder of `thresher train`."""
        return cls(*read_plant(Path(path)))


def conditions_above(
    reader: ImbalancedTreeClassifier, kept: ConditionTable, threshold: float
) -> ConditionTable:
    """Keep the conditions that still raise alerts; new ones are worded as the tree has them."""
    moved = copy(reader)
    moved.threshold_ = threshold
    is_alert = moved.tree_.probability > threshold
    known = kept.place_of_leaf
    stays = {place for leaf, place in known.items() if is_alert[leaf]}
    table: ConditionTable = find_conditions(moved, output="table")
    named = {leaf for leaf, place in known.items() if place in stays}
    new = [place for leaf, place in table.place_of_leaf.items() if leaf not in named]
    return kept.take(sorted(stays)).joined(table.take(new))
