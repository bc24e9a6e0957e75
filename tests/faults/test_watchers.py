"""Several processes watch with one state: what was reported as written is never lost."""

import signal

import pytest

from tests.endurance.processes import outcome, posix

pytestmark = posix


def check(folder, *pairs):
    counts = [f"{processes},{kills}" for processes, kills in pairs]
    left = outcome("tests.faults.watchers", folder, *counts)
    for (processes, kills), found in zip(pairs, left, strict=True):
        assert found["lost"] == []
        assert found["codes"] == [0] * (processes - kills) + [signal.SIGKILL] * kills
        assert 2 * (processes - kills) <= found["reported"] <= found["stored"] <= 2 * processes


def test_two_and_eight_writers_some_of_which_are_killed(tmp_path):
    check(tmp_path, (2, 1), (8, 3))


@pytest.mark.slow
def test_forty_writers_of_which_ten_are_killed(tmp_path):
    check(tmp_path, (40, 10))
