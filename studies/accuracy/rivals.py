"""The rivals of the accuracy study: default hyperparameters, threshold tuned for F1 out of fold.

Each gets category columns in its own form: a category dtype (LightGBM, XGBoost), `cat_features`
(CatBoost). Columns are renamed, since some libraries refuse names such as "Torque [Nm]".
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.model_selection import StratifiedKFold

from thresher import ThresholdClassifier

INNER_FOLDS = 5
PACKAGES = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"}


def absent_rivals() -> list[str]:
    """Return the rivals that are not installed."""
    return [name for name, package in PACKAGES.items() if find_spec(package) is None]


def tuned(estimator: Any, X: Any, y: Any, seed: int) -> Any:
    """Choose the threshold on 5-fold scores, and fit the estimator on all rows."""
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    return ThresholdClassifier(estimator, "f1", cv=folds, n_bootstrap=0).fit(X, y)


def with_plain_names(X: Any) -> Any:
    """Return a data frame with the columns c0, c1, ..."""
    return X.set_axis([f"c{place}" for place in range(X.shape[1])], axis=1)


def light_gbm(X: Any, y: Any, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return tuned(LGBMClassifier(random_state=seed, n_jobs=1, verbosity=-1), X, y, seed)


def xgboost(X: Any, y: Any, seed: int) -> Any:
    from xgboost import XGBClassifier

    model = XGBClassifier(random_state=seed, n_jobs=1, enable_categorical=True)
    return tuned(model, X, y, seed)


def cat_boost(X: Any, y: Any, seed: int) -> Any:
    from catboost import CatBoostClassifier

    class WithCategories(CatBoostClassifier):  # scikit-learn cannot clone a list of columns in it
        def fit(self, X: Any, y: Any) -> Any:
            return super().fit(X, y, cat_features=list(X.select_dtypes("category").columns))

    model = WithCategories(
        iterations=200,
        thread_count=1,
        random_seed=seed,
        verbose=False,
        allow_writing_files=False,
    )
    return tuned(model, X, y, seed)


def load_installed() -> None:
    """Import what is there, so that no fit is charged with it."""
    for name, package in PACKAGES.items():
        if name not in absent_rivals():
            import_module(package)
