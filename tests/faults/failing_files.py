"""Let the n-th change of files below a folder fail, or be the last before the process dies.

    outcomes = campaign(library, "save_model", [FULL, KILL], folder)

runs an operation of `operations.py` once for each n, in forks of a process into which
`failing_calls.c` is loaded, until one runs through. Python, Arrow and SQLite are all seen.
"""

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.requirements import require

SOURCE = Path(__file__).with_name("failing_calls.c")
LIBRARY = "THRESHER_FAILING_CALLS"
ROOT = Path(__file__).parents[2]


class Fault(NamedTuple):
    """What the n-th call meets; numbers as in `failing_calls.c`."""

    name: str
    kind: int
    error: int


ONCE = Fault("once", 0, errno.EIO)
"""It fails; the next one does not."""
FULL = Fault("full", 1, errno.ENOSPC)
"""The disk is full: a write is half done, and nothing that needs room works from then on."""
KILL = Fault("kill", 2, errno.EIO)
"""The process is killed in the middle of it."""
FAULTS = {fault.name: fault for fault in (ONCE, FULL, KILL)}


class Outcome(NamedTuple):
    """What the n-th fault left.

    Attributes
    ----------
    fault : its name.
    failed : the call that met it; empty where the process was killed.
    error : kind and text of the exception, if there was one.
    found : "old", "new", or what is wrong with the files.
    litter : hidden files that stayed.
    """

    fault: str
    n: int
    failed: str
    error: tuple[str, str] | None
    killed: bool
    found: str
    litter: list[str]


def build(folder: Path) -> Path:
    """Compile the library; without a compiler, or elsewhere than on Linux, skip the test."""
    compiler = shutil.which("cc")
    require(compiler and sys.platform == "linux", "needs Linux and a C compiler")
    library = folder / "failing_calls.so"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, SOURCE, "-o", library, "-ldl"], check=True)
    return library


def campaign(library: Path, operation: str, faults: Sequence[Fault], folder: Path, step: int = 1):
    """Return what comes of each n = 1, 1 + step, ... until the operation runs through."""
    names = [fault.name for fault in faults]
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.failing", operation, folder, str(step), *names],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "LD_PRELOAD": str(library),
            LIBRARY: str(library),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [Outcome(**json.loads(line)) for line in done.stdout.splitlines()]


class FailingCalls:
    """The library, inside of the process into which it is loaded."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(os.environ[LIBRARY])
        self._library.fault_failed.restype = ctypes.c_char_p
        self._library.fault_calls.restype = ctypes.c_long

    def arm(self, folder: Path, n: int, fault: Fault) -> None:
        """Let the n-th call from now on fail; none where n is 0."""
        place = os.fsencode(os.path.realpath(folder))
        self._library.fault_arm(place, ctypes.c_long(n), fault.kind, fault.error)

    @property
    def failed(self) -> str:
        """The name of the call that met the fault; empty where none did."""
        return self._library.fault_failed().decode()
