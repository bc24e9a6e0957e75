"""Which Pythons `make wheel` and `make wheel-test` find."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "wheels" / "pythons.py"


@pytest.fixture
def pythons(monkeypatch):
    spec = importlib.util.spec_from_file_location("pythons", FILE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "pythons", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(os.name != "posix", reason="the programs that pretend are shell scripts")
def test_only_pythons_that_run_and_are_new_enough_are_found(pythons, tmp_path, monkeypatch):
    pretended = {"python3.99": "exit 127", "python3.10": "echo 3 10 0", "python3.98": "echo 3 98 1"}
    pretended |= {"python3.97": "echo 3 97 0", "python3-config": "echo 3 96 0"}
    for name, line in pretended.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (found,) = pythons.find_pythons()
    assert (str(found), found.program) == ("3.97", tmp_path / "python3.97")
