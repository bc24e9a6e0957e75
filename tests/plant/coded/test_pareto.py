import numpy as np
import pytest

from thresher.plant.coded.pareto import Pareto
from thresher.statistics import wilson


@pytest.fixture
def rows():
    """Return labels of rows and the codes that alert on them, at random."""
    random = np.random.default_rng(1)
    labels = random.choice(["ok", "leak", "noise", "dent"], 400, p=[0.7, 0.15, 0.1, 0.05])
    return labels, random.random((400, 2)) < 0.2


def test_counts_are_those_of_a_loop(rows):
    labels, is_alert = rows
    pareto = Pareto.of(labels, is_alert, ["leak", "noise"], "ok")
    counted = {code: [0, 0, 0] for code in ("leak", "noise", "dent")}
    alarms = 0
    for label, alerts in zip(labels, is_alert.tolist(), strict=True):
        named = [code for code, alert in zip(("leak", "noise"), alerts, strict=True) if alert]
        if label == "ok":
            alarms += bool(named)
        else:
            counted[label][0 if label in named else 1 if named else 2] += 1
    assert {one.code: [one.found, one.elsewhere, one.missed] for one in pareto.codes} == counted
    assert pareto.false_alarms == alarms
    judged = pareto.judgement("")
    assert judged.alerts == is_alert.any(axis=1).sum()
    assert judged.rows == 400


def test_intervals_are_wilsons(rows):
    one = Pareto.of(*rows, ["leak", "noise"], "ok").codes[0]
    assert one.interval == pytest.approx(tuple(map(float, wilson(one.found, one.rows, 0.95))))


def test_costs_put_the_dearest_code_first(rows):
    alike = Pareto.of(*rows, ["leak", "noise"], "ok")
    assert [one.code for one in alike.codes] == ["leak", "noise", "dent"]
    dear = Pareto.of(*rows, ["leak", "noise"], "ok", {"leak": 1.0, "noise": 50.0})
    assert dear.codes[0].code == "noise"
    assert dear.cost_missed(dear.codes[0]) == 50.0 * dear.codes[0].missed
    assert dear.as_data()[-1]["cost_missed"] is None


def test_table_and_data_tell_the_same(rows):
    pareto = Pareto.of(*rows, ["leak", "noise"], "ok")
    for cells, data in zip(pareto.as_table().rows, pareto.as_data(), strict=True):
        assert cells[:3] == [data["code"], data["rows"], data["found"]]
        assert cells[5:] == [data["elsewhere"], data["missed"]]
