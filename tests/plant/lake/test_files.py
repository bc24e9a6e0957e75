"""Where a lake is cut: after whole files, else after whole row groups."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.processor_time import least_time
from thresher.plant.lake.files import FileLake, Part

SIZES = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=2, max_size=6)


def lake_of(sizes):
    """Return a lake whose files have row groups of these sizes."""
    return FileLake(
        tuple(
            Part(f"{file}.parquet", rows, group)
            for file, groups in enumerate(sizes)
            for group, rows in enumerate(groups)
        ),
        None,
    )


@given(SIZES, st.floats(0.05, 0.95))
def test_the_end_of_files_that_is_nearest_to_the_share_is_apart(sizes, share):
    cut = lake_of(sizes).cut(share)
    total = sum(map(sum, sizes))
    away = [abs(sum(map(sum, sizes[-n:])) / total - share) for n in range(1, len(sizes))]
    count = int(cut.which.split()[2])
    assert away[count - 1] == pytest.approx(min(away), abs=1e-8)
    assert cut.which == f"the last {count} of {len(sizes)} files"
    assert cut.late.files == [f"{n}.parquet" for n in range(len(sizes))][-count:]
    assert cut.early.parts + cut.late.parts == lake_of(sizes).parts


def test_a_single_file_is_cut_after_a_row_group():
    cut = lake_of([[5, 5, 5, 5]]).cut(0.25)
    assert cut.which == "the last 1 of 4 row groups of '0.parquet'"
    assert [part.group for part in cut.late.parts] == [3]
    assert [part.group for part in cut.early.parts] == [0, 1, 2]


def test_the_time_of_a_cut_grows_with_files_and_not_with_their_square():
    few, many = lake_of([[1]] * 1000), lake_of([[1]] * 8000)
    assert least_time(lambda: many.cut(0.5)) < 30 * least_time(lambda: few.cut(0.5))
