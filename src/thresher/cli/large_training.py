"""`thresher train` on Parquet files that are read batch by batch.

A tree is grown on the first files and judged on the last; then it is grown again on all.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from thresher.cli.model_store import TrainedModel
from thresher.cli.options import check_gates
from thresher.cli.parts import Request
from thresher.cli.plant_model import Outcome, make_facts, write_outcome
from thresher.condition.finding import conditions
from thresher.judging.recipe import LEAST_PARTS, MOST_LEAVES
from thresher.scale.local import fit_parquet
from thresher.scale.source import as_table, labels_of, open_source
from thresher.tables.errors import BadDataError, GateMissedError, quiet, said
from thresher.threshold.rules import RuleNotMetError
from thresher.threshold.score_counts import Scores, measures
from thresher.tree.classifier import ImbalancedTreeClassifier

HELD_OUT = 5
"""One file of so many is held out, the last ones."""


def train_large(request: Request) -> Outcome:
    """Train as asked, and write model and conditions."""
    request.recipe().checked_rule()
    _refuse_options(request)
    try:
        with quiet():
            return LargeTraining(request).outcome()
    except (ValueError, OSError) as error:
        raise BadDataError(str(error)) from None


def _refuse_options(request: Request) -> None:
    for option, is_given in (
        ("--model forest", request.model == "forest"),
        ("--group", request.group is not None),
        ("--stations", request.stations is not None),
    ):
        if is_given:
            raise click.UsageError(f"{option} needs the table in memory: add --no-stream.")
    if len(request.source.files) < 2:
        raise click.UsageError("--stream needs two Parquet files or more: the last ones judge.")


@dataclass(frozen=True)
class LargeTraining:
    """A training whose rows stay in their files."""

    request: Request

    @property
    def files(self) -> list[str]:
        """The files in the order given."""
        return list(self.request.source.files)

    @property
    def held_out(self) -> list[str]:
        """The last files, which judge."""
        return self.files[-max(1, len(self.files) // HELD_OUT) :]

    def outcome(self) -> Outcome:
        """Train, judge, train again, and write."""
        request, costs = self.request, self.request.recipe().costs
        positive, rows, positives = self._rare_class()
        words = f"the last {len(self.held_out)} of {len(self.files)} files held out"
        said(f"Training a tree on {rows:,} rows, {positives:,} of them {positive!r}; {words} ...")
        model = self._fit(self.files[: -len(self.held_out)], positive)
        choosing, judging = self._scores(model)
        threshold = self._threshold(choosing)
        found = measures(judging.counts_at(threshold), costs)
        check_gates(found, vars(request), f"; nothing was written to '{request.out}'")
        final = self._fit(self.files, positive, min(1.0, max(0.0, threshold)))
        final.threshold_ = threshold
        _call_classes_by_text(final)
        facts = make_facts(request, rows, positives, str(positive), words, None, found)
        cuts = choosing.cuts()
        reachable = judging.counts_at(cuts.best_threshold(cuts.counts.fbeta()))
        facts |= {
            "reachable_f1": float(reachable.fbeta()[0]),
            "threshold_interval": None,
            "scores": choosing.as_data(),
        }
        trained = TrainedModel(final, final, conditions(final, output="table"), facts)
        said(
            "The conditions are counted on the training rows, and there is no report: both need "
            "the table in memory."
        )
        return Outcome(trained, None, write_outcome(request, trained, None))

    def _labels(self, files: list[str], columns: list[str]) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Yield batches of some columns, each with its labels."""
        target = self.request.target
        with ExitStack() as stack:
            source = open_source(files, None, stack)
            if target not in source.schema.names:
                raise BadDataError(f"The files have no column {target!r}.")
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
        if self.request.positive is not None:
            by_text = {str(label): label for label in counts}
            if self.request.positive not in by_text:
                raise BadDataError(
                    f"--positive {self.request.positive!r} is not a class of the target: "
                    f"{sorted(by_text)}."
                )
            rare = by_text[self.request.positive]
        return rare, sum(counts.values()), counts[rare]

    def _fit(
        self, files: list[str], positive: Any, threshold: float = 0.5
    ) -> ImbalancedTreeClassifier:
        request = self.request
        return fit_parquet(
            files,
            request.target,
            ignore=[name for name in request.aside if name != request.target],
            verbose=True,
            max_leaf_nodes=MOST_LEAVES,
            min_samples_leaf=LEAST_PARTS,
            threshold=threshold,
            pos_label=positive,
            random_state=request.seed,
            n_jobs=request.jobs,
        )

    def _scores(self, model: ImbalancedTreeClassifier) -> tuple[Scores, Scores]:
        """Return scores of held-out rows: of every other one to choose by, of the rest to judge."""
        halves: tuple[list[Any], list[Any]] = ([], [])
        names = [str(name) for name in model.feature_names_in_]
        for batch, labels in self._labels(self.held_out, names):
            scores = model.predict_proba(as_table(batch, names))[:, model._positive]
            is_positive = labels == model.pos_label_
            for half in (0, 1):
                halves[half].append((scores[half::2], is_positive[half::2]))
        return tuple(_counted(half) for half in halves)  # type: ignore[return-value]

    def _threshold(self, scores: Scores) -> float:
        try:
            return self.request.recipe().checked_rule().choose(scores.cuts(), scores.share)
        except RuleNotMetError as error:
            raise GateMissedError(str(error)) from None


def _counted(parts: list[Any]) -> Scores:
    scores, is_positive = (np.concatenate(column) for column in zip(*parts, strict=True))
    if is_positive.all() or not is_positive.any():
        raise BadDataError(
            "The files held out, the last ones, have rows of one class only; give them in another "
            "order."
        )
    return Scores.of(scores, is_positive)


def _call_classes_by_text(model: ImbalancedTreeClassifier) -> None:
    """Name classes as commands do, by their texts."""
    positive = str(model.pos_label_)
    model.classes_ = np.array(sorted(str(label) for label in model.classes_))
    model._positive = model.classes_.tolist().index(positive)
    model.pos_label = positive
