"""The corpus is what it says: many tables, the same every time, and a reader could be right."""

import csv
import gzip
import hashlib
import io
from datetime import datetime

import pytest

from tests.tables.dirty.clean import MEANINGS, clean_tables
from tests.tables.dirty.corpus import DirtyTable, make_draft, recipes, write_corpus
from tests.tables.dirty.defects import DEFECTS, WORKBOOK_DEFECTS
from tests.tables.dirty.reading import Reading
from tests.tables.dirty.scoring import Score, score_failure, score_reading
from tests.tables.dirty.text_file import text_bytes


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[DirtyTable]:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def _hashes(corpus: list[DirtyTable]) -> dict[str, str]:
    return {one.path.name: hashlib.sha256(one.path.read_bytes()).hexdigest() for one in corpus}


def _ideal(table: DirtyTable, **changes: object) -> Reading:
    """What a reader without faults gives: the expected values under their names."""
    names = [column.name or f"column {place}" for place, column in enumerate(table.columns)]
    columns = [
        [
            datetime.fromisoformat(str(value)) if column.meaning == "date" and value else value
            for value in column.values
        ]
        for column in table.columns
    ]
    return Reading(**{"names": names, "columns": columns, **changes})


def _records(table: DirtyTable) -> list[list[str]]:
    """The lines of a text file, as the csv module splits them."""
    data = table.path.read_bytes()
    if table.path.suffix == ".gz":
        data = gzip.decompress(data)
    text = data.decode(table.layout.encoding)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=table.layout.delimiter))


def test_the_same_bytes_and_values_every_time(
    corpus: list[DirtyTable], tmp_path_factory: pytest.TempPathFactory
) -> None:
    again = write_corpus(tmp_path_factory.mktemp("again"))
    assert _hashes(again) == _hashes(corpus)
    assert [one.columns for one in again] == [one.columns for one in corpus]


def test_many_tables_of_every_defect_and_few_that_nobody_can_read(
    corpus: list[DirtyTable],
) -> None:
    assert len(corpus) == len({one.path for one in corpus}) >= 60
    assert {defect for one in corpus for defect in one.defects} == set(DEFECTS)
    assert 0 < sum(bool(one.is_ambiguous) for one in corpus) <= len(corpus) / 10
    assert sum(len(one.defects) > 1 for one in corpus) >= 20


def test_every_defect_but_the_bare_workbook_changes_the_file() -> None:
    for table, defects in recipes():
        if len(defects) == 1 and defects[0] not in WORKBOOK_DEFECTS:
            assert text_bytes(make_draft(table, defects)) != text_bytes(make_draft(table, ()))


@pytest.mark.parametrize("name", clean_tables())
def test_clean_tables_hold_every_kind_of_column_and_number(name: str) -> None:
    table = clean_tables()[name]
    assert 300 <= len(table) <= 500
    assert {len(column.values) for column in table.columns} == {len(table)}
    assert {column.meaning for column in table.columns} == set(MEANINGS)
    known = [one for column in table.columns for one in column.values if isinstance(one, float)]
    assert min(known) < 0 < max(known)
    assert 0.0 in known
    assert max(known) > 1_000_000
    assert any(0 < abs(one) < 1e-4 for one in known)
    assert any(1_000 < one < 1_000_000 for one in known)
    decimals = {column.decimals for column in table.columns if column.meaning == "number"}
    assert {0, 1, None} < decimals
    ids = next(column for column in table.columns if column.meaning == "id").values
    assert len(set(ids)) == len(table)
    label = next(column for column in table.columns if column.name == table.target)
    assert label.meaning == "label"
    assert 0.01 < label.values.count("nok") / len(table) < 0.2


def test_text_files_have_the_lines_that_the_layout_promises(corpus: list[DirtyTable]) -> None:
    for table in corpus:
        if table.layout is None:
            continue
        lines = _records(table)
        assert len(lines) == table.layout.records >= len(table), table.name
        full = [line for line in lines if len(line) == len(table.columns) and any(line)]
        assert len(full) >= len(table), table.name


def test_expected_cells_are_those_of_the_file(corpus: list[DirtyTable]) -> None:
    for table in corpus:
        if table.layout is None:
            continue
        lines = {tuple(cell.strip() for cell in line) for line in _records(table)}
        for row in zip(*(column.written for column in table.columns), strict=True):
            assert row in lines, table.name


def test_workbooks_hold_what_is_expected(corpus: list[DirtyTable]) -> None:
    from openpyxl import load_workbook

    for table in corpus:
        if table.layout is not None:
            continue
        sheet = load_workbook(table.path, data_only=True)["Data"]
        cells = [cell for line in sheet.iter_rows(values_only=True) for cell in line]
        for column in table.columns:
            exact = {one for one in column.values if isinstance(one, float)}
            texts = {text for text in column.written if text}
            assert exact <= {one for one in cells if isinstance(one, float | int)} or texts <= {
                *map(str, cells)
            }, (table.name, column.name)


def test_a_reader_without_faults_is_right_everywhere(corpus: list[DirtyTable]) -> None:
    for table in corpus:
        score = score_reading(table, _ideal(table))
        assert score.outcome == "right", (table.name, score.faults)
        assert (score.right_cells, score.right_columns) == (score.cells, score.columns)


class TestFaultsAreSeen:
    @pytest.fixture
    def table(self, corpus: list[DirtyTable]) -> DirtyTable:
        return next(one for one in corpus if one.name == "pump_line-typo_cells")

    def _score(self, table: DirtyTable, place: int, values: list, **changes: object) -> Score:
        columns = [*_ideal(table).columns]
        columns[place] = values
        return score_reading(table, _ideal(table, columns=columns, **changes))

    def _place(self, table: DirtyTable, name: str) -> int:
        return [column.name for column in table.columns].index(name)

    def test_a_number_that_is_off(self, table: DirtyTable) -> None:
        place = self._place(table, "Hardness")
        values = [*table.columns[place].values]
        values[7] = 1.0001 * values[7]
        score = self._score(table, place, values)
        assert (score.outcome, score.silent_cells) == ("silent", 1)
        assert score.right_cells == score.cells - 1

    def test_a_number_column_as_text(self, table: DirtyTable) -> None:
        place = self._place(table, "Torque")
        texts = [*table.columns[place].written]
        score = self._score(table, place, texts)
        assert (score.outcome, score.silent_columns) == ("silent", 1)
        told = self._score(table, place, texts, notes=["'Torque' has cells that are no numbers."])
        assert told.outcome == "told"
        other = self._score(table, place, texts, notes=["'Hardness' has cells that are odd."])
        assert other.outcome == "silent"
        warned = self._score(table, place, texts, warnings=["Some columns have mixed types."])
        assert warned.outcome == "told"

    def test_leading_zeros_that_are_lost(self, corpus: list[DirtyTable]) -> None:
        table = next(one for one in corpus if one.name == "motor_bench-leading_zeros")
        place = self._place(table, "Seriennummer")
        score = self._score(table, place, [int(text) for text in table.columns[place].written])
        assert (score.outcome, score.silent_cells) == ("silent", len(table))

    def test_rows_that_are_lost_or_extra(self, table: DirtyTable) -> None:
        ideal = _ideal(table)
        fewer = score_reading(table, _ideal(table, columns=[one[3:] for one in ideal.columns]))
        assert (fewer.outcome, fewer.lost_rows, fewer.extra_rows) == ("silent", 3, 0)
        assert fewer.silent_cells == 0
        more = [[*column, "Total"] for column in ideal.columns]
        assert score_reading(table, _ideal(table, columns=more)).extra_rows == 1
        blank = [[None, *column] for column in ideal.columns]
        assert score_reading(table, _ideal(table, columns=blank)).outcome == "right"
        notes = ["3 rows were skipped."]
        told = _ideal(table, columns=[one[3:] for one in ideal.columns], notes=notes)
        assert score_reading(table, told).outcome == "told"

    def test_names_that_are_lost(self, table: DirtyTable) -> None:
        names = [f"x{place}" for place in range(len(table.columns))]
        score = score_reading(table, _ideal(table, names=names))
        assert (score.outcome, score.right_columns) == ("silent", 0)
        assert score.right_cells == score.cells
        longer = [f"Station 3 {column.name} [mm]" for column in table.columns]
        assert score_reading(table, _ideal(table, names=longer)).outcome == "right"

    def test_one_column_of_everything(self, table: DirtyTable) -> None:
        lines = ["a;b"] * len(table)
        score = score_reading(table, Reading(["all"], [lines]))
        assert (score.outcome, score.right_cells, score.right_columns) == ("silent", 0, 0)

    def test_dates(self, corpus: list[DirtyTable]) -> None:
        table = next(one for one in corpus if one.name == "motor_bench-date_day_first")
        place = self._place(table, "Prüfzeit")
        column = table.columns[place]
        assert self._score(table, place, [*column.written]).outcome == "right"
        swapped = [datetime.fromisoformat(str(value)) for value in column.values]
        swapped = [one.replace(month=min(one.day, 12), day=one.month) for one in swapped]
        assert self._score(table, place, swapped).outcome == "silent"

    def test_an_exception_is_a_question(self, table: DirtyTable) -> None:
        score = score_failure(table, ValueError("which delimiter?"))
        assert (score.outcome, score.right_cells, score.silent_cells) == ("asked", 0, 0)
