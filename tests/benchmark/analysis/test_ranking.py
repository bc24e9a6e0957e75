"""Scores with names: what can be ranked, and what is said of it."""

import numpy as np
import pytest

from thresher.benchmark.analysis.ranking import Scores, rank

NAN = float("nan")
METHODS = ("a", "b", "c")


def scores(values, higher_is_better=True):
    datasets = tuple(f"set {row}" for row in range(len(values)))
    return Scores(datasets, METHODS[: len(values[0])], np.array(values), higher_is_better)


def test_a_part_keeps_values_with_their_names():
    table = scores([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    part = table.restricted(["set 1", "set 0"], ["c", "a"])
    assert part.values.tolist() == [[6.0, 4.0], [3.0, 1.0]]
    assert part.of("set 0", "c") == table.of("set 0", "c") == 3.0
    assert part.column("a").tolist() == [4.0, 1.0]


@pytest.mark.parametrize(
    ("values", "datasets", "methods"),
    [
        ([[1.0, 2.0, 3.0]], 1, "abc"),
        ([[NAN, NAN, NAN], [1.0, 2.0, 3.0]], 1, "abc"),
        ([[1.0, NAN, 3.0], [1.0, 2.0, 3.0]], 2, "ac"),
        ([[NAN, NAN, NAN]], 0, ""),
    ],
)
def test_what_can_be_ranked(values, datasets, methods):
    part = scores(values).complete()
    assert len(part.datasets) == datasets
    assert "".join(part.methods) == methods
    assert not np.isnan(part.values).any()


def test_places_and_first_places_count_ties():
    ranking = rank(scores([[0.9, 0.9, 0.1], [0.8, 0.7, 0.1], [0.2, 0.3, 0.1]]), "a")
    assert ranking.average == {"a": 1.5, "b": 1.5, "c": 3.0}
    assert [ranking.place(method) for method in METHODS] == [1, 1, 3]
    assert [ranking.firsts(method) for method in METHODS] == [2, 2, 0]
    assert [ranking.firsts(method, alone=True) for method in METHODS] == [1, 1, 0]


def test_the_control_and_what_is_not_told_apart_from_it_are_kept_by_rank():
    values = np.tile([0.9, 0.5, 0.88], (12, 1))
    values[::2, [0, 2]] = values[::2, [2, 0]]
    ranking = rank(scores(values.tolist()), "a")
    assert ranking.kept == ("a", "c")
    assert ranking.friedman.rejects


def test_lower_is_better_turns_the_ranks_around():
    values = [[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.2, 0.1, 0.3]]
    ranking = rank(scores(values, higher_is_better=False), "a")
    assert ranking.by_rank[0] == "a"
    assert ranking.pairs["c"].wins == 3


@pytest.mark.parametrize(
    ("values", "control"),
    [([[0.1, 0.2, 0.3]], "a"), ([[0.1, 0.2], [0.2, 0.1]], "z"), ([[0.1], [0.2]], "a")],
)
def test_without_enough_to_compare_there_is_no_comparison(values, control):
    ranking = rank(scores(values), control)
    assert ranking.friedman is None
    assert ranking.differences == ranking.pairs == {}
    assert set(ranking.kept) <= {"a"}


def test_printed_ranks_are_taken_as_they_are():
    given = np.array([[2.0, 1.0, 3.0], [2.0, 1.0, 3.0]])
    ranking = rank(scores([[0.5, 0.5, 0.1], [0.5, 0.5, 0.1]]), "a", given)
    assert ranking.average == {"a": 2.0, "b": 1.0, "c": 3.0}
