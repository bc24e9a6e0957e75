"""`thresher doctor`: what a bug report should tell of the machine. Whatever is broken, it runs."""

import os
import platform
import re
from collections.abc import Callable, Iterable
from importlib import metadata
from typing import Any

import click

from thresher import __version__
from thresher.cli.options import json_option
from thresher.cli.printing import print_json, say

ABSENT = "absent"
VARIABLES = ("THRESHER_CACHE", "THRESHER_DATA", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_NAME = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"""extra == ['"]([\w.-]+)['"]""")
_INSIDE = re.compile(r"\[([^]]*)\]")


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Tell what a bug report should tell of this machine.

    Printed are the versions of thresher, of Python and of the packages that it needs, which extras
    are installed, threads, the instructions that the core uses, and the platform. No table, no path
    and no name of yours is in it.
    """
    found = examine()
    if as_json:
        print_json(found)
    else:
        say("\n".join(_lines(found)))


def examine() -> dict[str, Any]:
    """Return what is known; a question that fails is answered with its error."""
    return {
        "thresher": __version__,
        "python": _answer(_python),
        "platform": _answer(platform.platform),
        "machine": _answer(platform.machine),
        "core": _answer(_core),
        "threads": _answer(_threads),
        "variables_set": [name for name in VARIABLES if name in os.environ],
        "packages": _answer(_packages),
        "extras": _answer(_extras),
    }


def _answer(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception as error:
        return f"unknown ({type(error).__name__}: {error})"


def _python() -> str:
    return f"{platform.python_implementation()} {platform.python_version()}"


def _core() -> dict[str, Any]:
    from pathlib import Path

    from thresher import _core

    return {
        "file": Path(str(_core.__file__)).name,
        "instructions": "AVX2 and BMI2" if _core.has_wide_instructions() else "baseline",
    }


def _threads() -> dict[str, int | None]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"cores": os.cpu_count(), "usable": usable}


def _packages() -> dict[str, str]:
    return _versions(required(_requirements())[""])


def _extras() -> dict[str, dict[str, str]]:
    """Return the extras that `thresher[all]` installs, each with its packages."""
    lists = required(_requirements())
    return {name: _versions(lists[name]) for name in extras_of_all(_requirements())}


def _requirements() -> list[str]:
    return metadata.requires("thresher") or []


def required(requirements: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of packages by extra; those that are always needed under "".

    >>> required(["numpy>=1.25", "dask[array]>=2025.7; extra == 'dask'"])
    {'': ['numpy'], 'dask': ['dask']}
    """
    found: dict[str, list[str]] = {"": []}
    for text in requirements:
        extra, name = _EXTRA.search(text), _NAME.match(text)
        if name is not None:
            found.setdefault(extra[1] if extra else "", []).append(name[0])
    return found


def extras_of_all(requirements: Iterable[str]) -> list[str]:
    """Return the extras that the extra `all` is made of.

    >>> extras_of_all(["thresher[boost,plot]; extra == 'all'", "shap; extra == 'explain'"])
    ['boost', 'plot']
    """
    of_all = [text for text in requirements if (found := _EXTRA.search(text)) and found[1] == "all"]
    inside = [found[1] for text in of_all if (found := _INSIDE.search(text))]
    return sorted(name.strip() for names in inside for name in names.split(","))


def _versions(names: Iterable[str]) -> dict[str, str]:
    return {name: _version(name) for name in sorted(set(names))}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ABSENT


def _lines(found: dict[str, Any]) -> list[str]:
    """Return the facts as lines; what has parts gets an indented line for each."""
    lines = []
    for name, value in found.items():
        if isinstance(value, dict):
            lines.append(f"{name.replace('_', ' ')}:")
            lines += [f"  {part}: {_words(one)}" for part, one in value.items()]
        else:
            lines.append(f"{name.replace('_', ' ')}: {_words(value)}")
    return lines


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value)
