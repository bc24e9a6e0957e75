"""What some tests need beside the package: data, programs. Without them a test is skipped.

THRESHER_REQUIRE_ALL=1 turns such a skip into a failure, where everything is meant to be there; a
folder of data sets is optional, but complete where THRESHER_DATA names one.
"""

import os
from pathlib import Path

import pytest


def require(condition: object, reason: str) -> None:
    """Skip the test, or let it fail where everything is required, unless the condition holds."""
    if condition:
        return
    if os.environ.get("THRESHER_REQUIRE_ALL") == "1":
        pytest.fail(f"{reason} (THRESHER_REQUIRE_ALL=1)")
    pytest.skip(reason)  # a machine without this part can still run the rest


def data_file(name: str) -> Path:
    """Return NAME.csv.gz somewhere below the folder THRESHER_DATA; without one, skip."""
    folder = os.environ.get("THRESHER_DATA")
    if not folder:
        pytest.skip("THRESHER_DATA names no folder of data sets")  # they are not of the project
    found = sorted(Path(folder).rglob(f"{name}.csv.gz"))
    require(found, f"{name}.csv.gz is not in THRESHER_DATA")
    return found[0]
