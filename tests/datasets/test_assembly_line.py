"""The simulated line keeps the promises of its docstring."""

import numpy as np
import pytest

from thresher.condition.clause import inside
from thresher.datasets import make_assembly_line

FRAMES = ("pandas", "polars", "pyarrow")


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(random_state=0)


def day_of(line):
    return (line.time - line.time[0].astype("datetime64[D]")) // np.timedelta64(1, "D")


def test_expected_rate_moves_between_the_ends(line):
    assert line.expected_rate.shape == (60,)
    assert line.expected_rate.min() == 0.06
    assert line.expected_rate.max() == 0.16


def test_daily_rates_agree_with_what_is_expected():
    # Over many lines: sum of (scrap - expected) / its standard deviation is about standard normal.
    deviations = []
    for seed in range(30):
        line = make_assembly_line(2000, days=10, random_state=seed)
        expected = line.expected_rate[day_of(line)]
        spread = np.sqrt((expected * (1 - expected)).sum())
        deviations.append((line.y.sum() - expected.sum()) / spread)
    assert abs(np.mean(deviations)) < 4 / np.sqrt(len(deviations))
    assert 0.5 < np.std(deviations) < 1.6


def test_probability_is_that_of_scrap(line):
    many = make_assembly_line(200_000, random_state=1)
    for low, high in ((0.0, 0.1), (0.5, 0.9), (0.9, 1.0)):
        chosen = (many.probability >= low) & (many.probability < high)
        error = 4 * np.sqrt(many.probability[chosen].mean() / chosen.sum())
        assert abs(many.y[chosen].mean() - many.probability[chosen].mean()) < error


def test_planted_conditions_hold_where_the_table_says(line):
    for condition in line.truth:
        asked = []
        for clause in condition.clauses:
            values = line.X[condition.columns[len(asked)]]
            if hasattr(clause, "known"):
                values = values.map({level: code for code, level in enumerate(clause.known)})
            asked.append(np.where(values.isna(), True, inside(clause, values.to_numpy(float))))
        kept = line.X[list(condition.columns)].notna().all(axis=1).to_numpy()
        met = np.logical_and.reduce(asked)
        assert (met[kept] == condition.holds[kept]).all()
        assert line.y[condition.holds].mean() > 0.7


def test_scrap_without_a_planted_cause_is_rare(line):
    caused = np.any([condition.holds for condition in line.truth], axis=0)
    assert 0.005 < line.y[~caused].mean() < 0.04


def test_stages_are_in_order_and_tests_come_last(line):
    assert list(line.stages) == list(line.X.columns)
    order = list(dict.fromkeys(line.stages.values()))
    is_test = [name.startswith("EOL") for name in order]
    assert is_test == sorted(is_test)
    assert sum(is_test) == 3
    assert {condition.stage for condition in line.truth} <= set(order)


def test_kinds_of_columns(line):
    missing = line.X.isna().mean()
    assert 0.002 < missing.max() < 0.06
    assert (missing == 0).sum() >= 8
    assert set(line.X["shift"].unique()) == {"early", "late", "night"}
    # A sensor stays out for some parts in a row.
    lost = line.X["torque_3"].isna().to_numpy()
    assert (lost[1:] & lost[:-1]).sum() > 0.8 * lost.sum()


def test_material_drifts_and_tools_wear(line):
    hardness = line.X["hardness"].groupby(day_of(line)).mean()
    noise = line.X["hardness"].std() / np.sqrt(5000 / 60)
    assert hardness.std() > 2 * noise
    assert line.X["tool_age"].diff().value_counts().idxmax() == 1.0
    assert line.X["tool_age"].between(1, 60).all()


def test_same_seed_same_line_and_other_seed_another(line):
    again = make_assembly_line(random_state=0)
    assert line.X.equals(again.X)
    assert (line.y == again.y).all()
    assert not line.X.equals(make_assembly_line(random_state=1).X)


@pytest.mark.parametrize("n_factors", [8, 11, 16, 25])
def test_number_of_factors(n_factors):
    line = make_assembly_line(300, n_factors, random_state=0)
    assert line.X.shape == (300, n_factors)
    assert all(set(condition.columns) <= set(line.X.columns) for condition in line.truth)


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_hold_the_same(kind, line):
    other = make_assembly_line(random_state=0, as_frame=kind)
    assert type(other.X).__module__.split(".")[0] == kind
    column = np.asarray(other.X["flow"])
    np.testing.assert_array_equal(column, line.X["flow"].to_numpy())


def test_array_has_indicator_columns(line):
    other = make_assembly_line(random_state=0, as_frame=False)
    assert other.X.shape == (5000, 13 + 3 + 5 + 3)
    names = list(other.stages)
    night = other.X[:, names.index("shift=night")]
    assert (night == (line.X["shift"] == "night")).all()
    assert other.stages["supplier=B"] == line.stages["supplier"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_factors": 7}, "n_factors must be at least 8"),
        ({"n_parts": 0}, "n_parts must be at least 2"),
        ({"days": 0}, "days must be at least 1"),
        ({"scrap": (0.2, 0.1)}, "lowest and the highest"),
        ({"scrap": (0.0, 0.1)}, "scrap must be above 0"),
        ({"as_frame": "excel"}, "as_frame='excel' is unknown"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_assembly_line(**parameters)


@pytest.mark.parametrize("scrap", [(0.001, 0.002), (0.3, 0.5), (0.1, 0.1)])
def test_other_rates(scrap):
    line = make_assembly_line(100_000, days=20, scrap=scrap, random_state=0)
    assert abs(line.y.mean() - line.expected_rate[day_of(line)].mean()) < 0.01 * scrap[1] + 0.003
