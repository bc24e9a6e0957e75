"""How a classifier of another library was imitated, in figures and in words."""

from typing import NamedTuple

from thresher.threshold.imitated import ImitatedClassifier
from thresher.wording import percent
from thresher.wording import threshold as threshold_words

MODEL, IMITATION = REFITS = ("model", "imitation")
"""What is fitted again to test conditions."""


class Imitation(NamedTuple):
    """What the conditions of a classifier were read through.

    Attributes
    ----------
    model : the class of the classifier.
    threshold : above which it alerts.
    chosen : whether it came without a threshold, so that the best F1 on unseen scores chose it.
    max_leaf_nodes : most leaves of the tree.
    fidelity : share of rows on which the tree decides as the model does, cross-validated.
    agreement_f1 : F1 of the tree's alerts with the model's as the truth, cross-validated.
    refit : what was fitted again: the "model", the "imitation" alone, or None.
    """

    model: str
    threshold: float
    chosen: bool
    max_leaf_nodes: int
    fidelity: float
    agreement_f1: float
    refit: str | None

    @classmethod
    def of(cls, imitated: ImitatedClassifier, max_leaf_nodes: int, refit: str) -> "Imitation":
        """Describe the imitation of a classifier by trees of at most so many leaves."""
        fidelity = imitated.fidelity(max_leaf_nodes)
        return cls(
            imitated.name,
            float(imitated.threshold_),
            imitated.is_bare,
            max_leaf_nodes,
            fidelity.share,
            fidelity.f1,
            refit if imitated.can_be_fitted else None,
        )

    def __str__(self) -> str:
        why = "the best F1 on unseen scores" if self.chosen else "its own"
        return (
            f"Read through a tree of at most {self.max_leaf_nodes} leaves that decides as the "
            f"{self.model} does for {percent(self.fidelity)} of the rows (F1 of its alerts "
            f"{self.agreement_f1:.2f}, cross-validated), at the threshold "
            f"{threshold_words(self.threshold)}, {why}. {AGAIN[self.refit]}"
        )


AGAIN = {
    MODEL: "The model was fitted again to test the conditions.",
    IMITATION: "The model was fitted again on folds alone, its imitation on bootstrap samples.",
    None: "The model cannot be fitted again: only hold-out rows test the conditions.",
}
"""What was fitted again, in words."""
