"""The programmes of the forest's evaluation: their measures, their cache, their table."""

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

from thresher import ImbalancedTreeClassifier
from thresher.datasets import load_dataset

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
DATASET = "Ecoli-om"
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)


@pytest.fixture
def protocol(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("forest_protocol")


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run forest_study.py for the single trees, with a cache."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        script, cache = str(BENCHMARKS / "forest_study.py"), str(tmp_path / "cache.csv")
        command = [sys.executable, script, "--datasets", DATASET, "--only", "ARDT"]
        command += ["--cache", cache, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True)

    return run


def test_figures_are_those_of_scikit_learns_cross_validation(
    study: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    run = study("--seeds", "1", "--out", str(tmp_path / "table.md"))
    assert (tmp_path / "table.md").read_text() == run.stdout
    row = next(line for line in run.stdout.splitlines() if line.startswith("| ARDT |"))
    X, y = load_dataset(DATASET)
    tree = ImbalancedTreeClassifier()
    scorings = ["f1", "balanced_accuracy", "average_precision", "neg_brier_score"]
    expected = [
        abs(cross_val_score(tree, X, y, cv=FOLDS, scoring=name).mean()) for name in scorings
    ]
    probability = cross_val_predict(tree, X, y, cv=FOLDS, method="predict_proba")[:, 1]
    expected.append(calibration_error(y, probability))
    assert row == f"| ARDT | {' | '.join(f'{value:.4f}' for value in expected)} |"
    assert "EAT; EAT by soft vote" in run.stdout.splitlines()[-1]  # they were not run


def calibration_error(y: Any, probability: Any) -> float:
    """Mean over rows of the difference between mean probability and share in the row's bin."""
    places = np.clip(np.floor(10 * probability), 0, 9)
    total = 0.0
    for place in np.unique(places):
        inside = places == place
        total += inside.sum() * abs(probability[inside].mean() - y[inside].mean())
    return total / len(y)


@pytest.mark.slow
def test_a_second_run_only_does_what_is_missing(
    study: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    first = study("--seeds", "1")
    again = study("--seeds", "1")
    assert again.stdout == first.stdout
    assert (f"{DATASET}, seed 0" in first.stderr, again.stderr) == (True, "")
    more = study("--seeds", "2")
    assert "seed 0" not in more.stderr
    assert f"{DATASET}, seed 1" in more.stderr
    cache = tmp_path / "cache.csv"
    whole = cache.read_bytes()
    cache.write_bytes(whole[:-5])  # stopped amid the last number
    assert study("--seeds", "2").stdout == more.stdout
    assert sorted(set(cache.read_bytes().splitlines())) == sorted(whole.splitlines())


def test_table_has_mean_and_deviation_between_seeds(protocol: ModuleType) -> None:
    random = np.random.default_rng(0)
    y = (random.random((2, 10, 20)) < 0.3).astype(int)
    y[:, 3] = 0  # a fold without positives: no BCR, no average precision, F1 of 0
    outcomes, f1 = {}, []
    for seed in range(2):
        for fold in range(10):
            scores = random.random(20)
            prediction = protocol.Prediction.at(scores, 0.5)
            key = protocol.Key("ours", seed, "made", fold)
            outcomes[key] = protocol.measure(y[seed, fold], prediction)
            f1.append(f1_score(y[seed, fold], scores > 0.5, zero_division=0))
    means = np.reshape(f1, (2, 10)).mean(axis=1)
    text = protocol.table(outcomes, ["ours", "theirs"], ["made"], 2)
    assert f"| ours | {means.mean():.4f} ± {means.std(ddof=1):.4f} |" in text
    assert "nan" not in text
    assert np.isnan(outcomes[protocol.Key("ours", 0, "made", 3)].bcr)
    assert text.endswith("Not complete: theirs.")


@pytest.mark.usefixtures("protocol")
def test_settings_change_one_thing_at_a_time() -> None:
    defaults = import_module("forest_defaults")
    names = [name for family in defaults.FAMILIES for name in family.names]
    changes = list(defaults.settings().values())
    assert len(set(names)) == len(names) == len(changes)
    assert [len(change) for change in changes] == [0] + [1] * (len(changes) - 1)
    assert all(defaults.BASE | change != defaults.BASE for change in changes[1:])
