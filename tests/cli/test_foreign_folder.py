"""A folder of somebody else: reading it changes no file anywhere, writing into it none outside."""

import shutil
import stat

import pytest

from tests.program import refused, run, write_line
from thresher.plant import PlantModel

COMMANDS = {
    "predict": ("predict", "{model}", "{table}", "--out", "{out}/decided.csv"),
    "conditions": ("conditions", "{model}"),
    "report": ("report", "{model}", "{table}", "--out", "{out}/report.html"),
    "threshold": ("threshold", "{model}", "--set", "0.3", "--out", "{out}/moved.thresher"),
    "export": ("export", "{model}", "--to", "python", "--out", "{out}/model.py"),
    "watch": ("watch", "{model}", "{table}", "--state", "{out}/watch.json"),
}


def snapshot(folder):
    """Return kind, rights, time and content of all that is in a folder."""
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        content = None
        if path.is_symlink():
            content = path.readlink()
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        found[path.relative_to(folder)] = (status.st_mode, status.st_mtime_ns, content)
    return found


@pytest.fixture
def world(plant, tmp_path):
    """The user's own folder beside a folder with a model that a stranger made."""
    own, foreign = tmp_path / "world" / "own", tmp_path / "world" / "foreign"
    shutil.copytree(plant.out, foreign)
    own.mkdir()
    for name in ("letter.txt", "model.thresher", "report.html", "conditions.csv"):
        (own / name).write_bytes(b"mine")
    return tmp_path / "world"


def linked_pending(world):
    (world / "foreign" / ".thresher-new").symlink_to(world / "own")


def linked_files_in_pending(world):
    pending = world / "foreign" / ".thresher-new"
    pending.mkdir()
    for path in (world / "own").iterdir():
        (pending / path.name).symlink_to(path)


def run_on(world, command, table, out):
    out.mkdir()
    places = {"model": world / "foreign", "table": table, "out": out}
    return run(*(part.format(**places) for part in COMMANDS[command]))


@pytest.mark.parametrize("plant_links", [linked_pending, linked_files_in_pending])
@pytest.mark.parametrize("command", COMMANDS)
def test_reading_a_folder_changes_nothing(world, later, tmp_path, command, plant_links):
    plant_links(world)
    before = snapshot(world)
    done = run_on(world, command, later, tmp_path / "out")
    assert done.exit_code in (0, 4), done.stderr
    assert snapshot(world) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_model_that_leads_out_of_its_folder_is_not_read(world, later, tmp_path, command):
    outside = world / "own" / "real.thresher"
    (world / "foreign" / "model.thresher").rename(outside)
    (world / "foreign" / "model.thresher").symlink_to(outside)
    before = snapshot(world)
    done = run_on(world, command, later, tmp_path / "out")
    refused(done, 3, "model.thresher' is a link, which is not followed out of a folder")
    assert list((tmp_path / "out").iterdir()) == []
    assert snapshot(world) == before
    assert PlantModel.load(outside).threshold  # named itself, a link or not, it is read
    assert PlantModel.load(world / "foreign" / "model.thresher").threshold


def test_training_into_a_folder_writes_through_no_link(world, tmp_path):
    write_line(tmp_path / "line", 300)
    for name in ("model.thresher", "report.html", "conditions.csv", "conditions.json"):
        (world / "foreign" / name).unlink()
        (world / "foreign" / name).symlink_to(world / "own" / name)
    before = snapshot(world / "own")
    done = run(
        *("train", tmp_path / "line" / "parts.csv", "--target", "scrap", "--id", "part"),
        *("--ignore", "finished", "--model", "tree", "--folds", 2, "--out", world / "foreign"),
    )
    assert done.exit_code == 0, done.stderr
    assert snapshot(world / "own") == before
    assert not any(path.is_symlink() for path in (world / "foreign").iterdir())
    assert PlantModel.load(world / "foreign").threshold


@pytest.mark.parametrize("name", ["runs.jsonl", "tables"])
def test_comparing_into_a_folder_writes_through_no_link(world, tmp_path, name):
    (world / "foreign" / name).symlink_to(world / "own" / name)
    before = snapshot(world)
    quick = ("--datasets", "Glass-tableware", "--methods", "CDT", "--folds", 2)
    done = run("compare", *quick, "--resume", "--out", world / "foreign")
    refused(done, 2, f"{name}' is a link, which is not followed out of a folder")
    assert snapshot(world) == before
