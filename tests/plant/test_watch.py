"""A watch over a model: looks, restarts, repeats, late labels, alarms and what they advise."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.figures import paths_of, words_in
from thresher.datasets import make_assembly_line
from thresher.errors import (
    ModelFileError,
    ParameterError,
    TableError,
    WatchFileError,
)
from thresher.plant import PlantModel, Watch
from thresher.tables.table import texts_of
from thresher.wording import percent


@pytest.fixture(scope="module")
def model(plant):
    return PlantModel.load(plant.out)


@pytest.fixture(scope="module")
def parts():
    """New parts of the same line, in the order of time."""
    line = make_assembly_line(1500, random_state=5)
    return line.X.assign(scrap=line.y, finished=line.time)


@pytest.fixture(scope="module")
def days(parts):
    return [one for _, one in parts.groupby(parts.finished.dt.date)]


def test_counts_are_those_of_predictions(model, parts):
    look = Watch(model).look(parts, time="finished")
    decided = model.predict_table(parts.drop(columns="scrap"))
    is_alert = decided.decision == 1
    is_scrap = parts.scrap == 1
    by_day = pd.DataFrame(
        {
            "rows": 1,
            "alerts": is_alert,
            "labelled": 1,
            "positives": is_scrap,
            "misses": is_scrap & ~is_alert,
        }
    ).groupby(parts.finished.dt.date.astype(str))
    expected = by_day.sum().astype(int)
    assert [entry.day for entry in look.new] == expected.index.tolist()
    for name in expected:
        assert [getattr(entry, name) for entry in look.new] == expected[name].tolist()
    judged, rate = model.judgement, look.standings[0]
    assert rate.question.reference == model.facts.positives / model.facts.rows
    assert [one.question.reference for one in look.standings[1:3]] == [
        judged.fn / (judged.fn + judged.tp),
        judged.alerts / judged.rows,
    ]
    assert (rate.hits, rate.rows) == (is_scrap.sum(), len(parts))


def test_stops_and_goes_on_byte_for_byte(model, days, tmp_path):
    path = tmp_path / "watch.json"
    Watch(model).save(path)
    one = Watch(model)
    for day in days:
        again = Watch.load(path, model)
        assert (
            again.look(day, time="finished").as_data() == one.look(day, time="finished").as_data()
        )
        again.save(path)
    one.save(tmp_path / "one.json")
    assert path.read_bytes() == (tmp_path / "one.json").read_bytes()
    whole = Watch(model)
    whole.look(pd.concat(days), time="finished")
    whole.save(tmp_path / "whole.json")
    assert path.read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_what_another_process_wrote_is_not_lost_without_a_word(model, days, tmp_path):
    path, both = tmp_path / "watch.json", Watch(model)
    first, second = Watch(model), Watch(model)
    for watch, day in ((first, days[0]), (second, days[1])):
        watch.look(day, time="finished")
        both.look(day, time="finished")
    first.save(path)
    before = path.read_bytes()
    for attempt in (second.save, lambda path: second.look(days[2], time="finished", state=path)):
        with pytest.raises(WatchFileError, match="has looks that this watch has not, such as"):
            attempt(path)
        assert path.read_bytes() == before
    assert len(second.last.batches) == 1
    again = Watch.load(path, model)
    again.look(days[1], time="finished")
    again.save(path)
    again.save(path)
    assert Watch.load(path, model).last.as_data() == both.last.as_data()
    with pytest.raises(WatchFileError, match="load it and look again"):
        first.save(path)  # it is behind
    with pytest.raises(WatchFileError, match="is the state of a watch over another model"):
        Watch(model.with_threshold(0.3)).save(path)
    with pytest.raises(ParameterError, match=r"was begun with alpha=0\.05 and watched=rate,misses"):
        Watch(model, alpha=0.01).save(path)


def test_a_look_with_a_state_goes_on_from_it_and_writes_it(model, days, tmp_path):
    path, whole = tmp_path / "new" / "watch.json", Watch(model)
    first, second = Watch(model), Watch(model)
    for watch, day in zip([first, second] * 3, days, strict=False):
        look = watch.look(day, time="finished", state=path)
        assert look.as_data() == whole.look(day, time="finished").as_data()
        assert Watch.load(path, model).last.as_data() == whole.last.as_data()
    with pytest.raises(ParameterError, match="which stay for its life"):
        Watch(model, watched=["rate"]).look(days[7], time="finished", state=path)
    (tmp_path / "text.csv").write_text("a,b", encoding="ascii")
    with pytest.raises(WatchFileError, match="is not the state of a watch"):
        second.look(days[7], time="finished", state=tmp_path / "text.csv")
    assert (tmp_path / "text.csv").read_text(encoding="ascii") == "a,b"
    assert len(second.last.batches) == 6


def test_the_order_of_rows_changes_nothing(model, parts):
    shuffled = parts.sample(frac=1.0, random_state=0)
    for time in ("finished", None):
        first, again = Watch(model).look(parts, time=time), Watch(model).look(shuffled, time=time)
        assert first.as_data() == again.as_data()


def test_rows_that_were_seen_are_noticed(model, days):
    watch = Watch(model)
    watch.look(pd.concat(days[:5]), time="finished")
    before = watch.last.as_data()
    look = watch.look(pd.concat(days[:6]), time="finished")
    assert look.repeated == sum(map(len, days[:5]))
    assert [entry.rows for entry in look.new] == [len(days[5])]
    assert "were seen before and count once." in look.words[-1]
    with pytest.raises(TableError, match="give each row once"):
        watch.look(pd.concat([days[3][5:], days[7]]), time="finished")
    assert len(watch.last.batches) == before["batches"] + 1


def test_labels_may_come_later(model, days, tmp_path):
    late, first = Watch(model), Watch(model)
    few = pd.concat(days[:6])
    late.look(few.drop(columns="scrap"), time="finished")
    assert late.last.standings[0].rows == 0
    assert late.last.chart["of"] == "alerts"
    half = few.assign(scrap=few.scrap.astype(object).where(np.arange(len(few)) % 2 == 0))
    late.look(half, time="finished")
    look = late.look(few, time="finished")
    assert look.repeated == 0
    first.look(few, time="finished")
    assert late.last.batches == first.last.batches
    for one, other in zip(late.last.standings, first.last.standings, strict=True):
        assert (one.hits, one.rows) == (other.hits, other.rows)
    late.save(tmp_path / "late.json")
    assert Watch.load(tmp_path / "late.json", model).last.as_data() == late.last.as_data()


def enriched(parts, share, seed=0):
    """Return parts with another share of scrap."""
    scrap, good = parts[parts.scrap == 1], parts[parts.scrap == 0]
    random = np.random.default_rng(seed)
    n_scrap = round(share * len(good) / (1.0 - share))
    rows = random.choice(len(scrap), min(n_scrap, len(scrap)), replace=False)
    n_good = round(len(rows) * (1.0 - share) / share)
    return pd.concat([scrap.iloc[rows], good.iloc[:n_good]])


def test_more_scrap_moves_the_share(model, parts):
    look = Watch(model).look(enriched(parts, 0.35))
    assert look.is_alarm
    assert look.advice == "share"
    assert look.sentence.startswith(
        "Alarm: the rate of scrap has risen: 35.0 % since about batch 1"
    )
    assert look.advice_words.startswith("Move the share: the rate of scrap has risen")


def blinded(model, parts):
    """Return the parts on which no alert is raised, with their labels."""
    decided = model.predict_table(parts.drop(columns="scrap"))
    return parts[(decided.decision == 0).to_numpy()]


def test_more_misses_ask_for_another_fit(model, parts):
    line = make_assembly_line(8000, random_state=6)
    more = line.X.assign(scrap=line.y)
    look = Watch(model).look(blinded(model, more))
    risen = {one.question.name for one in look.alarms}
    assert risen == {"misses", "fewer alerts"}
    assert look.advice == "refit"


def test_fewer_alerts_are_told_without_labels(model):
    line = make_assembly_line(4000, random_state=6)
    quiet = blinded(model, line.X.assign(scrap=line.y)).drop(columns="scrap")
    watch = Watch(model, watched=["alerts"])
    look = watch.look(quiet)
    assert look.advice == "threshold"
    reason = "The models that judged it may have alerted more or less often than this one"
    assert look.advice_words.split(". ")[1].startswith(reason)
    assert "the alert rate has fallen: 0 % since about batch 1" in look.sentence
    assert Watch(model, watched=["rate"]).look(quiet).is_alarm is False


def test_an_alarm_stays(model, parts, tmp_path):
    watch = Watch(model, watched=("rate",))
    watch.look(enriched(parts, 0.4))
    good = make_assembly_line(6000, random_state=8)
    watch.look(good.X[good.y == 0].assign(scrap=0))
    assert watch.last.standings[0].e_value < 40
    assert watch.is_alarm
    watch.save(tmp_path / "watch.json")
    assert Watch.load(tmp_path / "watch.json", model).is_alarm


def test_a_state_of_another_model_is_refused(model, parts, tmp_path):
    path = tmp_path / "watch.json"
    Watch(model).save(path)
    moved = model.with_threshold(0.3)
    with pytest.raises(WatchFileError, match="over another model, or over this one with another"):
        Watch.load(path, moved)
    with pytest.raises(ParameterError, match="a watch over another model"):
        model.report(watch=Watch(moved))
    model.save(tmp_path / "copy.thresher")
    assert Watch.load(path, PlantModel.load(tmp_path / "copy.thresher")).alpha == 0.05


def test_training_rows_are_counted_with_a_warning(model, plant, caplog):
    assert Watch(model).look(plant.parts).new
    assert "rows were used for training; these figures are too high" in caplog.text


def test_bad_input_leaves_the_watch_as_it_was(model, parts, days):
    watch = Watch(model)
    watch.look(days[0], time="finished")
    before = watch.last.as_data()
    with pytest.raises(TableError, match="flow"):
        watch.look(parts.drop(columns="flow"))
    with pytest.raises(TableError, match="made"):
        watch.look(parts, time="made")
    with pytest.raises(TableError, match="holds numbers, which tell no days; leave out time="):
        watch.look(parts.assign(hour=1.5), time="hour")
    assert watch.last.as_data() == before
    with pytest.raises(ValueError, match="alpha must be at least 1e-06"):
        Watch(model, alpha=0)
    with pytest.raises(ParameterError, match="choose from rate, misses, alerts"):
        Watch(model, watched=["scrap"])


def test_a_model_that_was_not_judged_is_refused(model):
    without = replace(model, facts=replace(model.facts, judgement=None))
    with pytest.raises(ModelFileError, match="train it again"):
        Watch(without)


def test_tables_of_other_kinds(model, plant, parts, tmp_path):
    parts.to_csv(tmp_path / "new.csv", index=False)
    from_file = Watch(model).look(tmp_path / "new.csv", time="finished")
    assert from_file.as_data() == Watch(model).look(parts, time="finished").as_data()
    table = model.read(tmp_path / "new.csv", ["scrap"])
    assert len(texts_of(table.columns["scrap"])) == len(parts)


def test_frame_and_figure(model, days):
    watch = Watch(model)
    assert "alarm" in words_in(watch.plot())
    assert watch.plot().title == "Nothing was seen yet."
    for day in days[:8]:
        look = watch.look(day, time="finished")
    frame = watch.to_frame()
    assert frame["rows"].tolist() == [len(day) for day in days[:8]]
    np.testing.assert_array_equal(frame["log e, rate"], look.standings[0].log_e)
    figure = watch.plot()
    assert {"rate", "misses", "alerts", "fewer alerts", "alarm"} <= set(words_in(figure))
    heights = [y for _, y in paths_of(figure, "line series-1")[0]]
    (_, alarm), _ = paths_of(figure, "center")[0]
    drawn = [(alarm - y) / (heights[0] - heights[-1]) for y in heights]
    log_e = look.standings[0].log_e
    expected = (log_e - np.log(160)) / (log_e[-1] - log_e[0])
    np.testing.assert_allclose(drawn, expected, rtol=0.02, atol=0.05)
    rates = [f"{percent(day.scrap.mean())} of {len(day)}" for day in days[:8]]
    assert re.findall(r"<title>[\d-]+: ([^<,]*)", figure.drawn) == rates
    assert repr(watch).startswith("<Watch: No alarm in 8 batches")


def test_report(model, days):
    watch = Watch(model)
    watch.look(days[0], time="finished")
    page = model.report(watch=watch)
    for part in (
        'id="watch"',
        'href="#watch"',
        *watch.last.words,
        "E-values after each of 1 looks",
    ):
        assert part in page.html.replace("\u00a0", " ")
    assert 'id="watch"' not in model.report().html
    assert "watch" not in model.summary


def test_the_chart_is_a_p_chart_around_the_reference(model, days):
    look = Watch(model).look(pd.concat(days[:4]), time="finished")
    center = model.facts.positives / model.facts.rows
    for row, day in zip(look.chart["rows"], days, strict=False):
        reach = 3 * np.sqrt(center * (1 - center) / len(day))
        assert row["rate"] == day.scrap.mean()
        assert row["high"] == pytest.approx(center + reach)
        assert row["out"] == (abs(row["rate"] - center) > reach)
