"""Two writers of one file, and a reader: each reading finds the whole of one of them."""

import pytest

from tests.endurance.counts import count
from tests.endurance.processes import outcome, posix

pytestmark = [pytest.mark.slow, posix]


def test_two_writers(tmp_path):
    n_times = count("saves of two writers")
    found = outcome("tests.endurance.writers_process", "save_model", tmp_path, n_times)
    assert found["codes"] == [0, 0]
    assert found["whole"]
    assert found["litter"] == []
    assert found["loads"] > 10
