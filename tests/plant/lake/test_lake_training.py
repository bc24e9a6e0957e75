"""Training on a lake: what streams by gives the figures that all rows in memory would give."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.plant.lake.files import line_frame, write_lake
from thresher.condition.condition import members
from thresher.condition.evidence import tally
from thresher.errors import GateMissedError, ParameterError, TableError
from thresher.judging.row_prints import RowPrints, row_hashes
from thresher.plant import PlantModel, train
from thresher.plant.lake import sample
from thresher.scale import arrow_source
from thresher.tables import read_table
from thresher.tables.features import match_columns
from thresher.threshold.counts import Counts

USUAL = {"stream": True, "trees": 15, "ignore": "made"}


@pytest.fixture(scope="module")
def frame():
    return line_frame()


@pytest.fixture(scope="module")
def lake(frame, tmp_path_factory):
    return write_lake(tmp_path_factory.mktemp("lake"), frame)


@pytest.fixture(scope="module", params=["tree", "forest", "auto"])
def model(request, lake):
    return train(lake, "scrap", model=request.param, rule="f1", cost_fp=5, cost_fn=80, **USUAL)


def decided(model, table):
    """Return probabilities and decisions about a table, by the way of all tables."""
    predicted = model.predict_table(table)
    return predicted["probability"].to_numpy(), predicted["decision"].to_numpy() == 1


def test_figures_are_those_of_the_last_file_at_once(model, lake):
    last = pd.read_parquet(lake[-1])
    score, is_alert = decided(model, last)
    truth = last["scrap"].to_numpy() == 1
    judged = model.judgement
    assert [judged.tn, judged.fp, judged.fn, judged.tp] == [
        int(count[0]) for count in Counts.of(is_alert, truth)
    ]
    assert (judged.rows, judged.never_judged) == (500, 2500)
    assert judged.how == "the last 1 of 6 files held out, which chose nothing"
    for other in (0.1, 0.5, 0.9):
        expected = Counts.of(score > other, truth)
        found = model.with_threshold(other).judgement
        assert [found.fp, found.tp] == [expected.fp[0], expected.tp[0]]


def test_conditions_are_counted_and_tested_on_all_rows(model, lake, frame):
    found, columns = model.conditions, model.reader.columns_
    training, held = frame.iloc[:2500], frame.iloc[2500:]
    for rows, counts in ((training, found.training), (held, found.held)):
        matrix = columns.matrix(rows[list(columns.names)], "conditions")
        met = members(found.conditions, matrix, columns.wide_names)
        expected = tally(met, rows["scrap"].to_numpy() == 1)
        assert counts.n.tolist() == expected.n.tolist()
        assert counts.hits.tolist() == expected.hits.tolist()
    again = model.test_conditions(lake[-1])
    assert found.evidence == "hold-out"
    assert found.p_value.tolist() == again.p_value.tolist()
    assert found.is_confirmed.any()


def test_the_training_is_known_again(model, frame):
    known = model.reader.columns_
    table = read_table(frame.iloc[:2500], texts=["scrap"])
    columns = match_columns(table, known.names, known.levels)
    expected = RowPrints.of(row_hashes(columns, table.columns["scrap"].values()))
    assert model.facts.prints.hashes.tolist() == expected.hashes.tolist()
    assert (model.facts.prints.rows, model.facts.prints.repeated) == (2500, expected.repeated)
    assert model.reader.tree_.rows[0].tolist() == [
        int((frame["scrap"].iloc[:2500] == label).sum()) for label in (0, 1)
    ]
    assert model.facts.columns[0].rows == 2502  # the extremes of all rows come on top


def test_pictures_count_the_rows_held_out(model):
    found = model.report().summary["conditions"]
    held = model.conditions.held
    assert found["rows"]
    for row, n, hits in zip(found["rows"], held.n.tolist(), held.hits.tolist(), strict=False):
        assert row["picture"]["inside"] == [n - hits, hits]


def test_file_report_and_drift(model, lake, tmp_path):
    report = model.report()
    summary = report.summary
    score, _ = decided(model, lake[-1])
    truth = pd.read_parquet(lake[-1])["scrap"].to_numpy() == 1
    assert summary["calibration"]["mean"] == pytest.approx(score.mean())
    assert summary["calibration"]["brier"] == pytest.approx(np.mean((score - truth) ** 2))
    chosen = summary["slider"]["points"][summary["slider"]["marks"]["chosen"]]
    judged = model.judgement
    assert chosen[1:] == [judged.tp, judged.fp, judged.fn, judged.tn]
    assert summary["verdict"] == model.verdict.as_data()
    assert "Left out" in summary["quality"]["notes"][-1]
    covered = model.conditions.held.coverage
    together = [row["together"] for row in summary["conditions"]["rows"]]
    assert together[0] == pytest.approx(covered[0])
    assert (np.diff(together) >= 0.0).all()

    model.save(tmp_path / "model.thresher")
    again = PlantModel.load(tmp_path / "model.thresher")
    assert again.report().html == report.html
    assert again.verdict.sentences == model.verdict.sentences
    assert decided(again, lake[0])[0].tolist() == decided(model, lake[0])[0].tolist()
    shifted = pd.read_parquet(lake[0]).assign(oven_temperature=lambda one: one.press_force * 1e3)
    assert "oven_temperature" in {one.column for one in again.find_drift(shifted)}
    assert model.with_threshold("bcr").report().summary["slider"]["marks"]


def test_rows_that_judge_choose_nothing(frame, tmp_path):
    other = frame.copy()
    last = np.arange(len(frame)) >= 2500
    other.loc[last, "scrap"] = np.random.default_rng(0).permutation(frame.loc[last, "scrap"])
    first, second = (
        train(write_lake(tmp_path / name, rows), "scrap", rule="prior", **USUAL)
        for name, rows in (("a", frame), ("b", other))
    )
    assert first.threshold == second.threshold
    assert first.with_threshold("prior").threshold == second.with_threshold("prior").threshold
    assert first.facts.candidates == second.facts.candidates
    assert first.conditions.texts == second.conditions.texts
    assert first.facts.scores.score.tolist() == second.facts.scores.score.tolist()
    table = frame.drop(columns="scrap")
    assert decided(first, table)[0].tolist() == decided(second, table)[0].tolist()
    assert first.judgement.f1 > 2.0 * second.judgement.f1


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_neither_batches_nor_memory_change_the_model(lake, kind, monkeypatch):
    expected = train(lake, "scrap", model=kind, **USUAL)
    largest = 0

    def batches(self, columns, _batches=arrow_source.Source.batches):
        nonlocal largest
        for batch in _batches(self, columns):
            largest = max(largest, batch.num_rows)
            yield batch

    monkeypatch.setattr(arrow_source.Source, "batches", batches)
    monkeypatch.setattr(arrow_source, "BATCH_ROWS", 77)
    memory = 30_000 if kind == "tree" else None
    found = train(lake, "scrap", model=kind, memory=memory, **USUAL)
    assert largest == 77
    assert found.facts.as_json() == expected.facts.as_json()
    assert found.conditions.to_json() == expected.conditions.to_json()


def test_the_sample_has_a_bound_and_counts_do_not(lake, frame, monkeypatch):
    monkeypatch.setattr(sample, "MAX_ROWS", 300)
    monkeypatch.setattr(sample, "MIN_ROWS", 300)
    found = train(lake, "scrap", model="forest", **USUAL)
    assert found.conditions.training.all_n == 2500
    assert found.facts.columns[0].rows == 302
    force = found.facts.columns[list(found.reader.columns_.names).index("press_force")]
    ends = frame["press_force"].iloc[:2500].agg(["min", "max"]).tolist()
    assert force.quantiles[[0, -1]].tolist() == ends
    notes = found.report().summary["quality"]["notes"]
    assert any("300 training rows drawn at random" in note for note in notes)


@pytest.mark.parametrize("n_files", [1, 4])
def test_the_latest_rows_judge_wherever_they_lie(frame, n_files, tmp_path):
    shuffled = frame.sample(frac=1.0, random_state=0)
    paths = write_lake(tmp_path, shuffled, n_files, row_group_size=200)
    found = train(paths, "scrap", stream=True, model="tree", time="made")
    begin = pd.Timestamp(found.judgement.how.split(" from ")[1].split(" on ")[0])
    later = frame[frame["made"] >= begin]
    assert 0.2 < len(later) / len(frame) < 0.3
    _, is_alert = decided(found, later)
    assert [found.judgement.fp, found.judgement.tp] == [
        int((is_alert & (later["scrap"] == label)).sum()) for label in (0, 1)
    ]
    days = found.report().summary["daily"]["rows"]
    by_day = later.groupby(later["made"].dt.date)["scrap"].agg(["size", "sum"])
    assert [row["day"] for row in days] == [str(day) for day in by_day.index]
    assert [(row["parts"], row["scrap"]) for row in days] == [
        tuple(counts) for counts in by_day.to_numpy().tolist()
    ]


@pytest.mark.parametrize(
    ("size", "words", "judged"),
    [
        (500, "the last 1 of 6 row groups of", 500),
        (5000, "the last 750 rows of", 750),
    ],
)
def test_a_single_file_is_judged_on_its_end(frame, size, words, judged, tmp_path):
    (path,) = write_lake(tmp_path, frame, 1, row_group_size=size)
    found = train(path, "scrap", model="tree", leaves=8, **USUAL)
    assert found.judgement.how.startswith(words)
    assert found.judgement.rows == judged
    _, is_alert = decided(found, frame.iloc[-judged:])
    assert found.judgement.alerts == int(is_alert.sum())


def test_stations_and_gates(lake, frame):
    stations = {name: "early" for name in frame.columns if name not in ("scrap", "made")}
    stations["leak_rate"] = "test"
    found = train(lake, "scrap", model="tree", leaves=8, stations=stations, **USUAL)
    summary = found.report().summary
    assert [one["name"] for one in summary["line"]["stations"]] == ["early", "test"]
    assert "takes a fit for each station" in summary["missing"]["early"]
    with pytest.raises(GateMissedError, match="quality gate"):
        train(lake, "scrap", model="tree", leaves=8, min_recall=1.0, **USUAL)


def test_files_that_were_written_differently(frame, tmp_path):
    """A column that is whole, empty or of codes in one file holds what it holds in others."""
    paths = write_lake(tmp_path, frame, 6)
    part = pd.read_parquet(paths[1])
    part["shift"] = part["shift"].astype("category")
    part["tool_age"] = part["tool_age"].astype(np.int64)
    part["torque_5"] = None
    part[part.columns[::-1]].to_parquet(paths[1], index=False)
    found = train(paths, "scrap", model="tree", **USUAL)
    assert found.judgement.f1 > 0.5
    assert found.predict_table(paths[1])["probability"].notna().all()


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_columns_of_all_kinds_are_predicted_as_they_were_judged(kind, tmp_path):
    random = np.random.default_rng(0)
    x, flag = random.normal(size=2400), random.random(2400) < 0.3
    table = pd.DataFrame(
        {
            "x": x,
            "flag": flag,
            "whole": random.integers(0, 9, 2400).astype(np.int16),
            "code": [f"{value:03d}" for value in random.integers(0, 5, 2400)],
            "written": [f"{value:.1f}" for value in x],
            "sentinel": np.where(random.random(2400) < 0.05, -9999.0, x),
            "gap": np.where(random.random(2400) < 0.05, "NA", "b"),
            "empty": pd.Series([None] * 2400, dtype=object),
            "part": [f"P{place:06d}" for place in range(2400)],
            "day": np.datetime64("2024-01-01") + np.arange(2400) // 50,
            "state": np.where(((x > 1) & flag) | (random.random(2400) < 0.01), "bad", "ok"),
        }
    )
    table["curve"] = [[1.0, 2.0]] * 2400
    paths = write_lake(tmp_path, table, 4)
    with pytest.raises(TableError, match=r"'curve' .* neither a number nor text"):
        train(paths, "state", stream=True)
    found = train(paths, "state", stream=True, model=kind, trees=15, ignore="curve")
    names = ("x", "flag", "whole", "code", "written", "sentinel", "gap")
    assert found.estimator.columns_.names == names
    remarks = " ".join(found.facts.remarks)
    assert "learnt as categories: written" in remarks
    assert "sentinel (-9999.0)" in remarks
    assert "gap ('NA')" in remarks
    found.save(tmp_path / "model.thresher")
    again = PlantModel.load(tmp_path / "model.thresher")
    decision = again.predict_table(table.iloc[-600:].drop(columns="curve"))["decision"]
    assert int((decision == "bad").sum()) == found.judgement.alerts
    assert found.conditions.training.n.min() > 0


def spoilt(paths, place, change):
    part = pd.read_parquet(paths[place])
    change(part).to_parquet(paths[place], index=False)


@pytest.mark.parametrize(
    ("place", "change", "sentence"),
    [
        (3, lambda one: one.drop(columns="flow"), r"3.parquet' has other .* lacks 'flow'"),
        (3, lambda one: one.assign(new=1), r"3.parquet' has other .* 'new' is new in it"),
        (0, lambda one: one.drop(columns="scrap"), r"1.parquet' has other .* 'scrap' is new in it"),
        (2, lambda one: one.iloc[:0], r"2.parquet' has no rows; leave it out"),
        (
            4,
            lambda one: one.assign(scrap=one["scrap"].where(one.index != 7)),
            r"'scrap' is empty in 1 rows of '.*4.parquet'",
        ),
        (5, lambda one: one.assign(scrap=0), "files held out.* one class only"),
        (5, lambda one: one.assign(scrap=2), "files held out.* have the class 2, which"),
        (1, lambda one: one.assign(scrap=2), "two classes, but has 3 in the files to train on"),
        (1, lambda one: one.assign(flow="fast"), r"'flow' is string in '.*1.parquet' and double"),
        (1, lambda one: one.assign(flow=np.inf), "infin"),
        (5, lambda one: one.assign(flow=np.inf), "infin"),
    ],
)
def test_a_bad_lake_is_told_in_one_sentence(frame, place, change, sentence, tmp_path):
    paths = write_lake(tmp_path, frame, 6)
    spoilt(paths, place, change)
    with pytest.raises(TableError, match=sentence):
        train(paths, "scrap", model="tree", leaves=8, **USUAL)


def test_what_is_no_lake(frame, lake, tmp_path):
    (tmp_path / "empty.parquet").write_bytes(b"")
    with pytest.raises(TableError, match=r"empty.parquet' cannot be read as Parquet"):
        train([*lake, tmp_path / "empty.parquet"], "scrap", **USUAL)
    with pytest.raises(TableError, match="no Parquet file at"):
        train(tmp_path / "none.parquet", "scrap", **USUAL)
    with pytest.raises(ParameterError, match="stream=True is for Parquet files"):
        train(frame, "scrap", **USUAL)
    with pytest.raises(ParameterError, match="model='blend' needs the table in memory"):
        train(lake, "scrap", model="blend", **USUAL)
    with pytest.raises(TableError, match=r"'shift' holds .*string, not times"):
        train(lake, "scrap", time="shift", stream=True)

    with pytest.raises(TableError, match="no column 'nothing'"):
        train(lake, "scrap", stream=True, id="nothing")


def test_rows_without_a_time_are_told_not_lost(tmp_path):
    """A NaN of pandas is no null of Arrow, and is neither before nor after any time."""
    made = np.arange(600.0)
    made[:40] = np.nan
    table = pa.table({"made": made, "force": np.arange(600.0), "scrap": np.arange(600) % 9 == 0})
    parquet.write_table(table, tmp_path / "line.parquet")
    with pytest.raises(TableError, match="'made' is empty in 40 rows; every row needs a time"):
        train([tmp_path / "line.parquet"], "scrap", time="made", stream=True)


def test_folders_and_patterns_are_files_by_name(lake):
    folder = lake[0].parent
    found = [
        json.dumps(train(place, "scrap", model="tree", leaves=8, **USUAL).facts.as_json())
        for place in (
            lake,
            folder,
            folder / "*.parquet",
            folder / "?.parquet",
            folder / "[0-5].parquet",
        )
    ]
    assert len(set(found)) == 1


def test_large_files_are_read_in_batches_without_being_asked(lake, monkeypatch):
    from thresher.plant.lake import choice

    monkeypatch.setattr(choice, "LARGE_BYTES", 100_000)
    found = train(lake, "scrap", model="tree", leaves=8, ignore="made")
    assert found.facts.held_out.startswith("the last 1 of 6 files")
