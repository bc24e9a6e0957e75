"""Whether processes are gone, by /proc."""

import time
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


def is_running(pid):
    """Whether a process is there; one that has ended and waits for its parent is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def are_gone(pids, patience=10):
    """Wait for the end of all processes; whether it has come."""
    deadline = time.monotonic() + patience
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_running, pids))
