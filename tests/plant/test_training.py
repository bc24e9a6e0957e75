"""`thresher.train`: one truth in Python, on the command line, in the file and the report."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from tests.program import run
from tests.requirements import data_file
from thresher import train
from thresher.column import Texts
from thresher.datasets import make_assembly_line
from thresher.errors import ParameterError, TableError
from thresher.judging.candidates import Candidates
from thresher.judging.recipe import Recipe
from thresher.model_file.file import StoredModel, to_bytes
from thresher.plant import PlantModel
from thresher.tables import read_table
from thresher.tables.features import Features
from thresher.threshold.counts import Counts
from thresher.threshold.rules import make_rule
from thresher.threshold.score_counts import ScoreCounts
from thresher.wording import fixed, percent

COSTS = {"cost_fp": 5, "cost_fn": 80}


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(1500, random_state=1)


@pytest.fixture(scope="module")
def frame(line):
    return line.X.assign(scrap=line.y)


@pytest.fixture(scope="module", params=["tree", "forest"])
def model(request, frame):
    return train(frame, "scrap", model=request.param, trees=30, folds=3, rule="f1", **COSTS)


def shipped_bytes(estimator, threshold):
    estimator.threshold_ = threshold
    return to_bytes(StoredModel(estimator, None))


def test_the_shipped_estimator_is_the_recipes_on_all_rows_byte_for_byte(model):
    training = model.origin.training
    (candidate,) = (one for one in training.candidates() if one.name == model.facts.model)
    expected = clone(candidate.estimator).fit(training.features.X, training.labels)
    found = to_bytes(StoredModel(model.estimator, None))
    assert found == shipped_bytes(expected, model.estimator.threshold_)


def test_every_choice_is_made_without_the_rows_that_judge_it(model):
    """The first fold, done by hand: its training rows alone choose candidate and threshold."""
    training, fold = model.origin.training, model.facts.folds[0]
    rows, test = training.hold_out.splits()[0]
    estimator, chosen, *_ = training.at(rows).run()
    assert (chosen.candidate.name, chosen.threshold) == (fold.model, fold.threshold)
    X = model.origin.rows.features.take(test)
    alerts = model.predict_columns(X)  # the shipped model has seen these rows; the fold's has not
    assert len(alerts[0]["probability"]) == len(test)
    scores = training.problem(estimator).scores(estimator, training.at(test).features.X)
    counts = np.ravel(fold.counts)
    by_hand = np.bincount(2 * training.is_positive[test] + (scores > fold.threshold), minlength=4)
    np.testing.assert_array_equal(counts, by_hand)


def test_a_file_keeps_judgement_conditions_facts_and_report(model, tmp_path):
    model.report()
    model.save(tmp_path / "m.thresher")
    again = PlantModel.load(tmp_path / "m.thresher")
    assert again.judgement == model.judgement
    assert again.facts.as_json() == model.facts.as_json()
    assert again.conditions.to_json() == model.conditions.to_json()
    assert again.verdict == model.verdict
    assert again.report().html == model.report().html
    again.save(tmp_path / "again.thresher")
    assert (tmp_path / "again.thresher").read_bytes() == (tmp_path / "m.thresher").read_bytes()


@pytest.mark.parametrize(
    ("rule", "parameters"), [("f1", {}), ("budget", {"per_1000": 80}), ("bcr", {}), ("cost", {})]
)
def test_another_rule_is_judged_nested_without_a_fit(model, rule, parameters, tmp_path):
    model.save(tmp_path / "m.thresher")
    moved = PlantModel.load(tmp_path / "m.thresher").with_threshold(rule, **parameters)
    costs = model.facts.recipe.costs
    chooser = make_rule(rule, **({"costs": costs} if rule == "cost" else parameters))
    counts = np.zeros(4)
    for fold in model.facts.folds:
        threshold = chooser.choose(fold.inner.cuts(), fold.share)
        counts += np.ravel(fold.outer.counts_at(threshold))
    found = moved.judgement
    assert [found.tn, found.fp, found.fn, found.tp] == counts.tolist()
    if rule == "f1":
        assert found == model.judgement
        assert moved.threshold == model.threshold


def test_the_reachable_f1_is_that_of_the_judged_rows_whatever_the_rule(model):
    by_f1, by_recall = (model.with_threshold(*one) for one in (("f1",), (0.01,)))
    assert model.facts.reachable_f1 == by_f1.judgement.f1 == model.judgement.f1
    assert by_recall.facts.reachable_f1 == model.facts.reachable_f1


def test_a_number_is_judged_as_it_is_and_marked_as_fixed(model):
    moved = model.with_threshold(0.3)
    assert moved.judgement.is_fixed
    assert "fixed by the user" in str(moved.verdict)
    by_hand = sum(fold.outer.counts_at(0.3).tp[0] for fold in model.facts.folds)
    assert moved.judgement.tp == by_hand
    assert model.threshold != 0.3


def test_predictions_of_a_frame_and_of_a_file_are_one(model, frame, tmp_path):
    frame.to_csv(tmp_path / "parts.csv", index=False)
    by_frame, by_file = model.predict_table(frame), model.predict_table(tmp_path / "parts.csv")
    for name in ("probability", "decision", "condition"):
        assert by_frame[name].tolist() == by_file[name].tolist()
    expected = model.estimator.predict(model.origin.training.features.X)
    assert by_frame["decision"].tolist() == [int(label) for label in expected]
    assert by_frame[frame.columns.tolist()].equals(frame)


def test_training_rows_as_hold_out_give_a_warning(model, frame, caplog):
    assert model.test_conditions(frame).evidence == "training rows again"
    assert caplog.messages == [
        "1,500 of 1,500 rows were used for training; these figures are too high. Evaluate rows "
        "that are not in the training table."
    ]
    caplog.clear()
    later = make_assembly_line(800, random_state=9)
    other = later.X.assign(scrap=later.y)
    model.test_conditions(pd.concat([frame[:800], other]))
    assert re.match(r"about (7[0-9]0|8[0-9]0|900) of 1,600 rows were used", caplog.messages[0])
    caplog.clear()
    tested = model.test_conditions(other)
    assert not caplog.messages
    assert tested.evidence == "hold-out"
    assert tested.held.all_n == 800


@pytest.mark.parametrize("costs", [{}, COSTS], ids=["f1", "cost"])
def test_the_command_line_says_the_same(frame, tmp_path, costs):
    frame.to_csv(tmp_path / "parts.csv", index=False)
    out = tmp_path / "out"
    options = ["--model", "tree", "--folds", 3, "--out", out, "--json"]
    for name, cost in costs.items():
        options += [f"--{name.replace('_', '-')}", cost]
    done = run("train", tmp_path / "parts.csv", "--target", "scrap", *options)
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    model = train(tmp_path / "parts.csv", "scrap", model="tree", folds=3, **costs)
    assert told["judged"] == json.loads(json.dumps(model.judgement.as_data()))
    assert told["threshold"] == model.threshold
    assert told["verdict"] == model.verdict.as_data()
    now = json.loads(run("threshold", out, "--json").stdout)["now"]
    assert {key: now[key] for key in told["judged"]} == told["judged"]
    expected = expected_figures(model.judgement)
    assert figures_of(out / "report.html")[: len(expected)] == expected


def figures_of(path):
    """Return the figures at the head of a report, as a reader sees them."""
    page = path.read_text(encoding="utf-8")
    start = page.index('<dl class="figures">')
    head = page[start : page.index("</dl>", start)]
    return [one.split("<")[0] for one in head.split("<dd>")[1:]]


def expected_figures(judgement):
    shares = [percent(one) for one in (judgement.recall, judgement.precision, judgement.f1)]
    return [*shares, fixed(judgement.alerts_per_1000, 1)]


TABLES = (
    "ai4i2020",
    "secom",
    "steel_plates-dirtiness",
    "steel_plates-pastry",
    "steel_plates-stains",
    "steel_plates-z_scratch",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_one_truth_on_real_tables(name, tmp_path):
    """The headline of terminal, JSON, threshold and report is one, as judged in Python."""
    path, out = data_file(name), tmp_path / "out"
    done = run("train", path, "--target", "target", "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    table = read_table(path)
    judged = train(table, "target").judgement
    assert told["judged"] == json.loads(json.dumps(judged.as_data()))
    now = json.loads(run("threshold", out, "--json").stdout)["now"]
    assert {key: now[key] for key in told["judged"]} == told["judged"]
    assert figures_of(out / "report.html") == expected_figures(judged)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("ai4i2020", 0.732), ("steel_plates-pastry", 0.51)])
def test_the_default_is_no_worse_than_a_plain_tree(name, least):
    model = train(data_file(name), "target")
    assert model.judgement.f1 >= max(least, f1_of_a_gini_tree(model.origin.training))
    assert model.facts.model.startswith("forest")
    assert "Of 5 candidates, the forest (200 trees) did best on inner rows" in str(model.verdict)


def f1_of_a_gini_tree(training):
    """Return the F1 of scikit-learn's tree of 32 leaves, its threshold tuned in five folds."""
    X = np.column_stack(
        [
            one if not isinstance(one, Texts) else one.numbered(one.levels)
            for one in columns(training)
        ]
    )
    truth, counts = training.is_positive, np.zeros(4)
    for rows, test in training.hold_out.splits():
        tree = DecisionTreeClassifier(max_leaf_nodes=32, min_samples_leaf=5, random_state=0)
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        inner = cross_val_predict(tree, X[rows], truth[rows], cv=folds, method="predict_proba")
        threshold = make_rule("f1").choose(ScoreCounts.of(inner[:, 1], truth[rows]).cuts())
        alert = tree.fit(X[rows], truth[rows]).predict_proba(X[test])[:, 1] > threshold
        counts += np.ravel(Counts.of(alert, truth[test]))
    return float(Counts(*counts[:, None]).fbeta()[0])


def columns(training):
    return read_table(training.features.X).columns.values()


def numbers(column):
    return column.numbered(column.levels) if isinstance(column, Texts) else column


def test_on_noise_nothing_is_promised(tmp_path):
    random = np.random.default_rng(4)
    columns = {f"x{place}": random.normal(size=400) for place in range(4)}
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({**columns, "bad": random.random(400) < 0.11})
    model = train(frame, "bad", model="tree")
    assert model.verdict.level == "blind"
    assert 0.0 <= model.threshold <= 1.0
    assert not model.conditions.is_confirmed.any()
    share = model.predict_table(frame.drop(columns="bad"))["decision"].mean()
    if model.alerts_on == "everything":
        assert share == 1.0
        assert "alerts on everything" in str(model.verdict)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"target": "scarp"}, TableError, "did you mean 'scrap'"),
        ({"positive": 7}, TableError, "positive='7' is not a class"),
        ({"folds": 900}, TableError, "too few for 900 folds: take folds="),
        ({"rule": "cost"}, ParameterError, "needs cost_fp and cost_fn"),
        ({"model": "boost"}, ParameterError, "model='boost' is unknown"),
        ({"stages": {"nothing": "S1"}}, TableError, "stages names the column 'nothing'"),
    ],
)
def test_bad_input_is_one_sentence(frame, changed, error, words):
    given = {"target": "scrap", "model": "tree", "folds": 3, **changed}
    with pytest.raises(error, match=words):
        train(frame, **given)


def test_a_card_with_an_interval_of_bootstrap_samples_does_not_say_that_there_were_none(model):
    summary = model.report().summary["card"]
    assert "95 % interval" in summary["facts"]["Threshold"]
    assert "n_bootstrap" not in summary["parameters"]


def test_a_report_is_shown_in_a_notebook_and_saved(model, tmp_path):
    report = model.report()
    assert report._repr_html_().startswith("<iframe srcdoc=")
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    with pytest.raises(ValueError, match="There is no report for this model"):
        PlantModel(model.estimator, model.reader, model.conditions, model.facts).report()


def test_candidates_follow_the_rule_and_never_the_threshold():
    features = Features(None, ())
    for rule, pruning in (("f1", "f1"), ("bcr", "bcr"), ("prior", "bcr"), ("mcc", None)):
        found = Candidates(Recipe("tree", rule), features, "1").listed()
        assert found[0].estimator.pruning == pruning
        assert found[-1].estimator.pruning is None
        assert {one.estimator.threshold for one in found} == {"prior" if rule == "prior" else 0.5}
    costs = Candidates(Recipe("tree", "cost", 1.0, 9.0), features, "1").listed()
    assert {one.estimator.threshold for one in costs} == {0.1}


def test_options_of_trees_shape_the_candidates():
    features = Features(None, ())

    def shapes(**options):
        found = Candidates(Recipe("tree", **options), features, "1").listed()
        names = ("criterion", "max_leaf_nodes", "min_samples_leaf", "pruning")
        return {tuple(getattr(one.estimator, name) for name in names) for one in found}

    assert shapes(criterion="gini", leaves=12, min_samples_leaf=7, pruning="none") == {
        ("gini", 12, 7, None)
    }
    assert shapes(criterion="gini", leaves=12, pruning="bcr") == {("gini", 12, 5, "bcr")}
    assert {leaves for _, leaves, _, _ in shapes()} == {8, 32}
    forest = Candidates(Recipe("forest", min_samples_leaf=7), features, "1").listed()[0]
    assert forest.estimator.min_samples_leaf == 7


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "renyi"}, "criterion='renyi' is unknown"),
        ({"leaves": 1}, "leaves must be at least 2"),
        ({"min_samples_leaf": "few"}, "min_samples_leaf must be an integer"),
        ({"pruning": "f2"}, "pruning='f2' is unknown"),
    ],
)
def test_shapes_out_of_range_are_refused_in_one_sentence(options, words):
    line = make_assembly_line(300, random_state=0)
    with pytest.raises(ValueError, match=words):
        train(line.X.assign(scrap=line.y), "scrap", **options)


def test_the_candidates_are_told_with_their_noise(tmp_path):
    line = make_assembly_line(800, random_state=0)
    model = train(line.X.assign(scrap=line.y), "scrap", folds=2, model="tree")
    told = model.facts.candidates
    best = max(told, key=lambda one: one.value)
    assert best.gap == 0.0
    for one in told:
        assert one.low <= one.value <= one.high
        assert one.gap == pytest.approx(best.value - one.value)
    chosen = next(one for one in told if one.is_chosen)
    assert chosen.gap <= chosen.noise
    assert "What was compared" in model.report().html
    model.save(tmp_path / "m.thresher")
    assert PlantModel.load(tmp_path / "m.thresher").facts.candidates == told


def test_p_values_at_their_least_read_alike_on_terminal_report_and_file(tmp_path):
    line = make_assembly_line(800, random_state=0)
    model = train(line.X.assign(scrap=line.y), "scrap", folds=2, model="tree")
    least = min(model.conditions.p_value)
    assert model.conditions.least_p == least == 0.01
    page = model.report().html
    assert "p &lt;= 0.01" in page
    assert "the average,<br>in training" in page
    model.save(tmp_path / "m.thresher")
    back = PlantModel.load(tmp_path / "m.thresher").conditions
    assert back.to_text() == model.conditions.to_text()
    assert "p <= 0.01; confirmed" in back.to_text()


def test_without_lightgbm_no_boosted_trees_compete_and_that_is_said(monkeypatch, caplog):
    for module in ("thresher.judging.candidates", "thresher.plant.training"):
        monkeypatch.setattr(f"{module}.has_lightgbm", lambda: False)
    features = Features(None, ())
    listed = Candidates(Recipe("auto"), features, "1").listed()
    assert not any("boosted" in one.name for one in listed)
    line = make_assembly_line(300, random_state=0)
    with caplog.at_level("INFO", "thresher.plant"):
        train(line.X.assign(scrap=line.y), "scrap", folds=2, trees=5)
    assert "No boosted trees compete, since boosted trees need LightGBM" in caplog.text
