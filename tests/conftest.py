import json
from types import SimpleNamespace

import pytest
from hypothesis import settings

from tests.program import run, write_line

# A noisy machine is no failure: no example has a time limit of its own.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

SPECIAL = ("--target", "scrap", "--id", "part", "--time", "finished")


@pytest.fixture(scope="session")
def plant(tmp_path_factory):
    """A simulated line, a tree that the installed program trained on it, and what it said."""
    folder = tmp_path_factory.mktemp("plant")
    line = write_line(folder)
    parts, out = folder / "parts.csv", folder / "out"
    done = run(
        *("train", parts, *SPECIAL, "--stages", folder / "stages.csv", "--model", "tree"),
        *("--rule", "f1"),
        *("--cost-fp", 5, "--cost-fn", 80, "--out", out, "--json"),
    )
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    return SimpleNamespace(
        folder=folder, line=line, parts=parts, out=out, result=result, stderr=done.stderr
    )
