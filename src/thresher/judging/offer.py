"""A tree that refers rows, offered beside a model that people cannot read."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from thresher.answers import ALERT, REFER
from thresher.model_file.record import Record, require
from thresher.statistics import wilson
from thresher.wording import counted, percent

LEAVES, SHARE = 32, 0.1
"""Most leaves of the tree, and the largest share that it may refer."""


class Offered(NamedTuple):
    """What trees did to rows that neither they nor the models had seen, by counts of rows.

    Attributes
    ----------
    rows, referred : all rows, and those that were referred.
    alike : rows that were decided, as the model decides them.
    found, alerts : positives among the alerts, and alerts, where the model decides about the rest.
    model_found, model_alerts : the same of the model alone.
    positives : among the rows.
    folds : that these rows were judged in; 0 where a file does not tell.
    """

    rows: int
    referred: int
    alike: int
    found: int
    alerts: int
    model_found: int
    model_alerts: int
    positives: int
    folds: int = 1

    @classmethod
    def of(
        cls, model: Any, X: Any, is_alert: NDArray[np.bool_], is_positive: NDArray[np.bool_]
    ) -> Self:
        """Let the tree of a fitted model answer about rows that the model decides as given."""
        answers = offered_tree(model).decide(X)
        is_referred = answers == REFER
        decided = np.where(is_referred, is_alert, answers == ALERT)
        flags = (
            *(is_referred, ~is_referred & (decided == is_alert), decided & is_positive, decided),
            *(is_alert & is_positive, is_alert, is_positive),
        )
        return cls(len(is_alert), *(int(one.sum()) for one in flags))

    def __add__(self, other: Any) -> "Offered":
        return Offered(*(one + more for one, more in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Offer:
    """What a tree that refers rows is worth beside the model that it imitates.

    Attributes
    ----------
    questions : of the tree.
    counts : what such trees did to the rows that judge the model.
    """

    questions: int
    counts: Offered

    @property
    def f1(self) -> float:
        """F1 where the model decides about referred rows."""
        return _f1(self.counts.found, self.counts.alerts, self.counts.positives)

    @property
    def model_f1(self) -> float:
        """F1 of the model alone, on the same rows."""
        return _f1(self.counts.model_found, self.counts.model_alerts, self.counts.positives)

    def words(self, unit: str) -> str:
        """Say what the tree decides, what it refers, and what both reach together.

        >>> offer = Offer(12, Offered(1000, 70, 920, 40, 50, 42, 50, 60, 4))
        >>> print(offer.words("parts").replace(chr(160), " "))
        For one page: a tree of 12 questions decides 92.0 % of unseen parts as the model does, \
refers 7.0 % (5.6 % to 8.8 %) to it and decides 1.0 % otherwise: F1 72.7 % together, 76.4 % where \
the model decides alone, on the 1,000 parts of the 4 folds whose model people cannot read.
        """
        counts = self.counts
        low, high = wilson(counts.referred, counts.rows)
        other = counts.rows - counts.referred - counts.alike
        alike, referred, otherwise = (
            percent(one / counts.rows) for one in (counts.alike, counts.referred, other)
        )
        folds = counted(counts.folds, "folds") if counts.folds else "folds"
        return (
            f"For one page: a tree of {self.questions} questions decides {alike} of unseen {unit} "
            f"as the model does, refers {referred} ({percent(float(low))} to "
            f"{percent(float(high))}) to it and decides {otherwise} otherwise: F1 "
            f"{percent(self.f1)} together, {percent(self.model_f1)} where the model decides alone, "
            f"on the {counted(counts.rows, unit)} of the {folds} whose model people cannot read."
        )

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {"questions": self.questions, **self.counts._asdict()}

    @classmethod
    def from_record(cls, record: Record) -> "Offer":
        """Read what `as_data` wrote; a DamagedModelError where it is not sound."""
        rows = record.integer("rows", 1, 2**62)
        names = Offered._fields[:-1]
        folds = record.integer("folds", 1, rows) if record.has("folds") else 0
        counts = Offered(*(record.integer(name, 0, rows) for name in names))._replace(folds=folds)
        is_sound = counts.referred + counts.alike <= rows and counts.found <= counts.alerts
        require(is_sound, f"{record.place} has counts that contradict each other")
        return cls(record.integer("questions", 0, LEAVES), counts)


def offered_tree(model: Any) -> Any:
    """Return the tree of a fitted model that still has its training rows."""
    return model.to_tree(LEAVES, SHARE, cv=None)


def _f1(found: int, alerts: int, positives: int) -> float:
    return 2.0 * found / max(alerts + positives, 1)
