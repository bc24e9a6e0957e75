import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import thresher
from tests.program import run, run_outside
from thresher.cli import main as versions

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


@pytest.fixture
def declared(monkeypatch):
    """The requirements of pyproject.toml, as the metadata of an installed package has them."""
    found = list(PROJECT["dependencies"])
    for extra, names in EXTRAS.items():
        found += [f'{name}; extra == "{extra}"' for name in names]
    monkeypatch.setattr(metadata, "requires", lambda _: found)


def lines():
    return dict(line.split(": ", 1) for line in run("--version").stdout.splitlines()[1:])


def test_packages_and_extras_have_their_versions(declared):
    found = lines()
    assert f"scikit-learn {metadata.version('scikit-learn')}" in found["packages"].split(", ")
    assert len(found["packages"].split(", ")) == len(PROJECT["dependencies"])
    assert f"lightgbm {metadata.version('lightgbm')}" in found["extras"].split(", ")
    assert found["core"] in ("AVX2 and BMI2", "baseline")


def test_every_extra_for_users_is_in_all(declared):
    for_work = {"all", "bench", "coverage", "docs", "fuzz", "lint", "studies"}
    for_work |= {"spark", "study", "test", "wheel"}  # Spark needs Java
    names = {part.split()[0] for part in lines()["extras"].split(", ")}
    for extra in set(EXTRAS) - for_work:
        assert {re.split(r"[^\w.-]", name)[0] for name in EXTRAS[extra]} <= names, extra


def test_packages_that_are_not_there_are_called_absent(declared, monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert "shap absent" in lines()["extras"]


def test_nothing_that_is_broken_stops_it(monkeypatch):
    def broken(*_):
        raise OSError("broken")

    monkeypatch.setattr(metadata, "requires", broken)
    monkeypatch.setattr(versions.platform, "platform", broken)
    done = run("--version")
    assert done.exit_code == 0
    assert done.stdout.count("unknown (OSError: broken)") == 3


def test_it_runs_as_a_program_and_names_no_folder():
    done = run_outside("--version")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"thresher {thresher.__version__}\n")
    assert str(Path.home()) not in done.stdout
