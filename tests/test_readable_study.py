"""The harness of the readability study: folds that are kept, gaps, and claims."""

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import wilcoxon
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from thresher import ImbalancedForestClassifier
from thresher.datasets import load_dataset

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    found = import_module("readable_study")
    monkeypatch.setattr(found, "TREES", 10)
    return found


def test_a_fold_is_what_fitting_and_asking_by_hand_gives(study: ModuleType) -> None:
    found = study.run_fold("Ecoli-om", 1)["results"]
    X, y = load_dataset("Ecoli-om", as_frame=True)
    y = np.asarray(y)
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))[1]
    forest = ImbalancedForestClassifier(10, n_bootstrap=0, random_state=0)
    forest.fit(X.iloc[train], y[train])
    tree = forest.to_tree(32, refer=0.1, cv=None)
    new = X.iloc[test]
    asked = tree.decide(new) == "refer"
    joint = np.where(asked, forest.predict(new), tree.predict(new))
    assert found["refer .10"]["f1"] == pytest.approx(f1_score(y[test], joint))
    assert found["refer .10"]["referred"] == pytest.approx(asked.mean())
    assert found["forest"]["f1"] == pytest.approx(f1_score(y[test], forest.predict(new)))
    assert found["tree"]["referred"] == 0.0
    assert set(found) == set(study.CONTENDERS)
    assert 0 < found["card"]["splits"] <= 31


def made_up(study: ModuleType, scores: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    """Return folds of sets on which contenders have these scores."""
    return [
        {
            "set": name,
            "fold": fold,
            "code": study.code(),
            "results": {
                one: {
                    "f1": scores[name].get(one, 0.5),
                    "referred": 0.08,
                    "told": 0.07,
                    "seconds": 1.0,
                }
                for one in study.CONTENDERS
            },
        }
        for name in scores
        for fold in range(study.FOLDS)
    ]


def test_claims_and_gaps_follow_from_the_scores(study: ModuleType) -> None:
    scores = {
        "a1": {"forest": 0.80, "tree": 0.70, "refer .10": 0.79, "card": 0.70},
        "a2": {"forest": 0.60, "tree": 0.50, "refer .10": 0.60, "card": 0.60},
        "b1": {"forest": 0.90, "tree": 0.80, "refer .10": 0.85, "card": 0.90},
    }
    runs = made_up(study, scores)
    folds = {name: [one for one in runs if one["set"] == name] for name in scores}
    group = study.Group("score", folds, {"a1": "a", "a2": "a", "b1": "b"})
    gap = group.gap("refer .10", "forest")
    assert gap.by_set == pytest.approx(-0.02)
    assert gap.by_family == pytest.approx((-0.005 - 0.05) / 2)
    assert (gap.wins, gap.ties, gap.losses) == (0, 1, 2)
    differences = group.means("refer .10") - group.means("forest")
    assert gap.p_by_set == pytest.approx(wilcoxon(differences).pvalue)
    claims = {claim: (told, holds) for claim, told, holds in study.claims_of(group)}
    shares = [claims[one] for one in claims if "each set" in one or "is told" in one]
    assert shares == [
        ("8.0%; more than 10 % of 0 sets", True),
        ("+0.0100, at most 0.0100 of a set", True),
    ]
    assert claims["the same on 75 % of the sets or more"] == ("67%", False)
    assert claims["card is at most 0.045 below the forest"] == ("-0.0333", True)


def test_a_study_goes_on_where_it_was_and_tells_what_is_missing(
    study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "runs.jsonl"
    runs = made_up(study, {"Ecoli-om": {}})
    store.write_text("".join(json.dumps(one) + "\n" for one in runs[:4]), encoding="utf-8")
    other = runs[4] | {"code": "of other code"}
    study.keep(store, other)
    done: list[tuple[str, int]] = []
    monkeypatch.setattr(study, "run_fold", lambda *one: done.append(one) or runs[4])
    study.run_part("paper", study.parse(["--sets", "Ecoli-om", "--store", str(store)]))
    assert done == [("Ecoli-om", 4)]
    text = study.report(["paper"], study.read(store))
    assert "Not done, hence left out: " in text
    assert "| Ecoli-om |" in text


def test_a_contender_that_failed_has_no_row_and_is_named(study: ModuleType) -> None:
    runs = made_up(study, {"Ecoli-om": {}})
    runs[2]["results"]["card"] = {"error": "ValueError: no"}
    text = study.report(["paper"], runs)
    assert "Not complete, hence without a row: card." in text
    assert "| card |" not in text
