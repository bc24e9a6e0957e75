"""The drawing shows every node once, without boxes that hide each other."""

import re

import matplotlib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from thresher import ImbalancedTreeClassifier

matplotlib.use("Agg")
from matplotlib import pyplot


@pytest.fixture
def model():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    y = np.where(X[:, 0] + X[:, 1] + random.normal(size=300) > 2.0, "scrap", "ok")
    return ImbalancedTreeClassifier(max_depth=4).fit(X, y)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def boxes(figure):
    return [text for text in figure.axes[0].texts if "rows" in text.get_text()]


def test_every_node_has_a_box_with_its_counts_and_alpha(model):
    texts = [text.get_text() for text in boxes(model.plot())]
    tree = model.tree_
    assert len(texts) == tree.n_nodes
    for node, text in enumerate(texts):
        assert f"{tree.rows[node].sum()} rows, {tree.rows[node, 1]} positive" in text
        assert f"p = {tree.probability[node]:.3g}" in text
        assert f"alpha* = {tree.alpha[node]:.3g}" in text
        assert bool(re.search(r"x\[\d\] <=", text)) == (tree.feature[node] >= 0)


def test_boxes_do_not_overlap(model):
    figure = model.plot()
    figure.canvas.draw()
    extents = [text.get_bbox_patch().get_window_extent() for text in boxes(figure)]
    for index, one in enumerate(extents):
        assert not any(one.overlaps(other) for other in extents[index + 1 :])
        assert figure.bbox.contains(one.x0, one.y0)
        assert figure.bbox.contains(one.x1, one.y1)


def test_edges_say_yes_to_the_left(model):
    labels = [text for text in model.plot().axes[0].texts if text.get_text() in ("yes", "no")]
    assert len(labels) == model.tree_.n_nodes - 1
    assert sum(label.get_text() == "yes" for label in labels) == (model.tree_.n_nodes - 1) / 2


def test_depth_can_be_limited(model):
    texts = [text.get_text() for text in boxes(model.plot(max_depth=1))]
    assert len(texts) == 3
    assert any("(further splits)" in text for text in texts)
    assert len(boxes(model.plot(max_depth=0))) == 1


def test_axes_can_be_given(model):
    figure, ax = pyplot.subplots()
    assert model.plot(ax=ax) is figure


def test_a_single_leaf_is_drawn():
    model = ImbalancedTreeClassifier().fit([[1.0]] * 4, [0, 0, 0, 1])
    assert len(boxes(model.plot())) == 1


def test_an_unfitted_tree_has_no_drawing():
    with pytest.raises(NotFittedError):
        ImbalancedTreeClassifier().plot()


def test_without_matplotlib_the_extra_is_named(model, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'thresher\[plot\]'"):
        model.plot()
