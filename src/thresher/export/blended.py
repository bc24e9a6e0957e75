"""Blends and boosted committees as means of scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.blend.boosted import BoostedTreesClassifier
from thresher.blend.classifier import ImbalancedBlendClassifier
from thresher.blend.committee import Committee
from thresher.blend.logistic_line import LogisticLine
from thresher.blend.members import Member
from thresher.export.added_trees import AddedTrees
from thresher.export.scoring import FilledLine, Logistic, LogOdds, Mean, Part, Scaled, Score
from thresher.threshold.platt import NEAREST


def boosted_score(model: BoostedTreesClassifier) -> Mean:
    """Return the mean of the parts of a committee."""
    committee: Any = model.committee_
    found = [AddedTrees(part.trees, model.columns_) for part in committee.parts]
    return Mean(tuple(Part(one.trees(False), one.steps(False)) for one in found))


def blended_score(model: ImbalancedBlendClassifier, forests: Mapping[str, Score]) -> Mean:
    """Return the mean log-odds of the members; raise where one of them cannot be written.

    Parameters
    ----------
    model : the fitted blend.
    forests : the scores of its forests by the names of the members.
    """
    names = [name for name in model.members_ if name != "svm"]
    if "svm" in model.members_:
        raise TypeError(
            "A blend with the member 'svm' cannot be exported, for it needs its training rows; fit "
            f"it with members={tuple(names) or ('forest',)!r}."
        )
    return Mean(tuple(_part(member, forests) for member in model.blended_))


def _part(member: Member, forests: Mapping[str, Score]) -> Part:
    return Part(_score(member, forests), (LogOdds(NEAREST), Scaled(*member.curve)))


def _score(member: Member, forests: Mapping[str, Score]) -> Score:
    model: Any = member.model
    if member.name in forests:
        return forests[member.name]
    if isinstance(model, BoostedTreesClassifier):
        return boosted_score(model)
    return _lines(model)


def _lines(committee: Committee) -> Mean:
    parts: Any = committee.parts
    return Mean(tuple(Part(_filled(line), (Logistic(),)) for line in parts))


def _filled(line: LogisticLine) -> FilledLine:
    preparation = line.preparation
    places = np.flatnonzero(preparation.n_levels == 0)
    begin, level_slopes = len(places), {}
    for place in np.flatnonzero(preparation.n_levels).tolist():
        end = begin + int(preparation.n_levels[place])
        level_slopes[place] = line.slopes[begin:end]
        begin = end
    return FilledLine(
        tuple(places.tolist()),
        preparation.median,
        preparation.mean,
        preparation.scale,
        line.slopes[: len(places)],
        level_slopes,
        line.intercept,
    )
