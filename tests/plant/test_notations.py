"""A model decides numbers alike, however a table writes them, or refuses the table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import ImbalancedTreeClassifier, find_conditions
from thresher.errors import TableError
from thresher.judging.column_summary import summarize
from thresher.judging.facts import Facts
from thresher.plant import PlantModel
from thresher.tables import read_table
from thresher.tables.features import make_features
from thresher.tables.plan import CATEGORY, NUMBER

NOTATIONS = ("plain", "english", "german", "swiss", "xlsx", "parquet")
ONLY_NEW = ("german in commas",)
"""A file that says so little of its marks that nobody should train on it."""

LEARNT = (NUMBER, CATEGORY)

GERMAN = str.maketrans(",.", ".,")


def cell(number, decimals, notation):
    """Return a number as it is written."""
    if np.isnan(number):
        return ""
    if notation == "plain":
        return f"{number:.{decimals}f}"
    text = f"{number:,.{decimals}f}"
    return (
        text.replace(",", "'")
        if notation == "swiss"
        else (text.translate(GERMAN) if notation.startswith("german") else text)
    )


def write_as(notation, path, table, decimals):
    """Write a table, and return its path; texts stay as they are."""
    if notation in ("xlsx", "parquet"):
        path = path.with_suffix(f".{notation}")
        (table.to_excel if notation == "xlsx" else table.to_parquet)(path, index=False)
        return path
    delimiter = ";" if notation in ("german", "swiss") else ","
    written = table.astype(object)
    for name, places in decimals.items():
        written[name] = [cell(number, places, notation) for number in table[name]]
    written.to_csv(path.with_suffix(".csv"), sep=delimiter, index=False)
    return path.with_suffix(".csv")


def draw(random, rows):
    """Draw columns of several magnitudes, and how many decimals each has."""
    columns, decimals = {}, {}
    for place in range(int(random.integers(2, 4))):
        name, size = f"x{place}", 10.0 ** random.integers(0, 5)
        shapes = [
            random.uniform(0.5, 3.0, rows),
            random.lognormal(0.0, 1.0, rows),
            random.normal(1.0, 0.05, rows),
        ]
        decimals[name] = int(random.integers(4))
        columns[name] = np.round(size * shapes[random.integers(3)], decimals[name])
    columns["x0"][random.random(rows) < 0.1] = np.nan
    columns["line"] = random.choice(["a", "b"], rows)
    return pd.DataFrame(columns), decimals


def quick_model(path):
    """Return what `train` would, without its judgement, which takes most of the time."""
    table = read_table(path, texts=["state"])
    learnt = [name for name, plan in table.plan.columns.items() if plan.meaning in LEARNT]
    features = make_features(table.only(learnt))
    tree = ImbalancedTreeClassifier(categorical_features="from_dtype", random_state=0).fit(
        features.X, np.array(table.columns["state"].values())
    )
    levels = tree.columns_.levels
    summaries = [
        summarize(table.columns[name], one) for name, one in zip(learnt, levels, strict=True)
    ]
    facts = Facts(target="state", positive="bad", plan=table.plan, columns=tuple(summaries))
    return PlantModel(tree, tree, find_conditions(tree, output="table"), facts)


def check_one(random, folder):
    """Train on one notation and decide in others; return how many of these were refused."""
    table, decimals = draw(random, 240)
    score = table[list(decimals)].rank(pct=True).sum(axis=1)
    state = np.where(score > score.quantile(0.8), "bad", "good")
    trained, *others = random.permutation(NOTATIONS).tolist()
    old = table[:200].assign(state=state[:200])
    try:
        model = quick_model(write_as(trained, folder / "old", old, decimals))
    except TableError:  # nobody can tell what its numbers are
        return 0
    new = table[200 : 200 + int(random.choice([1, 3, 9, 40]))]
    expected = model.predict_table(new, allow_drift=True)["probability"]
    refused = 0
    for notation in (*others, *ONLY_NEW):
        try:
            found = model.predict_table(write_as(notation, folder / "new", new, decimals))
        except TableError:
            refused += 1
            continue
        assert found["probability"].tolist() == expected.tolist(), (trained, notation, new)
    return refused


def check_some(seed, cases, folder: Path):
    """Try fresh tables; at most one in twenty is refused."""
    random = np.random.default_rng(seed)
    refused = sum(check_one(random, folder) for _ in range(cases))
    assert refused <= 0.05 * cases * len(NOTATIONS)


@pytest.mark.parametrize("part", range(6))
def test_tables_in_other_notations_are_decided_alike(part, tmp_path):
    check_some(np.random.SeedSequence().entropy, 6, tmp_path)


@pytest.mark.slow
def test_many_tables_in_other_notations_are_decided_alike(tmp_path):
    check_some(np.random.SeedSequence().entropy, 400, tmp_path)
