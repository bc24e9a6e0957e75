"""The first report written by hand: scikit-learn, imbalanced-learn and SHAP, from a table to HTML.

    python by_hand.py parts.csv scrap report.html

The rival of `thresher train` in benchmarks/first_report.py, as somebody who knows these libraries
would write it: a threshold for F1, judged on rows that chose nothing, with intervals, and what the
columns do.
"""

import base64
import io
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import shap
from imblearn.ensemble import BalancedRandomForestClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import f1_score, precision_recall_curve, precision_score, recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, export_text

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def candidates():
    ready = make_column_transformer(
        (SimpleImputer(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    models = {
        "tree": DecisionTreeClassifier(max_leaf_nodes=32, min_samples_leaf=5, random_state=0),
        "forest": RandomForestClassifier(200, min_samples_leaf=2, random_state=0),
        "balanced forest": BalancedRandomForestClassifier(200, random_state=0),
    }
    return {name: make_pipeline(ready, model) for name, model in models.items()}


def unseen_scores(model, X, y):
    return cross_val_predict(model, X, y, cv=FOLDS, method="predict_proba")[:, 1]


def best_cut(y, scores):
    precision, recall, cuts = precision_recall_curve(y, scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return cuts[np.argmax(f1[:-1])], f1[:-1].max()


def choose(X, y):
    found = {
        name: (model, *best_cut(y, unseen_scores(model, X, y)))
        for name, model in candidates().items()
    }
    return max(found.items(), key=lambda item: item[1][2])


def judge(X, y):
    decided = np.zeros(len(y), dtype=bool)
    for train, test in FOLDS.split(X, y):
        _, (model, cut, _) = choose(X.iloc[train], y.iloc[train])
        model.fit(X.iloc[train], y.iloc[train])
        decided[test] = model.predict_proba(X.iloc[test])[:, 1] >= cut
    return decided


def interval(measure, y, decided, draws=500):
    rng = np.random.default_rng(0)
    rows = rng.integers(len(y), size=(draws, len(y)))
    return np.quantile([measure(y[at], decided[at]) for at in rows], [0.025, 0.975])


def picture(model, X):
    ready, forest = model[:-1], model[-1]
    table = pd.DataFrame(ready.transform(X), columns=ready.get_feature_names_out())
    values = shap.TreeExplainer(forest)(table.sample(min(len(table), 500), random_state=0))
    shap.plots.beeswarm(values[..., 1], show=False)
    drawn = io.BytesIO()
    plt.savefig(drawn, bbox_inches="tight")
    return base64.b64encode(drawn.getvalue()).decode()


def main(source, target, out):
    table = pd.read_csv(source)
    y, X = table[target].astype(int), table.drop(columns=[target, "part", "finished"])
    name, (model, cut, _) = choose(X, y)
    decided, truth = judge(X, y), y.to_numpy()
    model.fit(X, y)
    lines = []
    for measure in (precision_score, recall_score, f1_score):
        low, high = interval(measure, truth, decided)
        lines.append(f"{measure.__name__}: {measure(truth, decided):.3f} ({low:.3f} to {high:.3f})")
    rules = make_pipeline(*candidates()["tree"]).fit(X, y)
    text = export_text(rules[-1], feature_names=list(rules[:-1].get_feature_names_out()))
    html = f"<h1>{name}, threshold {cut:.3f}</h1><pre>{chr(10).join(lines)}</pre>"
    html += f'<img src="data:image/png;base64,{picture(model, X)}"><pre>{text}</pre>'
    with open(out, "w", encoding="utf-8") as file:
        file.write(html)
    print("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
