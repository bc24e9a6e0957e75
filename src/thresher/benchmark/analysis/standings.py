"""The methods of a study of one table, the best first, and in a sentence which of them differ.

Folds share most of their training rows, so that their scores vary less than those of new tables
would. The test is Student's of paired differences with the variance that Nadeau and Bengio (2003)
give for it; p-values are adjusted by Holm, since the best is compared with all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.benchmark.analysis.significance import LEVEL, SAME_WITHIN, p_text
from thresher.benchmark.method_words import in_words
from thresher.benchmark.study.measures import METRICS
from thresher.benchmark.study.result import StudyResult
from thresher.statistics import holm_adjusted
from thresher.wording import listed

FloatArray = NDArray[np.float64]


class Standing(NamedTuple):
    """A method beside the best.

    Attributes
    ----------
    method : its name.
    value, spread : mean score over the folds, and their standard deviation.
    behind, noise : how far it is behind the best, and the standard error of that difference.
    p : of the difference; None for the best itself.
    """

    method: str
    value: float
    spread: float
    behind: float
    noise: float
    p: float | None

    @property
    def is_below(self) -> bool:
        """Whether the method is told apart from the best."""
        return self.p is not None and self.p <= LEVEL

    @property
    def is_level(self) -> bool:
        """Whether it is behind by no more than the noise."""
        return self.behind <= self.noise


@dataclass(frozen=True)
class Standings:
    """The methods of a study of one data set by a metric, larger is better.

    Examples
    --------
    >>> from thresher.benchmark import run_study
    >>> study = run_study(["Yeast-me1"], ["LinR", "ARDT"], folds=5, store=None)
    >>> print(Standings(study).sentence)
    The adaptive Renyi tree is best (F1 0.733); linear regression (by 0.733, p < 0.001) is below it.
    """

    study: StudyResult
    metric: str = "f1"

    @cached_property
    def by_fold(self) -> dict[str, FloatArray]:
        """Scores of each fold of the methods all of whose runs are done."""
        formula = METRICS[self.metric].formula
        runs: dict[str, list[Any]] = {method: [] for method in self.study.methods}
        for run in self.study.runs:
            runs[run.method].append(run.measures)
        return {
            method: formula(found)
            for method, found in runs.items()
            if all(measures is not None for measures in found)
        }

    @cached_property
    def order(self) -> list[Standing]:
        """The methods that have a score, the best first."""
        names = sorted(self.by_fold, key=lambda name: -round(self._mean(name), SAME_WITHIN))
        if not names:
            return []
        best = self.by_fold[names[0]]
        gaps = [best - self.by_fold[name] for name in names[1:]]
        folds = self.study.settings["folds"]
        p = holm_adjusted([paired_p(gap, folds) for gap in gaps])
        return [
            Standing(name, self._mean(name), spread_of(self.by_fold[name]), behind, noise, p_value)
            for name, behind, noise, p_value in zip(
                names,
                [0.0, *(float(gap.mean()) for gap in gaps)],
                [0.0, *(noise_of(gap, folds) for gap in gaps)],
                [None, *p.tolist()],
                strict=True,
            )
        ]

    def _mean(self, method: str) -> float:
        return float(self.by_fold[method].mean())

    @cached_property
    def unscored(self) -> list[str]:
        """Methods of which a run has no outcome."""
        return [method for method in self.study.methods if method not in self.by_fold]

    @property
    def sentence(self) -> str:
        """What a reader should take home."""
        if not self.order:
            return "No method has an outcome in every fold."
        best, *others = self.order
        start = in_words(best.method)
        score = f"({METRICS[self.metric].heading} {best.value:.3f})"
        parts = [f"{start[0].upper()}{start[1:]} is best {score}"]
        level = [f"{in_words(one.method)} ({_level(one)})" for one in others if one.is_level]
        below = [f"{in_words(one.method)} ({_below(one)})" for one in others if one.is_below]
        unsure = [
            f"{in_words(one.method)} ({_below(one)})"
            for one in others
            if not (one.is_level or one.is_below)
        ]
        if level:
            parts.append(f"{listed(level)} {_are(level)} within the noise")
        if unsure:
            parts.append(
                f"{listed(unsure)} {_are(unsure)} behind by more than the noise, but "
                f"{len(self.by_fold[best.method])} folds are too few to be sure of it"
            )
        if below:
            parts.append(f"{listed(below)} {_are(below)} below it")
        return "; ".join(parts) + "."

    def as_data(self) -> list[dict[str, Any]]:
        """Return the order as plain data."""
        return [{**one._asdict(), "is_below": one.is_below} for one in self.order]


def _level(one: Standing) -> str:
    return f"{one.value:.3f}, p {p_text(one.p or 0.0)}"


def _below(one: Standing) -> str:
    return f"by {one.behind:.3f}, p {p_text(one.p or 0.0)}"


def _are(texts: Sequence[str]) -> str:
    return "is" if len(texts) == 1 else "are"


def spread_of(scores: FloatArray) -> float:
    """Return the standard deviation over the folds."""
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0


def paired_p(gaps: FloatArray, folds: int) -> float:
    """Test whether the mean of paired differences over folds is 0, on both sides.

    Parameters
    ----------
    gaps : array
        One for each fold of each repeat.
    folds : int
        Of one cross-validation: a fold is judged by a model of `folds - 1` times as many rows.

    Examples
    --------
    >>> gaps = np.array([0.02, 0.05, 0.03, 0.04, 0.01])
    >>> round(paired_p(gaps, folds=5), 3)
    0.047
    """
    from scipy.stats import t

    mean = round(float(np.mean(gaps)), SAME_WITHIN)
    if mean == 0:
        return 1.0
    return float(2 * t.sf(abs(mean) / noise_of(gaps, folds), max(len(gaps) - 1, 1)))


def noise_of(gaps: FloatArray, folds: int) -> float:
    """Return the standard error of the mean of paired differences over folds; never 0.

    >>> round(noise_of(np.array([0.02, 0.05, 0.03, 0.04, 0.01]), folds=5), 3)
    0.011
    """
    variance = float(np.var(gaps, ddof=1)) if len(gaps) > 1 else 0.0
    # Without any variance, rounding alone would decide how small p is.
    return float(np.sqrt(max(variance, 10.0**-SAME_WITHIN) * (1 / len(gaps) + 1 / (folds - 1))))
