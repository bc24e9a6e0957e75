"""The Pythons of this machine: `python3.X` on the search path, and the versions of pyenv."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

OLDEST = (3, 11)
FIRST_ABI3 = (3, 12)
NAME = re.compile(r"python3\.\d+(\.exe)?")
ABOUT = (
    "import ensurepip, sys, sysconfig, venv;"
    "print(*sys.version_info[:2], int(bool(sysconfig.get_config_var('Py_GIL_DISABLED'))))"
)


@dataclass(frozen=True)
class Python:
    """An interpreter that can make environments."""

    program: Path
    version: tuple[int, int]

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def find_pythons() -> list[Python]:
    """Return one interpreter of each version from the oldest supported one on, in order."""
    found: dict[tuple[int, int], Python] = {}
    for program in _candidates():
        version = _version(program)
        if version is not None and version >= OLDEST:
            found.setdefault(version, Python(program, version))
    return [found[version] for version in sorted(found)]


def _candidates() -> list[Path]:
    folders = [Path(text) for text in os.environ.get("PATH", "").split(os.pathsep) if text]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=True).stdout
        folders += sorted(Path(root.strip()).glob("versions/*/bin"))
    inside = [one for folder in folders if folder.is_dir() for one in sorted(folder.iterdir())]
    return [one for one in inside if NAME.fullmatch(one.name)]


def _version(program: Path) -> tuple[int, int] | None:
    """Return the version; None for what does not run, makes no environments or has no lock."""
    try:
        done = subprocess.run(
            [program, "-c", ABOUT], capture_output=True, text=True, timeout=60, check=False
        )
        major, minor, is_free_threaded = map(int, done.stdout.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return None if is_free_threaded else (major, minor)
