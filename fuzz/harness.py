"""What the fuzz targets share: a budget of time and memory by the size of an input, and the start.

A target is a function of bytes. It may raise the errors that its users are promised, and must
catch them itself; whatever leaves it is a finding, and so is an input that takes more than
`SECONDS` of processor time or more memory than `FREE_MEMORY` and `MEMORY_PER_BYTE` allow.
"""

import ctypes
import os
import random
import sys
import time
from pathlib import Path

import atheris

SECONDS = 1.0
FREE_MEMORY = 64 * 2**20  # bytes
MEMORY_PER_BYTE = 8  # of the input


class OutOfBudgetError(AssertionError):
    """An input took more time or memory than its size allows."""


class PeakMemory:
    """How far the resident memory of this process rises; 0 where Linux's /proc is not there."""

    def __init__(self):
        self._start = self._read("VmRSS:") if self._reset() else None

    def rise(self):
        """Return by how many bytes the peak lies above the start."""
        return 0 if self._start is None else max(0, self._read("VmHWM:") - self._start)

    @staticmethod
    def _reset():
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
        except OSError:
            return False
        return True

    @staticmethod
    def _read(field):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
        raise LookupError(field)


def within_budget(target):
    """Return the target as one that raises OutOfBudgetError where an input takes too much."""

    def measured(data):
        memory = PeakMemory()
        start = time.process_time()
        target(data)
        # What was registered last runs first, and a library registers its threads at first use.
        SYSTEM.on_exit(end_at_once, None)
        seconds = time.process_time() - start
        if seconds > SECONDS:
            raise OutOfBudgetError(f"{len(data)} bytes took {seconds:.1f} s of processor time")
        allowed = FREE_MEMORY + MEMORY_PER_BYTE * len(data)
        if (rise := memory.rise()) > allowed:
            raise OutOfBudgetError(f"{len(data)} bytes took {rise / 2**20:.0f} MB of memory")

    return measured


def informed(change):
    """Return a mutator that calls change(draw, data) half of the time and Atheris's own else.

    `change` knows the format and returns bytes; where it cannot read what it is given, it raises
    one of the errors of broken data, and Atheris's mutation takes its place.
    """
    broken = (ValueError, LookupError, AttributeError, TypeError, OverflowError, RecursionError)

    def mutate(data, max_size, seed):
        draw = random.Random(seed)
        if draw.random() < 0.5:
            try:
                found = change(draw, data)
            except broken:
                found = b""
            if 0 < len(found) <= max_size:
                return found
        return atheris.Mutate(data, max_size)

    return mutate


@ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p)
def end_at_once(status, _):
    """End the process before pyarrow's threads are waited for.

    libFuzzer calls exit() with the lock of the interpreter, which such a thread may be waiting for
    to give a buffer back: both would wait for ever.
    """
    os._exit(status)


SYSTEM = ctypes.CDLL(None)


def start(target, change=None):
    """Run Atheris on the target with the options and folders of the command line."""
    mutator = {} if change is None else {"custom_mutator": informed(change)}
    atheris.Setup(sys.argv, within_budget(target), **mutator)
    atheris.Fuzz()
