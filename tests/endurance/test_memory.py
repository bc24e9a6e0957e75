"""Thousands of fits and loads: the memory stays as it is."""

from pathlib import Path

import numpy as np
import pytest

from tests.endurance.counts import count
from tests.endurance.processes import outcome

MOST_MEGABYTES = 8
"""From the first twentieth to the end; 1,000 leaks of the table, 26 kB, are three times as much."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc"),
]


def check_flat(kind, times):
    megabytes = np.array(outcome("tests.endurance.memory_process", kind, times))
    assert megabytes[-1] - megabytes[0] < MOST_MEGABYTES, megabytes
    slope = np.polyfit(np.arange(len(megabytes)), megabytes, 1)[0]
    assert slope * len(megabytes) < MOST_MEGABYTES, megabytes


@pytest.mark.parametrize("kind", ["tree", "forest", "threshold"])
def test_fits(kind):
    check_flat(kind, count("fits"))


@pytest.mark.parametrize("kind", ["tree", "forest", "threshold"])
def test_loads(kind):
    check_flat(f"{kind} load", count("loads"))
