"""Platt scaling: a logistic curve through scores and the labels of their rows."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from thresher.threshold.counts import Vector

NEAREST = 1e-5
"""Probabilities are kept this far from 0 and 1 before their logit is taken."""
MAX_STEPS = 100
SMALL_STEP = 1e-10


def logits(probability: Vector) -> Vector:
    """Return log-odds of probabilities, none of them infinite.

    >>> logits(np.array([0.0, 0.5])).round(2)
    array([-11.51,   0.  ])
    """
    clipped: Vector = logit(np.clip(probability, NEAREST, 1.0 - NEAREST))
    return clipped


class Platt(NamedTuple):
    """The curve sigmoid(slope * z + intercept) of standardised scores z = (score - mean) / scale.

    Attributes
    ----------
    mean, scale : of the scores that the curve was fitted to.
    slope, intercept : of the curve.
    """

    mean: float
    scale: float
    slope: float
    intercept: float

    @classmethod
    def fit(cls, scores: Vector, negative: Vector, positive: Vector) -> "Platt":
        """Fit the curve by log loss to rows of both classes at each score.

        The targets are Platt's, (P + 1) / (P + 2) and 1 / (N + 2) for P positives and N negatives,
        so that classes that do not overlap have a finite slope.
        """
        weights = negative + positive
        mean = float(np.average(scores, weights=weights))
        variance = float(np.average((scores - mean) ** 2, weights=weights))
        scale = np.sqrt(variance) if variance > 0.0 else 1.0
        high = (positive.sum() + 1.0) / (positive.sum() + 2.0)
        low = 1.0 / (negative.sum() + 2.0)
        hits = high * positive + low * negative
        return cls(mean, float(scale), *_newton((scores - mean) / scale, hits, weights))

    def __call__(self, scores: Vector) -> Vector:
        """Return probabilities."""
        curve: Vector = expit(self.log_odds(scores))
        return curve

    def log_odds(self, scores: Vector) -> Vector:
        """Return the log-odds of the probabilities."""
        return self.slope * ((scores - self.mean) / self.scale) + self.intercept


def _newton(z: Vector, hits: Vector, weights: Vector) -> tuple[float, float]:
    """Return slope and intercept with the least log loss; the step is halved while it grows."""
    ones = np.ones_like(z)
    design = np.stack([z, ones], axis=1)
    share = hits.sum() / weights.sum()
    at = np.array([0.0, float(logit(share))])

    def loss(parameters: Vector) -> float:
        line = design @ parameters
        return float((weights * np.logaddexp(0.0, line) - hits * line).sum())

    least = loss(at)
    for _ in range(MAX_STEPS):
        p = expit(design @ at)
        gradient = design.T @ (weights * p - hits)
        curvature = (design * (weights * p * (1.0 - p))[:, None]).T @ design
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while (new := loss(at - step)) > least and np.abs(step).max() > SMALL_STEP:
            step = step / 2.0
        if not new <= least:
            break
        at, least = at - step, new
        if np.abs(step).max() <= SMALL_STEP:
            break
    return float(at[0]), float(at[1])
