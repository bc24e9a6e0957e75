"""Who decides about the rows that a tree refers, where an export joins both."""

from dataclasses import replace
from typing import Any

from thresher.answers import REFER
from thresher.export.scoring import Scoring
from thresher.export.scoring_of import read_scoring
from thresher.export.verification import VerifiedRows
from thresher.validation import check_choice


def model_asked(model: Any, refer: Any) -> Any:
    """Return the model that decides about referred rows; raise where there is none."""
    if getattr(model, "threshold_alert_", None) is None:
        raise ValueError(
            "refer is for a model that refers rows; this one has no threshold_alert_. "
            "to_tree(..., refer=0.1) makes a tree that does."
        )
    if not isinstance(refer, str):
        return refer
    check_choice("refer", refer, ("model",))
    if not hasattr(model, "referred_to_"):
        raise ValueError(
            "refer='model' needs the model that this one imitates, which files and pickles leave "
            "behind; give the model itself: refer=forest."
        )
    return model.referred_to_


def scoring_asked(scoring: Scoring, asked: Any) -> Scoring:
    """Return how the model scores that decides about referred rows, on the same columns."""
    found = read_scoring(asked)
    if found.columns != scoring.columns or found.zero_is_missing:
        raise ValueError("The model of refer reads other columns than the tree that refers rows.")
    if found.classes[found.positive] != scoring.classes[scoring.positive]:
        raise ValueError(
            f"The model of refer finds {found.classes[found.positive]!r}, the tree that refers "
            f"rows {scoring.classes[scoring.positive]!r}."
        )
    if found.cut is not None:
        raise ValueError("The model of refer has cuts for groups or costs of rows; take one cut.")
    return found


def with_referred(rows: VerifiedRows, asked: Any, X: Any) -> VerifiedRows:
    """Return verified rows whose labels are those of another model where they are referred."""
    assert rows.answers is not None
    pairs = zip(rows.labels, asked.predict(X).tolist(), rows.answers, strict=True)
    labels = [theirs if answer == REFER else own for own, theirs, answer in pairs]
    return replace(rows, labels=labels)
