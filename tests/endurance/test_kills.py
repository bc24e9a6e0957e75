"""Killed at any moment: each file is the old one or the new one, never a torn one."""

import pytest

from tests.endurance.counts import count
from tests.endurance.processes import outcome, posix

pytestmark = posix


def check_kills(operation, folder, kills):
    found = outcome("tests.faults.killing", operation, folder, kills)
    assert set(found["left"]) <= {"old", "begun", "new"}
    assert sum(found["left"].values()) == kills
    assert 0 < found["in_time"] <= kills
    return found


def test_kills_of_save(tmp_path):
    found = check_kills("save_model", tmp_path, count("kills of save_model"))
    # Some kills came in the middle of writing.
    assert found["litter"] > 0
    assert set(found["left"]) == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["write_folder", "train", "study"])
def test_kills_of_train_and_study(tmp_path, operation):
    check_kills(operation, tmp_path, count(f"kills of {operation}"))
