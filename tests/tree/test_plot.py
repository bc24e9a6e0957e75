"""The drawing shows every node once, on a line of its own, without words that hide each other."""

import matplotlib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from thresher import ImbalancedTreeClassifier
from thresher.answers import ALERT, PASS, REFER

matplotlib.use("Agg")
from matplotlib import pyplot


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 4))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + random.normal(size=900) > 2.0, "scrap", "ok")
    return X, y


@pytest.fixture(scope="module")
def model(table):
    return ImbalancedTreeClassifier(max_leaf_nodes=32, pruning=None).fit(*table)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def counts(figure):
    return [text for text in texts(figure) if " of " in text and " row" in text]


def test_every_node_has_a_line_with_its_question_and_counts(model):
    figure, tree = model.plot(), model.tree_
    assert tree.n_leaves == 32
    assert len(counts(figure)) == tree.n_nodes
    for node, text in enumerate(counts(figure)):
        assert text.startswith(f"{tree.rows[node, 1]:,} of {tree.rows[node].sum():,} row")
    assert sum("x[" in text for text in texts(figure)) == tree.n_nodes - 1
    assert not any("alpha" in text for text in texts(figure))


def test_bars_are_shares_of_positives(model):
    tree = model.tree_
    bars = [bar.get_width() for bar in model.plot().axes[0].patches]
    shares = tree.rows[:, 1] / tree.rows.sum(axis=1)
    np.testing.assert_allclose(np.array(bars[1::2]) / bars[0], shares)


@pytest.mark.parametrize("name", ["x", "a name of a column of a hundred letters " * 3])
def test_words_do_not_overlap_at_32_leaves(table, name):
    import pandas as pd

    X = pd.DataFrame(table[0], columns=[f"{place} {name}" for place in range(4)])
    model = ImbalancedTreeClassifier(max_leaf_nodes=32, pruning=None).fit(X, table[1])
    figure = model.plot()
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text()]
    for index, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[index + 1 :])
        assert figure.bbox.contains(one.x0, one.y0)
        assert figure.bbox.contains(one.x1, one.y1)


def test_leaves_tell_their_answer(table):
    model = ImbalancedTreeClassifier(max_leaf_nodes=8, pruning=None).fit(*table)
    model.threshold_ = 0.2
    told = [text.split()[-1] for text in texts(model.plot()) if text]
    assert {PASS, ALERT} <= set(told)
    assert REFER not in told
    model.threshold_, model.threshold_alert_ = 0.1, 0.9
    told = [text.split()[-1] for text in texts(model.plot()) if text]
    scores = model.tree_.probability[model.tree_.is_leaf]
    assert told.count(REFER) == ((scores > 0.1) & (scores <= 0.9)).sum()
    assert told.count(REFER) > 0


def test_depth_can_be_limited(model):
    figure = model.plot(max_depth=1)
    assert len(counts(figure)) == 3
    assert any("nodes below" in text for text in texts(figure))
    assert len(counts(model.plot(max_depth=0))) == 1


def test_axes_can_be_given(model):
    figure, ax = pyplot.subplots()
    assert model.plot(ax=ax) is figure


def test_a_single_leaf_is_drawn():
    model = ImbalancedTreeClassifier().fit([[1.0]] * 4, [0, 0, 0, 1])
    assert len(counts(model.plot())) == 1


def test_an_unfitted_tree_has_no_drawing():
    with pytest.raises(NotFittedError):
        ImbalancedTreeClassifier().plot()


def test_without_matplotlib_the_extra_is_named(model, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'thresher\[plot\]'"):
        model.plot()


def test_a_notebook_draws_a_fitted_tree_and_shows_the_diagram_of_another(model):
    page = model._repr_html_()
    assert page.count("<text") >= 2 * model.tree_.n_nodes
    assert model._repr_mimebundle_()["text/html"] == page
    assert "<svg" not in ImbalancedTreeClassifier()._repr_mimebundle_()["text/html"]


def test_a_large_tree_is_cut_in_a_notebook(table):
    model = ImbalancedTreeClassifier(pruning=None, min_samples_leaf=1).fit(*table)
    assert model.tree_.n_nodes > 127
    assert len(model._repr_html_()) < 100_000


def test_names_are_escaped_in_a_notebook(table):
    import pandas as pd

    X = pd.DataFrame(table[0], columns=["<script>", "</svg>", "&amp;", "'\""])
    page = ImbalancedTreeClassifier(max_depth=3).fit(X, table[1])._repr_html_()
    assert "<script>" not in page
    assert page.count("</svg>") == 1
