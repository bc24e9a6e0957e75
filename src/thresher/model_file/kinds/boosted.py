"""`BoostedTreesClassifier` as plain data with arrays, and back."""

from typing import Any

from thresher.blend.boosted import MAX_FOLDS, BoostedTreesClassifier
from thresher.blend.boosting import BoostedTrees
from thresher.blend.committee import Committee
from thresher.model_file.kinds.additive_trees import describe_trees, trees_from
from thresher.model_file.kinds.common import restore_estimator
from thresher.model_file.kinds.unseen import describe_unseen, restore_unseen
from thresher.model_file.record import Record, require


def describe_boosted(model: BoostedTreesClassifier) -> dict[str, Any]:
    """Return plain data with the arrays of all trees."""
    parts: Any = model.committee_.parts
    return {**describe_unseen(model), "parts": [describe_trees(part.trees) for part in parts]}


def restore_boosted(record: Record) -> BoostedTreesClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(BoostedTreesClassifier, record)
    parts = [trees_from(part, model.columns_) for part in record.records("parts")]
    require(1 < len(parts) <= MAX_FOLDS, "the committee has the wrong number of parts")
    are_sound = all(trees.slope is not None and not trees.in_float32 for trees in parts)
    require(are_sound, "the trees of the committee are not boosted ones")
    model.committee_ = Committee(tuple(BoostedTrees(trees) for trees in parts))
    restore_unseen(model, record)
    return model
