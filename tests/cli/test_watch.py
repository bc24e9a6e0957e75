"""`thresher watch`: a state that goes on, exit code 4 on an alarm, one sentence for errors."""

import json

import pytest

from tests.program import refused, run
from thresher.datasets import make_assembly_line
from thresher.plant import PlantModel, Watch


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    """Tables of new parts: usual ones in two files, and such with three times the scrap."""
    folder = tmp_path_factory.mktemp("new")
    line = make_assembly_line(1800, random_state=5)
    parts = line.X.assign(scrap=line.y, finished=line.time)
    day = parts.finished.dt.date
    parts[day < day[600]].to_csv(folder / "first.csv", index=False)
    parts[(day >= day[600]) & (day < day[900])].to_csv(folder / "second.csv", index=False)
    later = parts[day >= day[900]]
    bad = later[(later.scrap == 1) | (later.reset_index().index % 5 == 0)]
    bad.to_csv(folder / "bad.csv", index=False)
    return folder


def watch(plant, table, state, *more, at=run):
    return at("watch", plant.out, table, "--state", state, "--time", "finished", *more)


def test_a_state_begins_and_goes_on(plant, new, tmp_path):
    state = tmp_path / "states" / "watch.json"
    done = watch(plant, new / "first.csv", state, at=run)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("No alarm in ")
    assert "p-chart of positives" in done.stdout
    assert f"Written: {state}" in done.stderr
    first = json.loads(watch(plant, new / "first.csv", state, "--json").stdout)
    assert first["new"] == []
    assert (
        first["repeated"] == len((new / "first.csv").read_text(encoding="utf-8").splitlines()) - 1
    )
    second = json.loads(watch(plant, new / "second.csv", state, "--json").stdout)
    assert second["alarm"] is False
    assert second["batches"] == first["batches"] + len(second["new"])
    assert second["state"] == str(state)
    assert [one["question"] for one in second["questions"]] == [
        *("rate", "misses", "alerts", "fewer alerts"),
    ]
    model = PlantModel.load(plant.out)
    in_python = Watch(model)
    for name in ("first.csv", "second.csv"):
        look = in_python.look(new / name, time="finished")
    assert second["words"] == look.words
    in_python.save(tmp_path / "python.json")
    assert state.read_bytes() == (tmp_path / "python.json").read_bytes()


def test_an_alarm_is_said_kept_and_exits_with_4(plant, new, tmp_path):
    state, page = tmp_path / "watch.json", tmp_path / "report.html"
    done = watch(plant, new / "bad.csv", state, "--report", page, at=run)
    assert done.exit_code == 4
    assert done.stdout.startswith("Alarm: the rate of scrap has risen: ")
    assert "Move the share" in done.stdout
    assert done.stderr.splitlines() == [f"Written: {state}", f"Written: {page}"]
    assert 'id="watch"' in page.read_text(encoding="utf-8")
    again = watch(plant, new / "first.csv", state, "--json")
    assert again.exit_code == 4
    found = json.loads(again.stdout)
    assert found["alarm"] is True
    assert found["advice"] == "share"


def test_what_a_state_was_begun_with_stays(plant, new, tmp_path):
    state = tmp_path / "watch.json"
    begin = ("--alpha", 0.01, "--watched", "rate,alerts")
    assert watch(plant, new / "first.csv", state, *begin).exit_code == 0
    assert watch(plant, new / "second.csv", state).exit_code == 0
    before = state.read_bytes()
    for other in (("--alpha", 0.05), ("--watched", "rate")):
        done = watch(plant, new / "second.csv", state, *other)
        refused(done, 2, "which stay for its life; name another file.")
    assert watch(plant, new / "second.csv", state, *begin).exit_code == 0
    assert state.read_bytes() == before


def test_the_state_of_another_model(plant, new, tmp_path):
    state, moved = tmp_path / "watch.json", tmp_path / "moved.thresher"
    assert watch(plant, new / "first.csv", state).exit_code == 0
    assert run("threshold", plant.out, "--set", 0.3, "--out", moved).exit_code == 0
    rows = ("watch", moved, new / "second.csv", "--time", "finished")
    done = run(*rows, "--state", tmp_path / "other.json", "--report", tmp_path / "report.html")
    refused(done, 3, "has no report to which the watch could be added")
    assert not (tmp_path / "other.json").exists()
    done = run(*rows, "--state", state)
    refused(done, 3, "is the state of a watch over another model")


def test_wrong_options_and_tables(plant, new, tmp_path):
    state = tmp_path / "watch.json"
    first = new / "first.csv"
    assert run("watch", plant.out, first).exit_code == 2
    assert watch(plant, first, state, "--alpha", 0).exit_code == 2
    assert watch(plant, first, state, "--watched", "scrap").exit_code == 2
    done = run("watch", plant.out, first, "--state", state, "--time", "made")
    refused(done, 3, "'made'")
    assert not state.exists()
