"""Daily monitoring: counts, control limits, and a threshold that follows the rate."""

import numpy as np
import pandas as pd
import pytest

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.datasets import make_assembly_line
from thresher.plant import daily_monitoring


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(random_state=0)


@pytest.fixture(scope="module")
def split(line):
    return line.time < np.datetime64("2024-01-31")


@pytest.fixture(scope="module")
def forest(line, split):
    return ImbalancedForestClassifier(60, random_state=0).fit(line.X[split], line.y[split])


@pytest.fixture(scope="module")
def days(line, split, forest):
    later = ~split
    return daily_monitoring(forest, line.X[later], line.y[later], line.time[later])


def test_counts_by_day(line, split, forest, days):
    later = pd.DataFrame({"y": line.y, "p": forest.predict_proba(line.X)[:, 1]})[~split]
    by_day = later.groupby(pd.to_datetime(line.time[~split]).date)
    np.testing.assert_array_equal(days.parts, by_day.y.count())
    np.testing.assert_array_equal(days.scrap, by_day.y.sum())
    np.testing.assert_allclose(days.predicted, by_day.p.mean())
    assert days.center == pytest.approx(line.y[~split].mean())


def test_alerts_without_moving_are_those_of_predict(line, split, forest, days):
    alarms = forest.predict(line.X[~split]) == 1
    assert days.fixed_alerts.sum() == alarms.sum()
    assert days.fixed_hits.sum() == (alarms & (line.y[~split] == 1)).sum()


def test_the_model_given_is_not_changed(line, split):
    model = ImbalancedForestClassifier(20, random_state=0).fit(line.X[split], line.y[split])
    before = (model.threshold_, model.prior_, model.n_bootstrap, model.threshold_interval_)
    daily_monitoring(model, line.X[~split], line.y[~split], line.time[~split])
    assert before == (model.threshold_, model.prior_, model.n_bootstrap, model.threshold_interval_)


def test_threshold_is_that_of_adjust_prior(line, split, days):
    model = ImbalancedForestClassifier(60, random_state=0).fit(line.X[split], line.y[split])
    later_X, later_time = line.X[~split], line.time[~split].astype("datetime64[D]")
    place = 12
    recent = (later_time <= days.day[place]) & (
        later_time > days.day[place] - np.timedelta64(7, "D")
    )
    rate = model.estimate_prior(later_X[recent])
    assert days.estimated[place] == pytest.approx(rate)
    alarms = model.adjust_prior(rate).predict(later_X[later_time == days.day[place]]) == 1
    assert days.alerts[place] == alarms.sum()


def test_following_finds_more_when_the_rate_has_risen(days, forest):
    assert days.center > 1.3 * forest.prior_
    assert days.threshold.mean() < forest.threshold_
    assert days.hits.sum() >= days.fixed_hits.sum()


def test_control_limits_are_of_a_binomial_share():
    # 20 days of 400 parts under control, then one with twice the rate.
    random = np.random.default_rng(0)
    day = np.repeat(np.arange(21), 400)
    y = random.random(len(day)) < np.where(day == 20, 0.2, 0.1)
    y[:2] = [False, True]
    time = np.datetime64("2024-01-01") + day.astype("timedelta64[D]")
    model = ImbalancedTreeClassifier(max_depth=1).fit(np.arange(8.0)[:, None], [0] * 4 + [1] * 4)
    X = np.zeros((len(day), 1))
    found = daily_monitoring(model, X, y.astype(int), time, center=0.1)
    low, high = found.limits
    assert (low[0], high[0]) == pytest.approx((0.1 - 3 * 0.015, 0.1 + 3 * 0.015))
    assert found.is_out.tolist() == [False] * 20 + [True]
    # A single tree has no prior to adjust.
    assert np.isnan(found.estimated).all()
    assert np.isnan(found.threshold).all()


def test_out_of_bag_probabilities_for_the_rows_of_the_fit(line):
    model = ImbalancedForestClassifier(60, random_state=0).fit(line.X, line.y)
    votes = model.oob_decision_function_[:, 1]
    honest = daily_monitoring(model, line.X, line.y, line.time, probability=votes)
    flattered = daily_monitoring(model, line.X, line.y, line.time)
    assert honest.fixed_hits.sum() < flattered.fixed_hits.sum()
    assert len(honest.day) == 60


def test_threshold_classifier(line, split):
    tree = ImbalancedTreeClassifier(max_leaf_nodes=16)
    model = ThresholdClassifier(tree, "f1", n_bootstrap=0).fit(line.X[split], line.y[split])
    found = daily_monitoring(model, line.X[~split], line.y[~split], line.time[~split], window=30)
    assert ((found.estimated > 0) & (found.estimated < 1)).all()


def test_table_and_figure(days):
    from matplotlib import pyplot

    frame = days.to_frame()
    assert len(frame) == len(days.day)
    assert frame["out_of_control"].sum() == days.is_out.sum()
    figure = days.plot()
    top, bottom = figure.axes
    labels = [line.get_label() for line in top.get_lines()]
    assert {"real", "predicted", "control limits (3 sigma)"} <= set(labels)
    (real,) = [line for line in top.get_lines() if line.get_label() == "real"]
    np.testing.assert_allclose(real.get_ydata(), 100 * days.rate)
    assert len(bottom.get_lines()) == 3
    figure.canvas.draw()
    pyplot.close(figure)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames(kind, days, forest, split):
    line = make_assembly_line(random_state=0, as_frame=kind)
    table = line.X.filter(~split) if kind == "polars" else line.X.filter((~split).tolist())
    again = daily_monitoring(forest, table, line.y[~split], line.time[~split])
    np.testing.assert_array_equal(again.alerts, days.alerts)
    assert type(again.to_frame()).__module__.split(".")[0] == kind


def test_bad_input(line, forest):
    with pytest.raises(ValueError, match="one of each is needed"):
        daily_monitoring(forest, line.X, line.y, line.time[1:])
    with pytest.raises(ValueError, match="time must be dates"):
        daily_monitoring(forest, line.X, line.y, ["noon"] * len(line.y))
    with pytest.raises(ValueError, match="time is missing in row 0"):
        daily_monitoring(forest, line.X, line.y, [None] * len(line.y))
    with pytest.raises(ValueError, match="probability must be numbers from 0 to 1"):
        daily_monitoring(forest, line.X, line.y, line.time, probability=np.full(len(line.y), 2.0))
    with pytest.raises(ValueError, match="window must be at least 1"):
        daily_monitoring(forest, line.X, line.y, line.time, window=0)
