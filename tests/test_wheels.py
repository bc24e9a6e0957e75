"""Which Pythons `make wheel` and `make wheel-test` find, and that they find no compiler."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

WHEELS = Path(__file__).parents[1] / "wheels"


def load(name, monkeypatch):
    spec = importlib.util.spec_from_file_location(name, WHEELS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def write_programs(folder, lines):
    folder.mkdir(exist_ok=True)
    for name, line in lines.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="the programs that pretend are shell scripts")
def test_only_pythons_that_run_and_are_new_enough_are_found(tmp_path, monkeypatch):
    pretended = {"python3.99": "exit 127", "python3.10": "echo 3 10 0", "python3.98": "echo 3 98 1"}
    pretended |= {"python3.97": "echo 3 97 0", "python3-config": "echo 3 96 0"}
    write_programs(tmp_path, pretended)
    monkeypatch.setenv("PATH", str(tmp_path))
    (found,) = load("pythons", monkeypatch).find_pythons()
    assert (str(found), found.program) == ("3.97", tmp_path / "python3.97")


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own elsewhere")
def test_the_suite_of_a_wheel_finds_every_program_but_compilers(tmp_path, monkeypatch):
    compilers = ["cc", "c++", "gcc-12", "g++", "clang++-19", "x86_64-linux-gnu-gcc"]
    write_programs(tmp_path / "first", dict.fromkeys([*compilers, "java", "c++filt"], "exit 1"))
    write_programs(tmp_path / "second", dict.fromkeys(["java", "git"], "exit 2"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'first'}{os.pathsep}{tmp_path / 'second'}")
    monkeypatch.setenv("CXX", "g++")
    load("pythons", monkeypatch)
    load("environment", monkeypatch).hide_compilers(tmp_path / "programs")
    assert [shutil.which(one) for one in compilers] == [None] * len(compilers)
    found = {name: Path(shutil.which(name)).resolve() for name in ("java", "git", "c++filt")}
    folders = {"java": "first", "git": "second", "c++filt": "first"}
    assert found == {name: tmp_path / folder / name for name, folder in folders.items()}
    assert "CXX" not in os.environ
