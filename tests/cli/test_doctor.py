import json
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import thresher
from tests.cli.program import run, run_here
from thresher.cli import doctor

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


@pytest.fixture
def declared(monkeypatch):
    """The requirements of pyproject.toml, as the metadata of an installed package has them."""
    found = list(PROJECT["dependencies"])
    for extra, names in PROJECT["optional-dependencies"].items():
        found += [f'{name}; extra == "{extra}"' for name in names]
    monkeypatch.setattr(doctor, "_requirements", lambda: found)


def test_a_report_names_versions_extras_and_instructions(declared):
    found = json.loads(run_here("doctor", "--json").stdout)
    assert found["thresher"] == thresher.__version__
    assert found["packages"]["scikit-learn"] == metadata.version("scikit-learn")
    assert len(found["packages"]) == len(PROJECT["dependencies"])
    assert found["extras"]["parquet"] == {"pyarrow": metadata.version("pyarrow")}
    assert found["core"]["instructions"] in ("AVX2 and BMI2", "baseline")
    assert 1 <= found["threads"]["usable"] <= found["threads"]["cores"]


def test_every_extra_for_users_is_in_all(declared):
    for_work = {"all", "bench", "costs", "coverage", "docs", "fuzz", "lint", "readers"}
    for_work |= {"spark", "study", "test", "wheel"}  # Spark needs Java
    named = set(json.loads(run_here("doctor", "--json").stdout)["extras"])
    assert named == set(PROJECT["optional-dependencies"]) - for_work


def test_packages_that_are_not_there_are_called_absent(declared, monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert "explain: shap absent" in run_here("doctor").stdout


def test_nothing_that_is_broken_stops_it(monkeypatch):
    def broken(*_):
        raise OSError("broken")

    for name in ("_python", "_core", "_threads", "_requirements"):
        monkeypatch.setattr(doctor, name, broken)
    for name in ("platform", "machine"):
        monkeypatch.setattr(doctor.platform, name, broken)
    done = run_here("doctor")
    assert done.exit_code == 0
    assert done.stdout.count("unknown (OSError: broken)") == 7


def test_it_runs_as_a_program_and_names_no_folder():
    done = run("doctor")
    assert done.returncode == 0
    assert done.stdout.startswith(f"thresher: {thresher.__version__}\n")
    assert str(Path.home()) not in done.stdout
