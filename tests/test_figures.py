"""Figures: every node and every threshold is drawn once, with its counts; files are sound."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from tests.figures import paths_of, words_in
from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier, ThresholdClassifier
from thresher.answers import ALERT, PASS, REFER
from thresher.datasets import load_dataset
from thresher.errors import ParameterError

X, Y = load_dataset("Yeast-me1")
TOP, BOTTOM = 12.0, 260.0
"""Heights of 100 % and of 0 % along the threshold."""


@pytest.fixture(scope="module")
def table():
    return Table(rows=900, columns=4, labels=("ok", "scrap"), noise=1.0).numpy()


@pytest.fixture(scope="module")
def model(table):
    return ImbalancedTreeClassifier(max_leaf_nodes=32, pruning=None).fit(*table)


def counts(figure):
    """Return positives and rows of every line."""
    found = [re.match(r"([\d,]+) of ([\d,]+)", words) for words in words_in(figure)]
    return [tuple(int(one.replace(",", "")) for one in pair.groups()) for pair in found if pair]


def test_every_node_has_a_line_with_its_question_and_counts(model):
    figure, tree = model.plot(), model.tree_
    assert tree.n_leaves == 32
    assert counts(figure) == list(zip(tree.rows[:, 1], tree.rows.sum(axis=1), strict=True))
    assert sum(words.startswith("x[") for words in words_in(figure)) == tree.n_nodes - 1
    bars = re.findall(r'width="([\d.]+)" height="10" class="bad"', figure.drawn)
    shares = tree.rows[:, 1] / tree.rows.sum(axis=1)
    assert [float(bar) for bar in bars] == pytest.approx(80 * shares, abs=0.06)


def test_leaves_tell_their_answer(table):
    model = ImbalancedTreeClassifier(max_leaf_nodes=8, pruning=None).fit(*table)
    model.threshold_, model.threshold_alert_ = 0.1, 0.9
    scores = model.tree_.probability[model.tree_.is_leaf]
    answers = [words.split()[-1] for words in words_in(model.plot())]
    referred = ((scores > 0.1) & (scores <= 0.9)).sum()
    expected = {ALERT: (scores > 0.9).sum(), REFER: referred, PASS: (scores <= 0.1).sum()}
    assert {answer: answers.count(answer) for answer in expected} == expected
    assert referred > 0


def test_depth_can_be_limited(model):
    assert len(counts(model.plot(max_depth=1))) == 3
    hidden = model.tree_.n_nodes - 3
    assert sum(int(one) for one in words_in(model.plot(max_depth=1)) if one[0] == "+") == hidden
    assert len(counts(model.plot(max_depth=0))) == 1


def test_an_unfitted_model_has_no_figure():
    with pytest.raises(NotFittedError):
        ImbalancedTreeClassifier().plot()
    with pytest.raises(NotFittedError):
        ThresholdClassifier(LogisticRegression()).plot_curve()


def test_a_notebook_draws_a_fitted_tree_and_shows_the_diagram_of_another(model):
    page = model._repr_html_()
    assert page.count("<text") >= 2 * model.tree_.n_nodes
    assert model._repr_mimebundle_()["text/html"] == page
    assert "<svg" not in ImbalancedTreeClassifier()._repr_mimebundle_()["text/html"]


def test_a_large_tree_is_cut_in_a_notebook(table):
    model = ImbalancedTreeClassifier(pruning=None, min_samples_leaf=1).fit(*table)
    assert model.tree_.n_nodes > 127
    assert len(model._repr_html_()) < 100_000


def test_names_are_escaped_in_a_notebook_and_in_a_file(table):
    X = pd.DataFrame(table[0], columns=["<script>", "</svg>", "&amp;", "'\""])
    model = ImbalancedTreeClassifier(max_depth=3).fit(X, table[1])
    for page in (model._repr_html_(), model.plot().svg):
        assert "<script>" not in page
        assert page.count("</svg>") == 1
    assert any(words.startswith(tuple(X.columns)) for words in words_in(model.plot()))


def fitted(estimator, **parameters):
    return ThresholdClassifier(estimator, "f1", **parameters).fit(X, Y)


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(C=100), LinearSVC(), KNeighborsClassifier(1)], ids=str
)
def test_lines_are_the_columns_of_the_curve(estimator):
    model = fitted(estimator)
    figure, curve = model.plot_curve(), model.curve_
    chosen = np.abs(curve["threshold"] - model.threshold_).argmin()
    (marker, *_) = paths_of(figure, "marker")
    for number, name in enumerate(["recall", "precision", "f1"], start=1):
        path = np.array(paths_of(figure, f"line series-{number}")[0])
        heights = BOTTOM - (BOTTOM - TOP) * np.asarray(curve[name])
        assert (np.abs(path[:, 1, None] - heights).min(axis=1) < 0.06).all()
        x, steps = marker[0][0], np.flatnonzero(path[:-1, 1] == path[1:, 1])
        over = steps[(path[steps, 0] <= x + 0.3) & (path[steps + 1, 0] >= x - 0.3)]
        assert np.abs(path[over, 1] - heights[chosen]).min() < 0.06
        assert (np.diff(path[:, 0]) >= 0.0).all()
    assert f"threshold {model.threshold_:.3g}" in words_in(figure)
    assert len(figure.svg) < 100_000


def test_probabilities_have_plain_labels_on_the_scale_of_log_odds():
    words = words_in(fitted(LogisticRegression(C=100)).plot_curve())
    assert {"0.01", "0.5", "threshold (scale of log odds)", "its 95 % interval"} <= set(words)
    assert "threshold" in words_in(fitted(LinearSVC()).plot_curve())


def test_without_bootstrap_there_is_no_band():
    figure = fitted(LogisticRegression(C=100), n_bootstrap=0).plot_curve()
    assert "its 95 % interval" not in words_in(figure)


def test_a_figure_is_saved_as_svg_alone(model, tmp_path):
    figure = model.plot()
    figure.save(tmp_path / "figure.svg")
    saved = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert saved == figure.svg == figure._repr_svg_()
    assert "var(" not in saved
    with pytest.raises(ParameterError, match=r"figure.png' does not end in .svg"):
        figure.save(tmp_path / "figure.png")
