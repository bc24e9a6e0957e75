"""Pairs are kept where they were planted, and hardly ever elsewhere: the study, small and whole."""

from importlib import import_module

import numpy as np
import pytest


@pytest.fixture
def study():
    return import_module("studies.pairs.study")


def outcomes(study, without, with_):
    first = study.FIRST_SEED
    return [
        [study.run(make, seed, with_costs=False) for seed in range(first, first + count)]
        for make, count in ((study.without_pair, without), (study.with_pair, with_))
    ]


def test_one_table_of_each_sort_and_six_planted_pairs(study):
    without, planted = outcomes(study, 8, 6)
    assert len({one.sort for one in without}) == 8
    assert sum(bool(one.pairs) for one in without) <= 1
    assert sum(one.is_found for one in planted) >= 5


def test_the_makers_plant_what_they_say(study):
    """A split of the planted pair tells scrap from the rest far better than any column does."""
    for seed in range(6):
        made = study.with_pair(seed)
        assert made.X.shape[1] == 20
        assert 0.01 < made.y.mean() < 0.06
        best_of_columns = max(gap(column, made.y) for column in made.X.T)
        assert gap(made.truth, made.y) > best_of_columns


def gap(values, y):
    """Return by how much the ranks of scrap, counted from the middle, exceed those of the rest."""
    ranks = np.argsort(np.argsort(values)) / len(values)
    outside = np.abs(ranks - 0.5)
    return outside[y == 1].mean() - outside[y == 0].mean()


@pytest.mark.slow
def test_the_whole_study_reaches_its_aims(study):
    without, planted = outcomes(study, study.WITHOUT, study.WITH)
    assert sum(bool(one.pairs) for one in without) <= 16
    assert sum(one.is_found for one in planted) >= 45
