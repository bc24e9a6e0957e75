"""Make golden files of the present format: `python tests/golden/make_golden.py FOLDER`.

Files that are there stay as they are: later versions of the library must read them and predict the
same. A new version of the format gets a folder of its own.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from thresher import (
    AlphaTreesClassifier,
    ImbalancedBlendClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ScoreCardClassifier,
    ThresholdClassifier,
    save_model,
    take_over,
    to_json,
)
from thresher.blend.boosted import BoostedTreesClassifier
from thresher.pairs.features import PairFeatures

SPEED, LINE, SHIFT = "speed m/s", 'line "A;B"', "Schicht ☃"


def make_rows():
    """Return a table with numbers, texts, numbered levels and missing values, and labels."""
    random = np.random.default_rng(7)
    table = pd.DataFrame(
        {
            SPEED: random.normal(10.0, 2.0, 240).round(3),
            "width": random.normal(size=240),
            LINE: random.choice(["north", "süd", "'; --", ""], 240),
            SHIFT: pd.Categorical(random.choice([1.5, 2.0, 3.0], 240)),
        }
    )
    table.loc[random.random(240) < 0.1, SPEED] = np.nan
    table.loc[random.random(240) < 0.1, LINE] = None
    is_scrap = (table[SPEED] > 11.5) & (table[LINE] != "north") | (random.random(240) < 0.03)
    return table, np.where(is_scrap, "scrap", "ok"), random.integers(1, 4, 240) * 0.7


def make_serials():
    """Return a table with a column of more levels than codes, and labels."""
    random = np.random.default_rng(8)
    table = pd.DataFrame({"serial": [f"№ {number}" for number in random.integers(0, 400, 900)]})
    is_scrap = table["serial"].isin(["№ 17", "№ 203", "№ 31"]) | (random.random(900) < 0.02)
    table.loc[::20, "serial"] = None
    return table, np.where(is_scrap, "scrap", "ok")


def make_models():
    """Return fitted models by name, each with the columns that it reads."""
    table, y, weights = make_rows()
    every, numbers = list(table.columns), ["width"]
    forest = ImbalancedForestClassifier(8, random_state=1, n_bootstrap=20).fit(table, y, weights)
    forest.imitation_ = forest.to_tree(6, cv=2)
    tree = ImbalancedTreeClassifier(max_features="sqrt", random_state=3)
    logistic = LogisticRegression(C=10.0, solver="newton-cholesky")
    line = LeastSquaresClassifier(class_weight={"scrap": 5.0}, threshold="prior")
    alphas = AlphaTreesClassifier((0.2, 1, 2.5), voting="soft", min_samples_leaf=3)
    plain = ImbalancedTreeClassifier("hellinger", pruning=None, pos_label="ok")
    return {
        "tree": (ImbalancedTreeClassifier(max_leaf_nodes=12).fit(table, y, weights), every),
        "tree_without_names": (plain.fit(table[numbers].to_numpy(), y), numbers),
        "forest": (forest, every),
        "alpha_trees": (alphas.fit(table, y), every),
        "least_squares": (line.fit(table[numbers], y), numbers),
        "threshold_tree": (
            ThresholdClassifier(tree, "bcr", cv=3, random_state=0).fit(table, y),
            every,
        ),
        "threshold_logistic": (
            ThresholdClassifier(logistic, "f1", cv=3, random_state=0).fit(table[numbers], y),
            numbers,
        ),
        "tree_with_unnamed_levels": (
            ImbalancedTreeClassifier(max_leaf_nodes=4, pruning=None).fit(*make_serials()),
            ["serial"],
        ),
        **make_later_models(table, y),
    }


def make_later_models(table, y):
    """Return models of kinds that came after the format."""
    every, numbers = list(table.columns), ["width"]
    few = slice(0, 80)
    gradient = GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0)
    product = PairFeatures(pairs=[(SPEED, "product", "width")])
    paired = ImbalancedTreeClassifier(max_leaf_nodes=8, derive=product)
    members = ("forest", "svm", "logistic")
    blend = ImbalancedBlendClassifier(members, n_estimators=2, cv=2, n_bootstrap=5, random_state=0)
    boosted = BoostedTreesClassifier(4, cv=2, n_bootstrap=5, random_state=0)
    card = ScoreCardClassifier(max_splits=9, refer=0.1, n_estimators=20, random_state=0)
    return {
        "blend": (blend.fit(table[few], y[few]), every),
        "boosted_trees": (boosted.fit(table, y), every),
        "score_card_of_trees": (card.fit(table, y), every),
        "taken_over_trees": (take_over(gradient.fit(table[numbers], y)), numbers),
        "tree_with_pairs": (paired.fit(table, y), every),
    }


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    table = make_rows()[0].assign(serial=make_serials()[0]["serial"]).head(60)
    table.loc[[3, 4], "serial"] = ["never seen", "№ 17"]
    place = folder / "expected.json"
    expected = json.loads(place.read_text(encoding="utf-8"))["models"] if place.exists() else {}
    for name, (model, columns) in make_models().items():
        if name in expected:
            continue
        save_model(model, folder / f"{name}.thresher")
        (folder / f"{name}.json").write_text(to_json(model), encoding="utf-8")
        X = table[columns].to_numpy() if name.endswith("names") else table[columns]
        expected[name] = {
            "columns": columns,
            "threshold": float(model.threshold_),
            "positive_class": model.pos_label_,
            "probabilities": model.predict_proba(X)[:, 1].tolist(),
            "decisions": model.predict(X).tolist(),
        }
    rows = {name: [None if v != v else v for v in table[name].tolist()] for name in table}
    text = json.dumps({"rows": rows, "models": expected}, indent=1, ensure_ascii=False)
    place.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
