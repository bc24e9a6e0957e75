"""Questions: limits of references, shares of alpha, hits of entries."""

import numpy as np
import pytest
from scipy.stats import binom

from thresher.errors import ModelFileError, ParameterError
from thresher.judging.facts import Facts
from thresher.judging.judgement import Judgement
from thresher.judging.watch.journal import Entry
from thresher.judging.watch.question import Question, ask

FACTS = Facts(
    target="scrap", rows=1000, positives=10, judgement=Judgement(900, 40, 20, 40, "by hand")
)
ALL = ("rate", "misses", "alerts")


def test_questions_and_their_references():
    asked = {one.name: one for one in ask(FACTS, ALL, 0.05)}
    assert {name: (one.hits, one.rows) for name, one in asked.items()} == {
        "rate": (10, 1000),
        "misses": (20, 60),
        "alerts": (80, 1000),
        "fewer alerts": (80, 1000),
    }
    assert asked["fewer alerts"].limit < 0.08 < asked["alerts"].limit
    assert asked["fewer alerts"].bet_limit == 1.0 - asked["fewer alerts"].limit
    assert not asked["alerts"].is_low


@pytest.mark.parametrize(
    ("watched", "count"), [(("rate",), 1), ("misses", 1), (("alerts",), 2), (ALL, 4)]
)
def test_what_all_questions_spend_is_alpha(watched, count):
    asked = ask(FACTS, watched, 0.05)
    assert len(asked) == count
    assert sum(2 * one.spent for one in asked) == pytest.approx(0.05)
    assert {one.line for one in asked} == {1.0 / asked[0].spent}


@pytest.mark.parametrize(("hits", "rows"), [(10, 1000), (0, 50), (3, 7)])
def test_limits_are_exact(hits, rows):
    # At the upper limit so few hits, at the lower one so many, have just the probability spent.
    high = Question("rate", hits, rows, 0.025).limit
    assert binom.cdf(hits, rows, high) == pytest.approx(0.025)
    low = Question("fewer alerts", hits, rows, 0.025).limit
    assert (binom.sf(hits - 1, rows, low) == pytest.approx(0.025)) if hits else low == 0.0


def test_a_reference_without_rows_allows_everything():
    asked = Question("misses", 0, 0, 0.01)
    assert asked.limit == 1.0
    assert np.isnan(asked.reference)


def test_counts_of_entries():
    entries = [
        Entry("2024-01-01", "a" * 32, 100, 7, 50, 4, 1),
        Entry(None, "b" * 32, 9, 0, 0, 0, 0),
    ]
    expected = {
        "rate": ([4, 0], [50, 0]),
        "misses": ([1, 0], [4, 0]),
        "alerts": ([7, 0], [100, 9]),
        "fewer alerts": ([93, 9], [100, 9]),
    }
    for one in ask(FACTS, ALL, 0.05):
        hits, rows = one.bets(entries)
        assert (hits.tolist(), rows.tolist()) == expected[one.name]


@pytest.mark.parametrize(
    ("watched", "alpha", "words"),
    [
        ((), 0.05, "watched= is empty; choose from rate, misses, alerts."),
        (("rate", "hits"), 0.05, "watched= has 'hits'; choose from"),
        (ALL, 0.0, "alpha must be at least 1e-06 and at most 0.5"),
        (ALL, 0.7, "alpha must be at least 1e-06 and at most 0.5"),
    ],
)
def test_bad_parameters(watched, alpha, words):
    with pytest.raises(ValueError, match=words):
        ask(FACTS, watched, alpha)
    if alpha == 0.05:
        with pytest.raises(ParameterError):
            ask(FACTS, watched, alpha)


def test_a_model_that_does_not_know_its_judgement_is_refused():
    with pytest.raises(ModelFileError, match="train it again with thresher"):
        ask(Facts(target="scrap", rows=10, positives=2), ALL, 0.05)
