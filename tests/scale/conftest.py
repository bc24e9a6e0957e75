"""Engines that hold the rows of a table, clusters among them."""

import pytest

from tests.scale.dask_cluster import collection, running
from tests.scale.spark_sessions import local_session, spark_frame


@pytest.fixture(scope="package")
def two_workers():
    with running(2) as client:
        yield client


@pytest.fixture(scope="module")
def session():
    with local_session() as session:
        yield session


def parquet_files(folder, table, n_parts):
    """Write a table to a new folder, in files with small groups of rows."""
    folder /= f"{n_parts} parts, {len(list(folder.iterdir()))}"
    folder.mkdir()
    for number, part in enumerate(table.parts(n_parts, seed=n_parts)):
        part.to_parquet(folder / f"{number:02d}.parquet", index=False, row_group_size=500)
    return folder


@pytest.fixture(params=["arrow", "dask", pytest.param("spark", marks=pytest.mark.slow)])
def engine(request, tmp_path):
    """A function that hands the rows of a random table, shuffled, to an engine in some parts."""
    if request.param == "arrow":
        yield lambda table, n_parts=3: parquet_files(tmp_path, table.shuffled(n_parts), n_parts)
    elif request.param == "dask":
        with request.getfixturevalue("two_workers").as_current():
            yield lambda table, n_parts=3: collection(table.shuffled(1).parts(n_parts, seed=1))
    else:
        session = request.getfixturevalue("session")
        yield lambda table, n_parts=3: spark_frame(session, table.shuffled(2), n_parts)
