"""The smallest change that passes: real flips, and minimal against brute force."""

from itertools import product

import click
import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier

from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
    convert,
    what_if,
)
from thresher.cli.main import main
from thresher.cli.output import as_options
from thresher.datasets import make_assembly_line

SETTINGS = ["a", "b", "kind"]


def random_table(seed, n_rows=300):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.normal(size=n_rows).round(1),
            "b": random.normal(size=n_rows).round(1),
            "c": random.normal(size=n_rows),
            "kind": random.choice(list("uvwx"), n_rows),
        }
    )
    score = X.a + X.b * (X.kind == "v") + (X.kind == "w") - 0.5 * X.c
    y = (score + 0.4 * random.normal(size=n_rows) > 1.2).astype(int)
    for name in ("a", "c"):
        X.loc[random.random(n_rows) < 0.1, name] = np.nan
    return X, y


def make_model(kind, X, y):
    if kind == "tree":
        return ImbalancedTreeClassifier(max_leaf_nodes=12).fit(X, y)
    if kind == "forest":
        return ImbalancedForestClassifier(7, max_leaf_nodes=8, random_state=0).fit(X, y)
    tree = ImbalancedTreeClassifier(max_leaf_nodes=12)
    return ThresholdClassifier(tree, "f1", correct_prior=True, n_bootstrap=0).fit(X, y)


def cuts_of(model):
    inner = getattr(model, "estimator_", model)
    trees = inner.weighed_trees()
    return [
        np.unique(trees.cut[(trees.feature == place) & (trees.level_set < 0)]) for place in (0, 1)
    ]


def least_cost(model, row, scales):
    """Try every value that matters of every setting, and ask the model."""
    ways = []
    for name, cuts in zip("ab", cuts_of(model), strict=True):
        now = row[name].iloc[0]
        values = [now, *cuts[cuts < 1e300], *np.nextafter(cuts[cuts < 1e300], np.inf)]
        if np.isnan(now):
            values += [-99.0]
        costs = [
            0.0
            if value is now or value == now
            else scales[name]
            if np.isnan(now)
            else abs(value - now) / scales[name]
            for value in values
        ]
        ways.append(list(zip(values, costs, strict=True)))
    now = row["kind"].iloc[0]
    ways.append([(level, scales["kind"] * (level != now)) for level in "uvwx"])
    every = list(product(*ways))
    table = pd.concat([row] * len(every), ignore_index=True)
    for place, name in enumerate(SETTINGS):
        table[name] = [combination[place][0] for combination in every]
    passes = model.predict(table) == 0
    costs = np.array([sum(cost for _, cost in combination) for combination in every])
    return costs[passes].min(initial=np.inf)


@pytest.mark.parametrize("kind", ["tree", "forest", "threshold"])
@pytest.mark.parametrize("seed", range(4))
def test_flips_are_real_and_minimal(kind, seed):
    X, y = random_table(seed)
    model = make_model(kind, X, y)
    scales = {"a": 0.7, "b": 1.3, "kind": 0.9}
    alerts = X[model.predict(X) == 1]
    assert len(alerts) > 3
    for place in range(min(len(alerts), 6)):
        row = alerts.iloc[[place]]
        found = what_if(model, row, settings=SETTINGS, scales=scales)
        assert found.is_exact
        assert found.cost == pytest.approx(least_cost(model, row, scales), rel=1e-9)
        if found.changes:
            assert model.predict(found.row)[0] == 0
            assert found.row["c"].equals(row["c"]) or np.isnan(row["c"].iloc[0])


def test_a_part_that_passes_needs_no_change():
    X, y = random_table(0)
    model = make_model("forest", X, y)
    found = what_if(model, X[model.predict(X) == 0].iloc[[0]], settings="a")
    assert (found.changes, found.cost, found.is_alert) == ((), 0.0, False)
    assert str(found) == "The part passes as it is."


def test_windows_are_kept():
    X, y = random_table(1)
    model = make_model("tree", X, y)
    limits = {"a": (-0.2, 0.4), "kind": ["u"]}
    for _, row in X[model.predict(X) == 1].head(8).iterrows():
        found = what_if(model, dict(row), settings=["a", "kind"], limits=limits)
        for change in found.changes:
            is_inside = (
                change.then == "u" if change.column == "kind" else -0.2 <= change.then <= 0.4
            )
            assert is_inside


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_what_is_printed_passes_when_it_is_typed(kind):
    X, y = random_table(2)
    model = make_model(kind, X, y)
    typed = 0
    for place in np.flatnonzero(model.predict(X) == 1)[:20]:
        found = what_if(model, X.iloc[[place]], settings=["a", "b"])
        row = X.iloc[[place]].copy()
        for change in found.changes:
            row[change.column] = float(str(change).rpartition(" to ")[2])
            typed += 1
        if found.changes:
            assert model.predict(row)[0] == 0, str(found)
    assert typed > 5


def test_a_search_that_stops_tells_a_bound():
    line = make_assembly_line(1500, random_state=0)
    model = ImbalancedForestClassifier(40, random_state=0).fit(line.X, line.y)
    settings = ["press_force", "torque_3", "oven_temperature", "leak_rate", "flow"]
    for place in np.flatnonzero(model.predict(line.X) == 1)[:4]:
        row = line.X.iloc[[place]]
        whole = what_if(model, row, settings=settings, X=line.X)
        part = what_if(model, row, settings=settings, X=line.X, max_boxes=5)
        assert whole.is_exact
        assert part.bound <= whole.cost + 1e-12
        if part.changes:
            assert part.cost >= whole.cost - 1e-12
            assert model.predict(part.row)[0] == 0


def test_trees_of_others_flip_in_the_original():
    X = make_assembly_line(1500, random_state=0)
    numbers = X.X.select_dtypes(float)
    original = LGBMClassifier(n_estimators=30, num_leaves=7, verbose=-1, n_jobs=1, random_state=0)
    model = convert(original.fit(numbers, X.y))
    alerts = numbers[model.predict(numbers) == 1]
    flips = 0
    for place in range(min(len(alerts), 10)):
        settings = ["press_force", "torque_3", "oven_temperature"]
        found = what_if(model, alerts.iloc[[place]], settings=settings, X=numbers)
        if found.changes:
            flips += 1
            assert original.predict(found.row)[0] == 0
    assert flips > 0


def test_arrays_take_places_as_settings():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    model = ImbalancedTreeClassifier().fit(X, (X[:, 0] > 1.0).astype(int))
    found = what_if(model, [2.0, 0.0, 0.0], settings=0)
    (change,) = found.changes
    assert change.column == "x[0]"
    assert change.then == pytest.approx(1.0, abs=0.1)
    assert str(found).startswith("It would pass: lower x[0] from 2 to")


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"settings": "speed"}, "no column of the model"),
        ({"settings": []}, "settings is empty"),
        ({"settings": "a", "scales": {"b": 1.0}}, "not in settings"),
        ({"settings": "a", "scales": {"a": 0.0}}, "scales"),
        ({"settings": "a", "max_boxes": 0}, "max_boxes"),
    ],
)
def test_bad_wishes_are_refused(wishes, message):
    X, y = random_table(0)
    model = make_model("tree", X, y)
    with pytest.raises(ValueError, match=message):
        what_if(model, X.iloc[[0]], **wishes)
    with pytest.raises(ValueError, match="row must be one part, got 2"):
        what_if(model, X.iloc[:2], settings="a")


def test_models_without_trees_are_refused():
    X = np.arange(8.0)[:, None]
    with pytest.raises(TypeError, match="what_if needs a tree, a forest or what convert"):
        what_if(LeastSquaresClassifier().fit(X, X[:, 0] > 6), X[:1], settings=0)


def test_derived_columns_are_refused():
    from thresher import PairFeatures

    random = np.random.default_rng(0)
    X = pd.DataFrame(random.uniform(1.0, 2.0, size=(400, 2)), columns=["force", "area"])
    y = (X.force * X.area > 3.2).astype(int)
    model = ImbalancedTreeClassifier(pairs=PairFeatures(test=False)).fit(X, y)
    assert model.columns_.derived
    with pytest.raises(ValueError, match="part of a column that the model made of two") as caught:
        what_if(model, X.iloc[[0]], settings="force")
    way_out = "leave it out of settings=, or train with pairs=False."
    assert str(caught.value).endswith(way_out)
    with click.Context(main.commands["train"]):
        assert as_options(way_out) == "leave it out of --settings, or train with --no-pairs."
