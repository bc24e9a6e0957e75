"""The comparison of readers: what is said of each is what it did."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.tables.dirty.corpus import DirtyTable, write_corpus

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
WITH_COMMAS = ("pandas", "pandas, sep=None", "polars", "DuckDB")
"""Rivals that the tests have."""


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DirtyTable]:
    return {one.name: one for one in write_corpus(tmp_path_factory.mktemp("corpus"))}


@pytest.mark.parametrize("name", WITH_COMMAS)
def test_rivals_read_clean_tables_and_stumble_over_a_typo(
    part: Callable[[str], ModuleType], tables: dict[str, DirtyTable], name: str
) -> None:
    chosen = [tables[each] for each in ("glass_melts-plain", "pump_line-typo_cells")]
    clean, typo = part("readers").score_reader(name, chosen)
    assert clean.outcome == "right", clean.faults
    assert (typo.outcome, typo.silent_columns) == ("silent", 2)


def test_an_exception_of_a_rival_is_told(
    part: Callable[[str], ModuleType], tables: dict[str, DirtyTable]
) -> None:
    (score,) = part("readers").score_reader("pandas", [tables["motor_bench-utf_16"]])
    assert score.outcome == "asked"
    assert "UnicodeDecodeError" in score.raised


def test_a_package_that_warns_of_its_own_future_tells_nothing(
    part: Callable[[str], ModuleType], tables: dict[str, DirtyTable]
) -> None:
    (score,) = part("readers").score_reader("pandas", [tables["pump_line-hidden_sheet"]])
    assert score.outcome == "silent"


def test_report_counts_tables_by_outcome(
    part: Callable[[str], ModuleType], tables: dict[str, DirtyTable]
) -> None:
    chosen = [tables[name] for name in ("glass_melts-plain", "pump_line-typo_cells")]
    chosen += [tables["motor_bench-utf_16"], tables["pump_line-workbook"]]
    scores = {name: part("readers").score_reader(name, chosen) for name in ("pandas", "DuckDB")}
    lines = part("readers_study").report(scores).splitlines()
    assert sum(line.startswith("| pandas | 3 | 1 | 0 | 1 | 1 |") for line in lines) == 1
    assert sum(line.startswith("| pandas | 1 | 1 | 0 | 0 | 0 |") for line in lines) == 1
    assert "| workbook | 1 | 100.0 | - |" in lines
    assert "| typo cells | 1 | 1 | 1 |" in lines
