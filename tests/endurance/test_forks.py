"""Children that fit, after a fit of their parent and during one."""

import pytest

from tests.endurance.counts import count
from tests.endurance.processes import outcome, posix

pytestmark = [pytest.mark.slow, posix]


@pytest.mark.parametrize(("mode", "counted"), [("quiet", "forks"), ("busy", "forks beside a fit")])
def test_a_child_finds_the_same_model(mode, counted):
    forks = count(counted)
    found = outcome("tests.endurance.fork_process", forks, mode)
    assert found == {"same": forks, "after": True}
