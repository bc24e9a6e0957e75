"""max_bins="auto": exact values up to a number of rows, bins above."""

import numpy as np
import pytest
from sklearn.base import clone

from tests.forest.tables import rare
from tests.model_file.copies import copied
from thresher import ImbalancedForestClassifier
from thresher.forest import parameters
from thresher.forest.training_rows import NumberedRows, vote


@pytest.fixture
def few_exact(monkeypatch):
    monkeypatch.setattr(parameters, "EXACT_ROWS", 300)


def same(one, other):
    assert one.forest_.nodes.tobytes() == other.forest_.nodes.tobytes()
    assert one.forest_state_.votes.total.tobytes() == other.forest_state_.votes.total.tobytes()
    assert one.threshold_ == other.threshold_


@pytest.mark.parametrize(("n_rows", "bins"), [(300, None), (301, 255)])
@pytest.mark.parametrize("bootstrap", ["stratified", "balanced"])
@pytest.mark.usefixtures("few_exact")
def test_the_number_of_rows_decides(n_rows, bins, bootstrap):
    X, y = rare(n_rows)
    how = {"random_state": 0, "n_bootstrap": 0, "bootstrap": bootstrap}
    auto = ImbalancedForestClassifier(5, **how).fit(X, y)
    said = ImbalancedForestClassifier(5, max_bins=bins, **how).fit(X, y)
    assert auto.max_bins == "auto"
    assert auto.max_bins_ == said.max_bins_ == bins
    assert auto.estimators_[0].max_bins == bins
    same(auto, said)


@pytest.mark.usefixtures("few_exact")
def test_cuts_are_edges_above_and_values_below():
    X, y = rare(2000)
    bins = ImbalancedForestClassifier(5, random_state=0, n_bootstrap=0).fit(X, y)
    exact = clone(bins).set_params(max_bins=None).fit(X, y)
    cuts = [len(np.unique(of.forest_.nodes["cut"])) for of in (bins, exact)]
    assert cuts[0] < cuts[1]


@pytest.mark.usefixtures("few_exact")
def test_files_clones_and_warm_starts_keep_the_choice():
    X, y = rare(600)
    model = ImbalancedForestClassifier(4, random_state=0, n_bootstrap=0).fit(X, y)
    loaded = copied(model)
    assert (loaded.max_bins, loaded.max_bins_) == ("auto", 255)
    assert clone(model).max_bins == "auto"
    more = clone(model).set_params(warm_start=True).fit(X, y)
    same(
        more.set_params(n_estimators=6).fit(X, y), clone(model).set_params(n_estimators=6).fit(X, y)
    )


def test_other_words_are_refused():
    X, y = rare(50)
    with pytest.raises(ValueError, match="max_bins must be an integer or 'auto', got 'many'"):
        ImbalancedForestClassifier(3, max_bins="many").fit(X, y)


@pytest.mark.parametrize("smoothing", [None, "laplace", "m_estimate"])
@pytest.mark.parametrize("max_bins", [None, 20])
def test_votes_in_growth_are_votes_by_the_values_of_leaves(smoothing, max_bins):
    X, y = rare(700)
    X[::7, 1] = np.nan
    weight = np.random.default_rng(0).integers(0, 4, len(y)) / 2.0
    model = ImbalancedForestClassifier(
        9, smoothing=smoothing, max_bins=max_bins, class_weight={0: 1.0, 1: 3.0}, random_state=1
    ).fit(X, y, weight)
    later = vote(model, NumberedRows(model.forest_state_.training_rows))
    assert np.array_equal(later.total, model.forest_state_.votes.total)
    assert np.array_equal(later.n_votes, model.forest_state_.votes.n_votes)
