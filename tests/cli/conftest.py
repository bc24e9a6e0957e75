"""What several commands are tried on."""

import pytest

from tests.program import write_line


@pytest.fixture(scope="session")
def later(tmp_path_factory):
    """Parts of another line, which had no part in the training."""
    folder = tmp_path_factory.mktemp("later")
    write_line(folder, 1500, seed=7)
    return folder / "parts.csv"
