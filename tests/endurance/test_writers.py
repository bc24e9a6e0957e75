"""Two writers of one place, and a reader: each reading finds the whole of one of them.

Two processes on the store of a study: tests/benchmark/study/test_kill.py.
"""

import pytest

from tests.endurance.counts import count
from tests.endurance.processes import outcome, posix

pytestmark = [pytest.mark.slow, posix]


@pytest.mark.parametrize(
    ("operation", "counted"),
    [("save_model", "saves of two writers"), ("write_folder", "folders of two writers")],
)
def test_two_writers(tmp_path, operation, counted):
    found = outcome("tests.endurance.writers_process", operation, tmp_path, count(counted))
    assert found["codes"] == [0, 0]
    assert found["whole"]
    assert found["litter"] == []
    assert found["loads"] > 10
