"""Environments for building and trying out: made fresh, and run without what the machine has."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pythons import FIRST_ABI3, Python

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "wheels"
DIST = ROOT / "dist"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IS_WINDOWS = sys.platform == "win32"
COMPILER = re.compile(r"(.+-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|c89|c99)(-[\d.]+)?")


class Environment:
    """A fresh virtual environment below build/wheels."""

    def __init__(self, name: str, python: Python) -> None:
        self.folder = BUILD / name
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run([python.program, "-m", "venv", self.folder], check=True)
        self.programs = self.folder / ("Scripts" if IS_WINDOWS else "bin")

    def install(self, *requirements: str | Path, options: Sequence[str] = ()) -> None:
        """Install packages."""
        self.run("python", "-m", "pip", "install", "--quiet", *options, *requirements)

    def run(self, program: str, *arguments: str | Path, alone: bool = False) -> None:
        """Run one of its programs; `alone`: with nothing but them on the search path."""
        path = [str(self.programs)] if alone else [str(self.programs), os.environ["PATH"]]
        environment = {**os.environ, "PATH": os.pathsep.join(path), "PYTHONNOUSERSITE": "1"}
        environment.pop("PYTHONPATH", None)
        found = shutil.which(program, path=environment["PATH"])
        if found is None:
            raise SystemExit(f"{program} is not in {self.programs}.")
        print(">", program, *map(str, arguments), flush=True)
        done = subprocess.run([found, *arguments], env=environment, cwd=ROOT, check=False)
        if done.returncode:
            raise SystemExit(f"{program} ended with {done.returncode}.")


def wheel_for(python: Python) -> Path:
    """Return the wheel in dist that this Python installs."""
    major, minor = python.version
    tag = "abi3" if python.version >= FIRST_ABI3 else f"cp{major}{minor}"
    found = sorted(DIST.glob(f"thresher-*-{tag}-*.whl"))
    if len(found) != 1:
        raise SystemExit(f"dist has {len(found)} wheels for Python {python}; run make wheel first.")
    return found[0]


def hide_compilers(folder: Path) -> None:
    """Let the search path be a folder of links to all that it has, but for compilers."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for place in map(Path, filter(None, os.environ["PATH"].split(os.pathsep))):
        for program in sorted(place.iterdir()) if place.is_dir() else ():
            link = folder / program.name
            if COMPILER.fullmatch(program.name) is None and not link.is_symlink():
                link.symlink_to(program.absolute())
    os.environ["PATH"] = str(folder)
    for name in ("CC", "CXX"):
        os.environ.pop(name, None)
