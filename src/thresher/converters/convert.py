"""The public function: a fitted model of another library in, one of this library out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.converters import lightgbm, sklearn, xgboost
from thresher.converters.classifier import ConvertedTreesClassifier
from thresher.converters.foreign import ForeignModel
from thresher.matrix import Columns
from thresher.tree.sample import describe

READERS = {
    lightgbm.PACKAGE: (lightgbm.CLASSES, lightgbm.read_lightgbm),
    xgboost.PACKAGE: (xgboost.CLASSES, xgboost.read_xgboost),
    sklearn.PACKAGE: (sklearn.CLASSES, sklearn.read_sklearn),
}
"""By the package that a class comes from: the names of classes, and who reads them. No package is
imported for this."""


def convert(
    model: Any,
    *,
    pos_label: Any = None,
    names: Sequence[str] | None = None,
    n_jobs: int | None = None,
) -> ConvertedTreesClassifier:
    """Return the trees of a fitted model of another library as a model of this one.

    Its probabilities are those of the original, and all that models of this library can do it can:
    thresholds around it, files without pickle, SQL, ONNX and Python, conditions.

    Parameters
    ----------
    model : fitted model of two classes
        LightGBM's Booster or LGBMClassifier (objective binary), XGBoost's Booster, XGBClassifier or
        XGBRFClassifier (binary:logistic, trees), scikit-learn's DecisionTreeClassifier,
        ExtraTreeClassifier, RandomForestClassifier, ExtraTreesClassifier or
        GradientBoostingClassifier.
    pos_label : object, default=None
        The positive class; by default the second one.
    names : sequence of str, default=None
        Names of the columns where the original has none or changed them; LightGBM turns blanks
        into underscores.
    n_jobs : int, default=None
        Threads of prediction; -1 for all processors.

    Returns
    -------
    ConvertedTreesClassifier

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> from thresher import convert
    >>> X, y = make_classification(n_samples=500, weights=[0.9], random_state=0)
    >>> original = GradientBoostingClassifier(random_state=0).fit(X, y)
    >>> model = convert(original)
    >>> bool((model.predict_score(X) == original.decision_function(X)).all())
    True
    """
    found = _read(model)
    if names is not None:
        given = tuple(names)
        are_names = all(isinstance(name, str) for name in given) and len(set(given)) == len(given)
        if len(given) != len(found.columns) or not are_names:
            raise ValueError(
                f"names must be {len(found.columns)} different texts, got {len(given)}."
            )
        found = found._replace(columns=Columns(given, found.columns.levels))
    taken = ConvertedTreesClassifier(pos_label=pos_label, n_jobs=n_jobs)
    classes, positive = found.classes.tolist(), 1
    if pos_label is not None:
        if pos_label not in classes:
            raise ValueError(f"pos_label={pos_label!r} is none of the classes {classes}.")
        positive = int(classes.index(pos_label))
    describe(taken, found.columns, found.classes, positive)
    # The original calls a row that is half of each class one of the first class.
    taken.threshold_ = 0.5 if positive == 1 else float(np.nextafter(0.5, 0.0))
    taken.trees_, taken.of_positive_ = found.trees, positive == 1
    taken.allows_missing_ = found.allows_missing
    _ = taken.trees_.compiled
    return taken


def _read(model: Any) -> ForeignModel:
    package, name = type(model).__module__.split(".")[0], type(model).__name__
    if name.startswith("HistGradientBoosting"):
        raise TypeError(
            f"{name} keeps its trees to itself; LightGBM grows such trees and can be taken over."
        )
    if name == "ThresholdClassifier":
        raise TypeError(
            "A ThresholdClassifier is not taken over, but put around what was: "
            "ThresholdClassifier(convert(estimator), cv='prefit')."
        )
    classes, read = READERS.get(package, ((), None))
    if name not in classes or read is None:
        raise TypeError(
            f"convert takes LightGBM's, XGBoost's and scikit-learn's trees of two classes, not "
            f"{name} of {package}."
        )
    if hasattr(model, "fit"):
        check_is_fitted(model)
    found: ForeignModel = read(model)
    return found
