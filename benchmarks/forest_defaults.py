"""Settings of the forest under the paper's protocol, one changed at a time: `forest_defaults.py`.

Prints the settings of docs/forest-study.md. Every forest's threshold is tuned for F1 on out-of-bag
votes, BCR included: the settings differ, not the aim. A change of BASE asks for a new --cache.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from forest_protocol import Family, Prediction, main
from numpy.typing import NDArray

import thresher

BASE = {
    "criterion": "adaptive_renyi",
    "bootstrap": "stratified",
    "min_samples_leaf": 2,
    "smoothing": None,
    "n_estimators": 100,
}
LEVELS = {
    "criterion": ("adaptive_renyi", "hellinger", "entropy", "gini", "gain_ratio"),
    "bootstrap": ("plain", "stratified", "balanced"),
    "min_samples_leaf": (1, 2, 3, 5),
    "smoothing": (None, "laplace", "m_estimate"),
    "n_estimators": (25, 50, 100, 200, 400),
}


def predict(
    parameters: dict[str, Any], X: NDArray[Any], y: NDArray[Any], X_new: NDArray[Any], seed: int
) -> Iterator[Prediction]:
    settings = BASE | parameters
    model = thresher.ImbalancedForestClassifier(**settings, n_bootstrap=0, random_state=seed)
    yield Prediction.of(model.fit(X, y), X_new)


def settings() -> dict[str, dict[str, Any]]:
    """Return what differs from BASE, by name; BASE itself first."""
    base = "base: " + ", ".join(f"{name} {level}" for name, level in BASE.items())
    changes = {
        f"{name} {level}": {name: level}
        for name, levels in LEVELS.items()
        for level in levels
        if level != BASE[name]
    }
    paper = {"criterion adaptive_renyi, tolerance 0.05": {"alpha_tolerance": 0.05}}
    return {base: {}} | paper | changes


FAMILIES = [
    Family((name,), partial(predict, parameters)) for name, parameters in settings().items()
]


if __name__ == "__main__":
    main(FAMILIES, __doc__)
