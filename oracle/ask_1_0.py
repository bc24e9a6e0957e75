"""Asks the present version; a change of names or of parameters changes this file.

python -m oracle.ask_1_0 QUESTIONS ANSWERS FOLDER
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

import thresher
import thresher.export
from oracle.asking import Answer, called, digest, main, run_onnx, run_python, run_sqlite
from oracle.flat_rules import flat, flat_of_training
from oracle.questions import N_FIT, N_ZOO_FIT, Question, draw_parts, draw_rows, draw_zoo
from thresher import train
from thresher.tables import read_table

ESTIMATORS = {
    "tree": thresher.ImbalancedTreeClassifier,
    "forest": thresher.ImbalancedForestClassifier,
    "alpha trees": thresher.AlphaTreesClassifier,
    "least squares": thresher.LeastSquaresClassifier,
    "boosted": thresher.BoostedTreesClassifier,
    "threshold": thresher.ThresholdClassifier,
}


def build(spec: dict[str, Any]) -> Any:
    """Return an estimator as a question describes it, not fitted."""
    name = spec["estimator"]
    kind = ESTIMATORS.get(name) or called(name)
    settings = dict(spec.get("settings", {}))
    if "rule" in spec:
        settings |= flat(spec["rule"])
    if "draws" in spec:
        settings["n_bootstrap"] = spec["draws"]
    if "gains" in spec:
        settings["gain_tp"], settings["gain_tn"] = spec["gains"]
    if "calibrate" in spec:
        settings["correct_prior"] = True
    if "derive" in spec:
        settings["pairs"] = thresher.PairFeatures(**spec["derive"])
    settings |= {key: spec[key] for key in ("pos_label", "threshold_by") if key in spec}
    if "of" in spec:
        settings["estimator"] = build(spec["of"])
    return kind(**settings)


def tree(question: Question, _: Path) -> Answer:
    """Grow a tree."""
    rows = draw_rows(question["table"])
    model = thresher.ImbalancedTreeClassifier(**question["settings"]).fit(*rows)
    return {
        "tree": model.tree_.digest(),
        "unpruned": model.unpruned_tree_.digest(),
        "leaves": model.tree_.n_leaves,
        "threshold": model.threshold_,
    }


def forest(question: Question, _: Path) -> Answer:
    """Grow a forest."""
    rows, settings = draw_rows(question["table"]), dict(question["settings"])
    settings["random_cuts"] = float(settings.pop("splitter") == "random")
    model = thresher.ImbalancedForestClassifier(
        **settings, **flat(question["rule"]), n_bootstrap=0
    ).fit(*rows)
    votes = getattr(model, "oob_decision_function_", np.zeros((1, 2)))
    return {
        "trees": digest([one.tree_.digest() for one in model.estimators_]),
        "leaf": model.min_samples_leaf_,
        "bins": model.max_bins_,
        "threshold": model.threshold_,
        "votes": np.nansum(votes[:, 1]),
    }


def alpha_trees(question: Question, _: Path) -> Answer:
    """Grow a tree for each order."""
    rows = draw_rows(question["table"])
    model = thresher.AlphaTreesClassifier(**question["settings"]).fit(*rows)
    return {
        "trees": [one.tree_.digest()[:32] for one in model.estimators_],
        "probability": float(model.predict_proba(rows.X)[:, 1].sum()),
        "alerts": int(model.predict(rows.X).sum()),
    }


def rule(question: Question, _: Path) -> Answer:
    """Fit a model for a rule, and decide about new rows."""
    parts = draw_parts(question["seed"])
    X = parts.X[question["columns"]]
    fit, y, new = X[:N_FIT], parts.y[:N_FIT], X[N_FIT:]
    spec = question["model"]
    model = build(spec)
    if spec["settings"].get("cv") == "prefit":
        model.estimator.fit(fit[:300], y[:300])
    more = {"X_unlabelled": new} if "unlabelled" in question else {}
    if "fit_costs" in question:
        more |= {"cost_fp": parts.fp[:N_FIT], "cost_fn": parts.fn[:N_FIT]}
    model.fit(fit, y, parts.halves if "weights" in question else None, **more)
    if "prior" in question:
        model.adjust_prior(question["prior"])
    promise = model.promise_
    found = {
        "threshold": model.threshold_,
        "alert": model.threshold_alert_,
        "groups": model.thresholds_ if "threshold_by" in spec else None,
        "least_saving": model.row_cuts_.least_saving if "fit_costs" in question else None,
        "interval": model.threshold_interval_,
        "guarantee": promise and [promise.confidence, promise.exact],
        "prior": model.prior_,
        "factor": model.threshold_state_.factor,
        "probabilities": model.predict_proba(new)[:, 1],
        "decisions": model.predict(new),
        "answers": model.decide(new),
        "curve": np.nansum(model.curve_.to_numpy()),
    }
    if "asks_costs" in question:
        fp, fn = parts.fp[N_FIT:], parts.fn[N_FIT:]
        found["decisions_by_cost"] = model.predict(new, cost_fp=fp, cost_fn=fn)
        found["decisions_by_fn"] = model.predict(new, cost_fn=fn)
    return found


def training(question: Question, _: Path) -> Answer:
    """Train a model on a table, and predict new rows."""
    parts = draw_parts(question["seed"])
    table = parts.X.assign(value=parts.fn, fee=parts.fp)
    ignore = question.get("ignore", [])
    if "fn=value" not in question["rule"]:
        table = table.drop(columns=["value", "fee"])
    labels = np.where(parts.y[:N_FIT] == 1, "scrap", "ok")
    model = train(
        table[:N_FIT].assign(scrap=labels),
        "scrap",
        model=question["models"],
        ignore=ignore,
        folds=3,
        trees=15,
        threshold_by=question.get("threshold_by"),
        **flat_of_training(question["rule"]),
    )
    found = model.predict_table(parts.X.assign(value=parts.fn, fee=parts.fp)[N_FIT:])
    return {
        "threshold": model.threshold,
        "alert": model.threshold_alert,
        "probabilities": found["probability"].tolist(),
        "decisions": found["decision"].tolist(),
        "answers": found["answer"].tolist() if "answer" in found else None,
    }


def model(question: Question, _: Path) -> Answer:
    """Fit a model of a kind; what it, its exports and its file say of new rows."""
    table, is_positive = draw_zoo(question["seed"], question["columns"], question["gaps"])
    fit, new = table[:N_ZOO_FIT], table[N_ZOO_FIT:]
    labels = np.array(question["labels"])[is_positive[:N_ZOO_FIT].astype(int)]
    found = build(question["model"]).fit(fit, labels)
    if found.__module__.split(".")[0] != "thresher":
        found = thresher.convert(found, names=list(fit))
    with TemporaryDirectory() as folder:
        thresher.save_model(found, Path(folder) / "model.thresher")
        again = thresher.load_model(Path(folder) / "model.thresher")
    probabilities = found.predict_proba(new)[:, 1]
    return {
        "threshold": found.threshold_,
        "alert": getattr(found, "threshold_alert_", None),
        "groups": found.thresholds_ if "threshold_by" in question["model"] else None,
        "probabilities": probabilities,
        "decisions": found.predict(new),
        "answers": found.decide(new) if hasattr(found, "decide") else None,
        "contributions": _contributions(found, new),
        "file": bool((again.predict_proba(new)[:, 1] == probabilities).all()),
        "python": run_python(thresher.export.to_python(found), new),
        "sqlite": run_sqlite(thresher.export.to_sql(found, "parts", "sqlite", keep=["row"]), new),
        "onnx": run_onnx(thresher.export.to_onnx(found, dtype="float64"), new),
    }


def _contributions(found: Any, new: Any) -> Any:
    try:
        return found.contributions(new) if hasattr(found, "contributions") else None
    except ValueError:  # nothing that adds up
        return None


def pairs(question: Question, _: Path) -> Answer:
    """Choose pair features."""
    X, y = draw_zoo(question["seed"], question["columns"], gaps=False)
    found = thresher.PairFeatures(**question["settings"], random_state=0).fit(X, y)
    return {
        "pairs": [[pair.left, pair.operation, pair.right] for pair in found.pairs_],
        "gain": found.gain_,
        "p_value": found.p_value_,
    }


def surrogate(question: Question, _: Path) -> Answer:
    """Imitate a model by a tree."""
    parts, leaves, spec = draw_parts(question["seed"]), question["leaves"], question["model"]
    X, y = parts.X[:N_FIT][question["columns"]], parts.y[:N_FIT]
    found = build(spec)
    if "weights" in question:
        halves = np.random.default_rng(3).integers(1, 4, N_FIT) * 0.5
        tree = found.fit(X, y, halves).to_tree(leaves, cv=None, X=X, y=y, sample_weight=halves)
    elif "is_converted" in question:
        tree = thresher.convert(found.fit(X, y)).to_tree(leaves, X=X, y=y)
    elif spec["estimator"] in ("forest", "boosted"):
        more = {"cv": None} if spec["estimator"] == "forest" else {}
        tree = found.fit(X, y).to_tree(leaves, **more)
    else:
        tree = thresher.distil(found.fit(X, y), X, y, leaves)
    return {
        "tree": tree.tree_.digest(),
        "threshold": tree.threshold_,
        "leaves": tree.get_n_leaves(),
    }


def dirty(question: Question, folder: Path) -> Answer:
    """Read a dirty table."""
    columns: dict[str, Any] = dict(read_table(folder / question["file"]).columns)
    return {
        "columns": [
            [name, digest(column.values() if hasattr(column, "levels") else column.tolist())]
            for name, column in columns.items()
        ]
    }


KINDS = {
    "tree": tree,
    "forest": forest,
    "alpha trees": alpha_trees,
    "rule": rule,
    "training": training,
    "model": model,
    "pairs": pairs,
    "surrogate": surrogate,
    "dirty": dirty,
}

# Forests of 0.2.0 have one kind of cuts; so have all that are asked here, those of `train` too.
DEFAULTS = thresher.ImbalancedForestClassifier.__init__.__kwdefaults__
KINDS = {name: patch.dict(DEFAULTS, random_cuts=0.0)(ask) for name, ask in KINDS.items()}

if __name__ == "__main__":
    main(KINDS, *sys.argv[1:])
