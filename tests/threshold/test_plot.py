"""The drawing of the curve."""

import matplotlib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from thresher import ThresholdClassifier
from thresher.datasets import load_dataset

matplotlib.use("Agg")
from matplotlib import pyplot

X, Y = load_dataset("Yeast-me1")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def fitted(estimator, **parameters):
    return ThresholdClassifier(estimator, "f1", **parameters).fit(X, Y)


def test_lines_are_the_columns_of_the_curve():
    model = fitted(LogisticRegression(C=100))
    (ax,) = model.plot_curve().axes
    drawn = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(drawn["F1"].get_ydata(), model.curve_["f1"])
    np.testing.assert_array_equal(drawn["recall"].get_ydata(), model.curve_["recall"])
    line = drawn[f"threshold {model.threshold_:.3g}"]
    assert line.get_xdata()[0] == pytest.approx(model.threshold_)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "95 % interval" in labels


def test_probabilities_have_plain_labels_on_the_scale_of_log_odds():
    figure = fitted(LogisticRegression(C=100)).plot_curve()
    figure.canvas.draw()
    ax = figure.axes[0]
    assert ax.get_xscale() == "logit"
    low, high = ax.get_xlim()
    shown = [
        label.get_text() for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high
    ]
    assert "0.01" in shown
    assert "0.5" in shown


def test_scores_and_certain_probabilities_are_drawn_too():
    scores = fitted(LinearSVC()).plot_curve()
    assert scores.axes[0].get_xscale() == "linear"
    certain = fitted(KNeighborsClassifier(1)).plot_curve()
    certain.canvas.draw()
    assert np.isfinite(certain.axes[0].get_lines()[0].get_xdata()).all()


def test_without_bootstrap_there_is_no_band():
    ax = fitted(LogisticRegression(C=100), n_bootstrap=0).plot_curve().axes[0]
    assert "95 % interval" not in [text.get_text() for text in ax.get_legend().get_texts()]


def test_axes_can_be_given():
    figure, ax = pyplot.subplots()
    assert fitted(LogisticRegression(C=100)).plot_curve(ax=ax) is figure


def test_an_unfitted_model_has_no_curve():
    with pytest.raises(NotFittedError):
        ThresholdClassifier(LogisticRegression()).plot_curve()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    model = fitted(LogisticRegression(C=100))
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"plot_curve needs .* pip install 'thresher\[plot\]'"):
        model.plot_curve()
