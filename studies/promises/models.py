"""Scores of large populations by fitted models, and promises for which every draw is a training."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.errors import RuleNotMetError

Scores = NDArray[np.float64]
TRAINING_ROWS, TRAINING_SHARE = 4000, 0.05
POSITIVES, NEGATIVES = 50_000, 200_000
COLUMNS = 8
FLOOR, CONFIDENCE = 0.9, 0.9
JUDGED = 4000
"""Rows of either class that judge each training."""

KINDS = ("logistic regression", "tree", "forest")


class Population(NamedTuple):
    """Scores of both classes, ascending; a share mixes them."""

    name: str
    positive: Scores
    negative: Scores

    def recall(self, threshold: Any) -> Scores:
        return _above(self.positive, threshold)

    def alerts(self, threshold: Any, share: float) -> Scores:
        rate = _above(self.negative, threshold)
        return share * self.recall(threshold) + (1.0 - share) * rate

    def precision(self, threshold: Any, share: float) -> Scores:
        alerts = self.alerts(threshold, share)
        hits = share * self.recall(threshold)
        return np.divide(hits, alerts, out=np.ones_like(hits), where=alerts > 0)

    def in_five_values(self) -> "Population":
        """The same with scores of 5 distinct values, cut between the classes."""
        middle = np.concatenate([self.positive, self.negative[:: len(self.negative) // 50_000]])
        edges = np.quantile(middle, [0.2, 0.4, 0.6, 0.8])
        five = (np.digitize(one, edges) / 5.0 + 0.1 for one in (self.positive, self.negative))
        return Population(f"{self.name}, 5 values", *five)


def _above(scores: Scores, threshold: Any) -> Scores:
    at = np.searchsorted(scores, np.asarray(threshold, dtype=np.float64), side="right")
    return 1.0 - at / len(scores)


def draw_class(n: int, is_positive: bool, random: np.random.Generator) -> NDArray[np.float64]:
    """Return rows of one class: two of eight columns are shifted, two more have another spread."""
    X = random.normal(size=(n, COLUMNS))
    if is_positive:
        X[:, :2] += 1.8
        X[:, 2:4] *= 1.8
    return X


def draw_rows(
    n: int, share: float, random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return rows and labels, independent of each other."""
    y = (random.random(n) < share).astype(np.int64)
    X = np.empty((n, COLUMNS))
    for label in (0, 1):
        X[y == label] = draw_class(int((y == label).sum()), bool(label), random)
    return X, y


def fit(kind: str, seed: int) -> Any:
    """Return a model of a kind, fitted on rows of its own."""
    X, y = draw_rows(TRAINING_ROWS, TRAINING_SHARE, np.random.default_rng([1, seed]))
    model = {
        "logistic regression": LogisticRegression(),
        "tree": ImbalancedTreeClassifier(max_leaf_nodes=64, pruning=None, random_state=seed),
        "forest": ImbalancedForestClassifier(
            100, rule=None, min_samples_leaf=5, random_state=seed, n_jobs=1
        ),
    }[kind]
    return model.fit(X, y)


def populations(count: int) -> list[Population]:
    """Return the scores of so many fitted models, kinds in turn."""
    random = np.random.default_rng(2)
    rows = [draw_class(n, label, random) for n, label in ((POSITIVES, True), (NEGATIVES, False))]
    found = []
    for seed in range(count):
        kind = KINDS[seed % len(KINDS)]
        model = fit(kind, seed)
        scores = [np.sort(model.predict_proba(X)[:, 1]) for X in rows]
        found.append(Population(f"{kind} {seed}", *scores))
    return found


# ------------------------------------------------------------ promises out of fold and out of bag


class Measured(NamedTuple):
    """What promises of one kind of model and one cell did, over trainings."""

    model: str
    share: float
    size: int
    draws: int
    made: int
    held: int
    alerts: float
    mean_recall: float


def _estimator(kind: str, seed: int) -> Any:
    promise = {
        "rule": "precision_at_recall",
        "floor": FLOOR,
        "confidence": CONFIDENCE,
        "random_state": seed,
    }
    if kind == "forest":
        return ImbalancedForestClassifier(100, min_samples_leaf=5, n_jobs=1, **promise)
    tree = ImbalancedTreeClassifier(max_leaf_nodes=64, pruning=None, random_state=seed)
    return ThresholdClassifier(LogisticRegression() if kind == KINDS[0] else tree, **promise)


def measured(kind: str, share: float, positives: int, draws: int) -> Measured:
    """Train on draws of rows, and judge each promise on rows of its own."""
    random = np.random.default_rng([8, KINDS.index(kind), positives, round(1000 * share)])
    recalls, alerts = [], []
    for seed in range(draws):
        X, y = draw_rows(round(positives / share), share, random)
        try:
            model = _estimator(kind, seed).fit(X, y)
        except RuleNotMetError:
            continue
        recall, false = (
            float(model.predict(draw_class(JUDGED, label, random)).mean())
            for label in (True, False)
        )
        recalls.append(recall)
        alerts.append(share * recall + (1.0 - share) * false)
    found = np.array(recalls)
    return Measured(
        kind,
        share,
        positives,
        draws,
        len(found),
        int((found >= FLOOR).sum()),
        1000.0 * float(np.mean(alerts)),
        float(found.mean()),
    )
