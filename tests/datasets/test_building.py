"""Raw files are imitated from the clean tables; the built tables must have the pinned hashes."""

import pytest

from tests.datasets import raw_files
from tests.requirements import data_file
from thresher.datasets.catalog import Table, catalog, read_table
from thresher.datasets.load import build_table


def clean_tables(origin: str) -> dict[str, Table]:
    names = [info.name for info in catalog().values() if info.origin.name == origin]
    return {name: read_table(data_file(name).read_bytes()) for name in names}


def assert_built(raw: list[bytes], tables: dict[str, Table]) -> None:
    for name, table in tables.items():
        built = build_table(raw, catalog()[name])
        assert built.columns == table.columns
        assert built.sha256 == table.sha256 == catalog()[name].sha256


def test_secom():
    tables = clean_tables("SECOM")
    assert_built(raw_files.secom(tables["secom"], catalog()["secom"].left_out), tables)


def test_ai4i():
    tables = clean_tables("AI4I")
    assert_built(raw_files.ai4i(tables["ai4i2020"]), tables)


def test_steel_plates():
    tables = clean_tables("Steel plates")
    assert len(tables) == 4
    assert_built(raw_files.steel_plates(tables), tables)


@pytest.mark.parametrize("name", ["secom", "ai4i2020", "steel_plates-pastry"])
@pytest.mark.parametrize("content", [b"", b"<html>Not found</html>", b"\xff\xfe\x00", b"a,b\n1\n"])
def test_files_of_another_form_are_refused(name, content):
    info = catalog()[name]
    with pytest.raises((ValueError, LookupError)):
        build_table([content] * len(info.origin.urls), info)
