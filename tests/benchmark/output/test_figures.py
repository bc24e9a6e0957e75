"""Figures: files of the right kind, every name in them, nothing told by colour alone."""

import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from thresher.benchmark.analysis.ranking import Scores, rank
from thresher.benchmark.output.figures import (
    draw_entropies,
    draw_ranks,
    draw_scores,
    render,
)
from thresher.benchmark.paper import paper_table
from thresher.criteria import renyi_entropy, shannon_entropy
from thresher.errors import MissingPackageError

PAPER = paper_table("f1")
HOSTILE = "<b>&$x$"
SVG = "{http://www.w3.org/2000/svg}"


def small_scores(*methods):
    values = np.random.default_rng(0).random((6, len(methods))) * 0.5
    values[:, 0] += 0.5
    return Scores(tuple(f"set {row}" for row in range(6)), methods, values)


def texts(figure):
    """Return the words of the figure as they stand in its SVG."""
    root = ElementTree.fromstring(render(figure, "svg"))
    found = ("".join(node.itertext()) for node in root.iter(f"{SVG}text"))
    return [text.replace("\N{NO-BREAK SPACE}", " ").strip() for text in found]


def test_files_are_of_their_kind_and_the_same_each_time():
    figures = [draw_ranks({"Here": PAPER.ranking}) for _ in range(2)]
    assert render(figures[0], "png").startswith(b"\x89PNG")
    assert render(figures[0], "svg") == render(figures[1], "svg")
    assert b"<dc:date>" not in render(figures[0], "svg")


def test_average_ranks_stand_at_their_place_with_their_names():
    figure = draw_ranks({"Here": PAPER.ranking})
    (ax,) = figure.axes
    ranks = PAPER.ranking.average
    drawn = sorted(float(points.get_offsets()[0][0]) for points in ax.collections)
    assert drawn == pytest.approx(sorted(ranks.values()))
    labels = {text.get_text().replace("\N{NO-BREAK SPACE}", " ").strip() for text in ax.texts}
    assert f"ARDT (control)  {ranks['ARDT']:.2f}" in labels
    assert f"HDDT (=)  {ranks['HDDT']:.2f}" in labels
    assert f"{ranks['LinR']:.2f}  LinR" in labels
    assert len(labels) == len(ranks)


def test_the_group_of_the_control_is_marked_by_a_bar_and_by_signs():
    figure = draw_ranks({"Here": PAPER.ranking})
    (ax,) = figure.axes
    bars = [line for line in ax.lines if line.get_linewidth() == 4.0]
    ranks = PAPER.ranking.average
    assert [sorted(bar.get_xdata()) for bar in bars] == [
        pytest.approx(sorted(ranks[name] for name in PAPER.ranking.kept))
    ]
    marked = {text.split(" (")[0] for text in texts(figure) if "(=)" in text and "Grey" not in text}
    assert marked == set(PAPER.ranking.kept) - {"ARDT"}


def test_methods_that_are_told_apart_have_no_bar():
    values = np.tile([0.9, 0.5, 0.1], (40, 1))
    scores = Scores(tuple(map(str, range(40))), ("a", "b", "c"), values)
    figure = draw_ranks({"Here": rank(scores, "a")})
    assert not [line for line in figure.axes[0].lines if line.get_linewidth() == 4.0]


@pytest.mark.parametrize("control", ["m0", None])
def test_two_methods_make_a_diagram(control):
    ranking = rank(small_scores("m0", "m1"), control)
    assert any("m1" in text for text in texts(draw_ranks({"Here": ranking})))


def test_dots_stand_at_the_scores_beside_the_printed_ones():
    ours = Scores(PAPER.scores.datasets, PAPER.scores.methods, PAPER.scores.values * 0.5)
    figure = draw_scores(ours, "F1", PAPER.scores)
    for ax, here, printed in zip(figure.axes, ours.values, PAPER.scores.values, strict=True):
        lines = {line.get_label(): line for line in ax.lines}
        np.testing.assert_array_equal(lines["here"].get_xdata(), here)
        np.testing.assert_array_equal(lines["paper"].get_xdata(), printed)
        assert lines["here"].get_marker() != lines["paper"].get_marker()
    words = texts(figure)
    assert {*ours.datasets, "here", "paper", "F1"} <= set(words)
    assert words.count("ARDT") == 6  # once for each row of panels


def test_a_missing_score_and_a_data_set_that_the_paper_lacks_leave_gaps():
    scores = small_scores("ARDT", "mine")
    scores.values[0, 0] = np.nan
    figure = draw_scores(scores, "F1", PAPER.scores)
    assert "mine" in texts(figure)
    assert np.isnan(figure.axes[0].lines[0].get_xdata()).any()


def test_panels_without_a_data_set_are_not_shown():
    scores = small_scores("a", "b").restricted([f"set {row}" for row in range(4)], ["a", "b"])
    figure = draw_scores(scores, "F1")
    assert [ax.get_visible() for ax in figure.axes] == [True] * 4 + [False] * 2
    assert texts(figure).count("F1") == 3  # below the last panel of each column


def test_hostile_names_are_names():
    scores = Scores((HOSTILE, "b"), (HOSTILE, "other"), np.array([[0.1, 0.2], [0.3, 0.4]]))
    assert texts(draw_scores(scores, HOSTILE)).count(HOSTILE) >= 3
    assert any(HOSTILE in text for text in texts(draw_ranks({HOSTILE: rank(scores, None)})))


def test_entropies_are_those_of_the_formulas_and_shannon_is_dashed():
    (ax,) = draw_entropies((0.5, 2.0)).axes
    half, two, shannon = ax.lines
    share = half.get_xdata()
    np.testing.assert_array_equal(half.get_ydata(), renyi_entropy(share, 0.5))
    np.testing.assert_array_equal(two.get_ydata(), renyi_entropy(share, 2.0))
    np.testing.assert_array_equal(shannon.get_ydata(), shannon_entropy(share))
    assert [line.get_linestyle() for line in ax.lines] == ["-", "-", "--"]
    assert half.get_marker() != two.get_marker()


@pytest.mark.parametrize(
    ("package", "sentence"),
    [
        ("matplotlib", r"Figures need matplotlib: pip install 'thresher\[benchmark\]'"),
        ("scikit_posthocs", r"need scikit-posthocs: pip install 'thresher\[benchmark\]'"),
    ],
)
def test_without_a_package_the_sentence_says_what_to_install(monkeypatch, package, sentence):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=sentence):
        draw_ranks({"Here": PAPER.ranking})
