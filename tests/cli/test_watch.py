"""`thresher watch`: a state that goes on, exit code 4 on an alarm, one sentence for errors."""

import json

import pytest

from tests.cli.program import run, run_here, sentence
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


def watch(plant, table, state, *more, at=run_here):
    return at("watch", plant.out, table, "--state", state, "--time", "finished", *more)


def test_a_state_begins_and_goes_on(plant, new, tmp_path):
    state = tmp_path / "states" / "watch.json"
    done = watch(plant, new / "first.csv", state, at=run)
    assert done.returncode == 0, done.stderr
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
    assert done.returncode == 4
    assert done.stdout.startswith("Alarm: the rate of scrap has risen: ")
    assert "Move the share" in done.stdout
    assert done.stderr.splitlines() == [f"Written: {state}", f"Written: {page}"]
    assert 'id="watch"' in page.read_text(encoding="utf-8")
    again = watch(plant, new / "first.csv", state, "--json")
    assert again.exit_code == 4
    found = json.loads(again.stdout)
    assert found["alarm"] is True
    assert found["advice"] == "share"


def test_a_table_without_times_and_labels(plant, new, tmp_path):
    state = tmp_path / "watch.json"
    table = tmp_path / "unlabelled.csv"
    lines = (new / "first.csv").read_text(encoding="utf-8").splitlines()
    place = lines[0].split(",").index("scrap")
    cut = [",".join(cells[:place] + cells[place + 1 :]) for cells in (x.split(",") for x in lines)]
    table.write_text("\n".join(cut) + "\n", encoding="utf-8")
    done = run_here("watch", plant.out, table, "--state", state, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert [one["day"] for one in found["new"]] == [None]
    assert found["p_chart"]["of"] == "alerts"
    assert [one["rows"] for one in found["questions"]][:2] == [0, 0]


def test_what_a_state_was_begun_with_stays(plant, new, tmp_path):
    state = tmp_path / "watch.json"
    begin = ("--alpha", 0.01, "--watched", "rate,alerts")
    assert watch(plant, new / "first.csv", state, *begin).exit_code == 0
    assert watch(plant, new / "second.csv", state).exit_code == 0
    before = state.read_bytes()
    for other in (("--alpha", 0.05), ("--watched", "rate")):
        done = watch(plant, new / "second.csv", state, *other)
        assert done.exit_code == 2
        assert "which stay for its life; name another file with --state." in sentence(done)
    assert watch(plant, new / "second.csv", state, *begin).exit_code == 0
    assert state.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not the state of a watch"),
        (b'{"format": "thresher watch", "version": 2}', "install a newer thresher"),
        (b'{"format": "thresher watch", "version": 1}', "is a damaged state of a watch"),
        (b"\x1b[31m", "is not the state of a watch"),
    ],
)
def test_hostile_states_are_one_sentence_and_stay_as_they_are(plant, new, tmp_path, content, words):
    state = tmp_path / "watch.json"
    state.write_bytes(content)
    done = watch(plant, new / "first.csv", state)
    assert done.exit_code == 3
    assert words in sentence(done)
    assert state.read_bytes() == content


def test_the_state_of_another_model(plant, new, tmp_path):
    state, moved = tmp_path / "watch.json", tmp_path / "moved.thresher"
    assert watch(plant, new / "first.csv", state).exit_code == 0
    assert run_here("threshold", plant.out, "--set", 0.3, "--out", moved).exit_code == 0
    rows = ("watch", moved, new / "second.csv", "--time", "finished")
    done = run_here(*rows, "--state", tmp_path / "other.json", "--report", tmp_path / "report.html")
    assert done.exit_code == 3
    assert "has no report to which the watch could be added" in sentence(done)
    assert not (tmp_path / "other.json").exists()
    done = run_here(*rows, "--state", state)
    assert done.exit_code == 3
    assert "is the state of a watch over another model" in sentence(done)


def test_wrong_options_and_tables(plant, new, tmp_path):
    state = tmp_path / "watch.json"
    first = new / "first.csv"
    assert run_here("watch", plant.out, first).exit_code == 2
    assert watch(plant, first, state, "--alpha", 0).exit_code == 2
    assert watch(plant, first, state, "--watched", "scrap").exit_code == 2
    done = run_here("watch", plant.out, first, "--state", state, "--time", "made")
    assert done.exit_code == 3
    assert "'made'" in sentence(done)
    done = run_here("watch", plant.out, plant.parts, "--state", state)
    assert done.exit_code == 3
    assert "--allow-training-rows" in sentence(done)
    assert not state.exists()


def test_a_state_that_cannot_be_written(plant, new, tmp_path):
    place = tmp_path / "file"
    place.write_text("x", encoding="ascii")
    done = watch(plant, new / "first.csv", place / "watch.json")
    assert done.exit_code == 1
    assert "cannot be written" in sentence(done)


def test_it_is_listed():
    assert "watch" in run_here("--help").stdout
