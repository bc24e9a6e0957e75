"""Facts as version 0.1.0 wrote them: counts of one judgement, scores, and a few choices."""

from typing import Any

import numpy as np

from thresher.judging.facts import (
    NOT_RECORDED,
    Facts,
    optional_number,
    optional_pair,
    optional_text,
    read_counts,
    read_recipe,
    read_size,
    read_stations,
    require_scores,
)
from thresher.judging.judgement import Judgement
from thresher.judging.recipe import Recipe
from thresher.judging.verdict import Terms
from thresher.model_file.record import Record, require
from thresher.threshold.score_counts import ScoreCounts


def facts_of_version_1(record: Record, estimator: Any) -> Facts:
    """Return what a file of 0.1.0 tells; the rest is not recorded."""
    usual, (rows, positives) = Terms(), read_size(record)
    recipe = read_recipe(record.record("recipe")) if record.has("recipe") else Recipe()
    return Facts(
        target=optional_text(record, "target"),
        positive=str(estimator.pos_label_),
        rows=rows,
        positives=positives,
        terms=Terms(
            optional_text(record, "unit") or usual.unit,
            optional_text(record, "event") or usual.event,
        ),
        recipe=recipe,
        held_out=optional_text(record, "held_out") or NOT_RECORDED,
        judgement=_judgement(record, recipe),
        scores=_scores(record.record("scores")) if record.has("scores") else None,
        threshold_interval=optional_pair(record, "threshold_interval"),
        reachable_f1=optional_number(record, "reachable_f1"),
        stations=read_stations(record),
        library=optional_text(record, "thresher") or NOT_RECORDED,
    )


def _judgement(record: Record, recipe: Recipe) -> Judgement | None:
    if not record.has("judged"):
        return None
    judged = record.record("judged")
    how = optional_text(record, "held_out") or NOT_RECORDED
    return Judgement.of(read_counts(judged), how, never_judged=None, costs=recipe.costs)


def _scores(record: Record) -> ScoreCounts:
    score, negative, positive = (
        np.array([_number(value) for value in record.items(name)], dtype=np.float64)
        for name in ("score", "negative", "positive")
    )
    are_alike = len(score) == len(negative) == len(positive)
    require(are_alike, f"{record.place} are no scores")
    found = ScoreCounts(score, score, negative, positive)
    require_scores(found, record.place)
    are_both = min(negative.sum(), positive.sum()) > 0
    require(are_both, "the model has no scores to choose a threshold on")
    return found


def _number(value: Any) -> float:
    return Record({"score": value}, "scores").number("score")
