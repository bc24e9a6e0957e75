"""Training on Parquet files that are read batch by batch.

A tree is grown on the first files and judged on the last; then it is grown again on all.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.finding import conditions
from thresher.errors import ParameterError, TableError
from thresher.judging.facts import Competitor, Facts
from thresher.judging.judgement import Fold, judged_by
from thresher.judging.recipe import Recipe
from thresher.judging.verdict import terms_of
from thresher.plant.model import PlantModel
from thresher.plant.quiet import without_warnings
from thresher.plant.training import check_gates
from thresher.plant.training_table import Roles
from thresher.scale.arrow_source import as_table, labels_of, open_source
from thresher.scale.local import fit_parquet
from thresher.tables.features import Features
from thresher.threshold.score_counts import ScoreCounts
from thresher.tree.classifier import ImbalancedTreeClassifier

FILES_FOR_ONE = 5
"""One file of so many is held out, the last ones."""

logger = logging.getLogger("thresher.plant")


def train_files(
    files: Sequence[str],
    roles: Roles,
    recipe: Recipe,
    *,
    unit: str | None = None,
    event: str | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
) -> PlantModel:
    """Train a tree on Parquet files that need not fit into memory.

    The threshold is chosen on every other row of the last files and judged on those between, and
    the other way round. Conditions have training counts only, and there is no report: both need the
    table in memory.
    """
    recipe.check()
    _refuse(recipe, roles, files)
    streaming = Streaming(list(files), roles, recipe)
    try:
        with without_warnings():
            return streaming.train(unit, event, min_precision, min_recall)
    except OSError as error:
        raise TableError(str(error)) from None


def _refuse(recipe: Recipe, roles: Roles, files: Sequence[str]) -> None:
    for parameter, is_given in (
        ("model='forest'", recipe.model == "forest"),
        ("group=", roles.group is not None),
        ("stations=", roles.stations is not None),
    ):
        if is_given:
            raise ParameterError(f"{parameter} needs the table in memory: add stream=False.")
    if len(files) < 2:
        raise ParameterError("stream=True needs two Parquet files or more: the last ones judge.")


@dataclass(frozen=True)
class Streaming:
    """A training whose rows stay in their files."""

    files: list[str]
    roles: Roles
    recipe: Recipe

    @property
    def held_out(self) -> list[str]:
        """The last files, which judge."""
        return self.files[-max(1, len(self.files) // FILES_FOR_ONE) :]

    def train(
        self,
        unit: str | None,
        event: str | None,
        min_precision: float | None,
        min_recall: float | None,
    ) -> PlantModel:
        """Train, judge, and train again on all files."""
        positive, rows, positives = self._rare_class()
        words = f"the last {len(self.held_out)} of {len(self.files)} files held out"
        logger.info(
            f"Training a tree on {rows:,} rows, {positives:,} of them {positive!r}; {words}"
        )
        halves = self._scores(self._fit(self.files[: -len(self.held_out)], positive))
        folds, name = self._folds(halves), self._candidate(positive).name
        how, costs = f"{words}, threshold and judgement on rows in turn", self.recipe.costs
        never = rows - int(sum(half.negative.sum() + half.positive.sum() for half in halves))
        judgement = judged_by(folds, how, never_judged=never, costs=costs)
        check_gates(judgement, min_precision, min_recall)
        scores = ScoreCounts.joined(halves)
        threshold = self.recipe.make_rule().choose(scores.cuts(), scores.share)
        final = self._fit(self.files, positive)
        final.threshold_ = threshold
        # Tables of texts call classes by their texts.
        final.rename_classes({label: str(label) for label in final.classes_})
        final.pos_label = str(final.pos_label_)
        value = self.recipe.value(scores.counts_at(threshold))
        from thresher import __version__

        facts = Facts(
            target=self.roles.target,
            positive=str(positive),
            rows=rows,
            positives=positives,
            terms=terms_of(unit, event, self.roles.target, str(positive)),
            recipe=self.recipe,
            held_out=words,
            judgement=judgement,
            folds=tuple(folds),
            scores=scores,
            reachable_f1=judged_by(folds, how).f1,
            candidates=(Competitor(name, value, threshold, True, self.recipe.measure),),
            library=__version__,
        )
        found = conditions(final, output="table")
        logger.info(
            "The conditions are counted on the training rows, and there is no report: both need "
            "the table in memory."
        )
        return PlantModel(final, final, found, facts)

    def _labels(self, files: list[str], columns: list[str]) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Yield batches of some columns, each with its labels."""
        target = self.roles.target
        with ExitStack() as stack:
            source = open_source(files, None, stack)
            if target not in source.schema.names:
                raise TableError(f"The files have no column {target!r}.")
            for batch in source.batches([*columns, target]):
                yield batch, labels_of(batch.column(target), target)

    def _rare_class(self) -> tuple[Any, int, int]:
        """Return the class to find, the number of rows, and how many of them are of this class."""
        counts: dict[Any, int] = {}
        for _, labels in self._labels(self.files, []):
            found = np.unique(labels, return_counts=True)
            for label, count in zip(*(part.tolist() for part in found), strict=True):
                counts[label] = counts.get(label, 0) + count
        rare = min(sorted(counts, reverse=True), key=lambda label: counts[label])
        if self.roles.positive is not None:
            by_text = {str(label): label for label in counts}
            if str(self.roles.positive) not in by_text:
                raise TableError(
                    f"positive={self.roles.positive!r} is not a class of the target: "
                    f"{sorted(by_text)}."
                )
            rare = by_text[str(self.roles.positive)]
        return rare, sum(counts.values()), counts[rare]

    def _candidate(self, positive: Any) -> Any:
        """Return the first tree of the recipe: files are read too often to let several compete."""
        return self.recipe.candidates(Features(None, (), "from_dtype"), positive)[0]

    def _fit(self, files: list[str], positive: Any) -> ImbalancedTreeClassifier:
        parameters = self._candidate(positive).estimator.get_params()
        parameters = {
            name: value
            for name, value in parameters.items()
            if name not in ("max_bins", "categorical_features", "pruning_fraction")
        }
        target = self.roles.target
        ignore = [name for name in self.roles.not_learnt if name != target]
        return fit_parquet(files, target, ignore=ignore, verbose=True, **parameters)

    def _scores(self, model: ImbalancedTreeClassifier) -> list[ScoreCounts]:
        """Return scores of held-out rows: of every other one, and of those between."""
        halves: tuple[list[Any], list[Any]] = ([], [])
        names = [str(name) for name in model.feature_names_in_]
        positive = int(np.flatnonzero(model.classes_ == model.pos_label_)[0])
        for batch, labels in self._labels(self.held_out, names):
            scores = model.predict_proba(as_table(batch, names))[:, positive]
            is_positive = labels == model.pos_label_
            for half in (0, 1):
                halves[half].append((scores[half::2], is_positive[half::2]))
        return [_counted(half) for half in halves]

    def _folds(self, halves: list[ScoreCounts]) -> list[Fold]:
        rule, name = self.recipe.make_rule(), "tree"
        return [
            Fold(rule.choose(inner.cuts(), inner.share), name, inner, outer, inner.share)
            for inner, outer in (halves, halves[::-1])
        ]


def _counted(parts: list[Any]) -> ScoreCounts:
    scores, is_positive = (np.concatenate(column) for column in zip(*parts, strict=True))
    if is_positive.all() or not is_positive.any():
        raise TableError(
            "The files held out, the last ones, have rows of one class only; give them in another "
            "order."
        )
    return ScoreCounts.of(scores, is_positive)
