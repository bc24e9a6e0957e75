"""A progress bar where somebody can see it, and nowhere else."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

from thresher import ImbalancedForestClassifier
from thresher.progress import progress_bar

pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")

FIT = """
import numpy as np
from thresher import ImbalancedForestClassifier

random = np.random.default_rng(0)
X, y = random.random(({n_rows}, 8)), np.arange({n_rows}) % 5 == 0
ImbalancedForestClassifier(
    {n_estimators}, verbose={verbose}, importance={importance!r}, n_bootstrap=0, n_jobs=2
).fit(X, y)
"""


def code(verbose, importance="impurity", n_estimators=30, n_rows=400):
    return FIT.format(**locals())


def start_on_a_terminal(source):
    """Start a program whose standard error is a terminal; return it and the terminal's end."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-c", source]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    return child, ours


def read_to_the_end(terminal, seconds=300):
    """Return what a program writes to a terminal until it ends."""
    text, end = b"", time.monotonic() + seconds
    while select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux tells so that the other end is closed
            part = b""
        if not part:
            return text.decode()
        text += part
    raise AssertionError(f"the program did not end; so far: {text!r}")


def shown_on_a_terminal(source):
    child, terminal = start_on_a_terminal(source)
    with child:
        shown = read_to_the_end(terminal)
        os.close(terminal)
        assert child.stdout.read() == b""
    assert child.returncode == 0, shown
    return plain(shown)


def plain(shown):
    """Return text of a terminal without colours and movements."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)


def test_a_bar_on_a_terminal():
    shown = shown_on_a_terminal(code(True, "permutation"))
    assert "Growing trees" in shown
    assert "30/30" in shown
    assert shown.index("Growing trees") < shown.index("Permuting columns") < shown.index("8/8")


def test_nothing_on_a_terminal_unless_asked():
    assert shown_on_a_terminal(code(verbose=0)) == ""


def test_nothing_without_a_terminal():
    command = [sys.executable, "-c", code(1, "permutation")]
    run = subprocess.run(command, capture_output=True, check=True, timeout=300)
    assert (run.stdout, run.stderr) == (b"", b"")


def test_ctrl_c_under_a_bar():
    source = code(1, n_estimators=1_000_000, n_rows=2000)
    child, terminal = start_on_a_terminal(source)
    with child:
        try:
            assert select.select([terminal], [], [], 300)[0]  # the bar has appeared
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            shown = read_to_the_end(terminal)  # of hours
        finally:
            child.kill()
            os.close(terminal)
    assert child.returncode in (1, -signal.SIGINT)
    assert plain(shown).rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_fails_in_one_thread_stops_all(monkeypatch, n_jobs):
    """A Ctrl-C may come up inside the bar, which one thread tells of trees."""

    @contextmanager
    def failing_bar(*_arguments, **_options):
        yield failing

    def failing(_done):
        raise KeyboardInterrupt

    monkeypatch.setattr("thresher.forest.classifier.progress_bar", failing_bar)
    X, y = np.random.default_rng(0).random((2000, 8)), np.arange(2000) % 5 == 0
    forest = ImbalancedForestClassifier(100_000, n_bootstrap=0, n_jobs=n_jobs)
    start = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, y)
    assert time.process_time() - start < 20  # of many minutes


def test_a_bar_that_is_not_shown_costs_nothing_and_says_nothing(capfd):
    with progress_bar("work", 3, shown=False) as done:
        done(3)
    with progress_bar("work", 3, shown=True) as done:
        done(3)  # standard error is no terminal here
    assert capfd.readouterr() == ("", "")
