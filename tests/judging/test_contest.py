"""The contest of candidates, against resampling of the rows themselves."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from thresher.judging.contest import Contest, Entry
from thresher.threshold.counts import Counts


def decided(seed=0, n=2000):
    """Return the truth and two candidates that err on different rows."""
    random = np.random.default_rng(seed)
    truth = random.random(n) < 0.1
    scores = truth + random.normal(0.0, 0.6, n)
    other = scores + random.normal(0.0, 0.3, n)
    return truth, scores > 0.8, other > 0.8


def test_gap_and_noise_are_those_of_resampled_rows():
    truth, first, second = decided()
    known = np.ones(len(truth), dtype=bool)
    entries = [Entry(0, first, known), Entry(1, second, known)]
    standings = Contest(truth, Counts.fbeta).standings(entries)
    f1 = [f1_score(truth, one) for one in (first, second)]
    assert [one.value for one in standings] == pytest.approx(f1)
    assert [one.gap for one in standings] == pytest.approx([max(f1) - one for one in f1])

    random, drawn = np.random.default_rng(1), []
    for _ in range(500):
        rows = random.integers(len(truth), size=len(truth))
        drawn.append([f1_score(truth[rows], one[rows]) for one in (first, second)])
    own, other = np.transpose(drawn)
    worse = int(np.argmin(f1))
    assert standings[worse].noise == pytest.approx(np.std(own - other), rel=0.15)
    low, high = np.quantile(own, [0.025, 0.975])
    assert (standings[0].low, standings[0].high) == pytest.approx((low, high), abs=0.02)


def test_rows_that_one_candidate_has_not_judged_do_not_count():
    truth, first, second = decided()
    known, part = np.ones(len(truth), dtype=bool), np.arange(len(truth)) < 1500
    whole = Contest(truth, Counts.fbeta).standings([Entry(0, first, part), Entry(1, second, known)])
    short = Contest(truth[part], Counts.fbeta).standings([Entry(0, first[part], known[part])])
    assert whole[0].value == short[0].value


def test_simpler_wins_within_the_noise_and_loses_beyond():
    truth, first, _ = decided()
    known = np.ones(len(truth), dtype=bool)
    nearly = first.copy()
    nearly[np.flatnonzero(first & truth)[:6]] = False
    nearly[np.flatnonzero(~first & truth)[:5]] = True
    far = first & (np.arange(len(first)) % 2 == 0)
    contest = Contest(truth, Counts.fbeta)
    for simple, wanted in ((nearly, 0), (far, 1)):
        entries = [Entry(0, simple, known), Entry(1, first, known)]
        assert contest.winner(entries, contest.standings(entries)) == wanted


def test_noise_is_no_excuse_for_being_far_behind():
    truth = np.zeros(300, dtype=bool)
    truth[:6] = True
    known, good = np.ones(300, dtype=bool), np.zeros(300, dtype=bool)
    good[[0, 1, 2, 3, 200, 201]] = True
    worse = good.copy()
    worse[[3, 4, 202]] = False, True, True
    contest = Contest(truth, Counts.fbeta)
    entries = [Entry(0, worse, known), Entry(1, good, known)]
    standings = contest.standings(entries)
    assert 0.03 * standings[1].value < standings[0].gap < standings[0].noise
    assert contest.winner(entries, standings) == 1


def test_of_equals_the_best_competes():
    truth, first, _ = decided()
    known = np.ones(len(truth), dtype=bool)
    nearly = first.copy()
    nearly[np.flatnonzero(first & truth)[:1]] = False
    entries = [Entry(0, nearly, known), Entry(0, first, known)]
    contest = Contest(truth, Counts.fbeta)
    assert contest.winner(entries, contest.standings(entries)) == 1
