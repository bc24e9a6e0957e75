"""Sheets of workbooks as rows of cells, and columns as sheets."""

import datetime
import io
import re
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.requirements import require
from tests.tables.workbooks import (
    cell,
    make_open_document,
    make_workbook,
    packed,
    sheet,
)
from thresher.column import Texts
from thresher.errors import MissingPackageError, TableError
from thresher.tables import excel, workbook
from thresher.tables.excel import sheet_table, write_excel
from thresher.tables.workbook import Sheet, is_workbook, read_here, read_sheet

TABLE = sheet([cell("A1", 1), cell("B1", 2)], [cell("A2", 3), cell("B2", 4)])
SOURCE = "'a.xlsx'"
NUMBERS = st.floats(width=64)
WORDS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        [
            *("=1+1", "+5", "-5", "@x", "#REF!", "#N/A", "007", "1e5", " a ", "\n", "a\rb", "\r\n"),
            *("_x0041_", "_x005F_x0041_", "__x000D_", "\x1b[31m", "\ufffe", "TRUE", "2024-12-31"),
        ]
    ),
)


def read(data, asked=None):
    return read_here(data, asked, SOURCE)


def saved(workbook):
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def shown(text):
    """Return a text with escapes for what no workbook can hold, None where nothing is left."""
    forbidden = r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    return re.sub(forbidden, lambda found: repr(found[0])[1:-1], text) or None


def cells_of(column):
    if isinstance(column, Texts):
        return [None if text is None else shown(text) for text in column.values()]
    return [
        None if np.isnan(one) else one if np.isfinite(one) else str(one) for one in column.tolist()
    ]


@st.composite
def tables(draw):
    names = draw(st.lists(WORDS.filter(bool), min_size=1, max_size=4, unique=True))
    n_rows = draw(st.integers(0, 5))
    values = st.one_of(
        st.lists(NUMBERS, min_size=n_rows, max_size=n_rows).map(np.array),
        st.lists(st.none() | WORDS, min_size=n_rows, max_size=n_rows).map(Texts.of),
    )
    return {name: draw(values) for name in names}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("written") / "t.xlsx"


@given(columns=tables())
def test_columns_come_back(path, columns):
    write_excel(columns, path)
    found = read(path.read_bytes())
    expected = [list(row) for row in zip(*map(cells_of, columns.values()), strict=True)]
    while expected and set(expected[-1]) == {None}:
        expected.pop()
    assert found.rows == [[shown(name) for name in columns], *expected]
    assert found.first_row == 1
    assert found.notes == ()


def test_texts_are_no_formulas_for_excel_and_the_header_stays_in_sight(path):
    texts = ["=1+1", "+5", "-5", "@x", "#REF!", "plain", None]
    numbers = np.array([0.1 + 0.2, 1e300, -0.0, 5e-324, 2.0**53 + 2, np.nan, np.inf])
    write_excel({"=A1": Texts.of(texts), "speed": numbers}, path)
    theirs = openpyxl.load_workbook(path).active
    header, *rows = theirs.iter_rows()
    assert [one.value for one in header] == ["=A1", "speed"]
    assert all(one.font.bold for one in header)
    assert theirs.freeze_panes == "A2"
    assert [row[0].value for row in rows] == texts
    assert {row[0].data_type for row in rows[:-1]} == {"s"}
    assert [row[0].quotePrefix for row in rows] == [True] * 4 + [False] * 3
    assert [row[1].value for row in rows] == [*numbers[:5].tolist(), None, "inf"]


def test_what_excel_cannot_hold_is_told_before_anything_is_written(tmp_path):
    long = np.broadcast_to(1.0, 1_048_576)
    for columns, sentence in [
        ({"a": long}, r"holds 1,048,575 rows under a header .* has 1,048,576 and 1; write CSV"),
        ({str(place): long[:1] for place in range(16_385)}, "has 1 and 16,385; write CSV"),
        ({"a": Texts.of(["x" * 32_768])}, "holds 32,767 characters, and column 'a' has a longer"),
        ({"x" * 32_768: long[:1]}, "holds 32,767 characters"),
    ]:
        with pytest.raises(TableError, match=sentence):
            write_excel(columns, tmp_path / "t.xlsx")
    assert not list(tmp_path.iterdir())


def test_dates_and_times_are_iso_texts():
    workbook = openpyxl.Workbook()
    moment = datetime.datetime(2024, 12, 31, 8, 30)
    workbook.active.append(["day", "moment", "whole day", "time", "duration", "text", True])
    workbook.active.append(
        [
            *(moment.date(), moment, datetime.datetime(2024, 12, 31), moment.time()),
            *(datetime.timedelta(hours=29, seconds=7), "007", 5),
        ]
    )
    assert read(saved(workbook)).rows == [
        ["day", "moment", "whole day", "time", "duration", "text", True],
        ["2024-12-31", "2024-12-31 08:30:00", "2024-12-31", "08:30:00", "29:00:07", "007", 5.0],
    ]


def test_cells_have_their_row_and_place():
    data = make_workbook({"S": sheet([cell("C7", 1), cell("E7", 2)], [cell("D9", 3)])})
    found = read(data)
    assert found.rows == [[1.0, None, 2.0], [None, None, None], [None, 3.0, None]]
    assert found.first_row == 7


def test_empty_rows_at_the_end_are_left_out():
    empty = cell("A3", "", 't="str"', "B1")
    data = make_workbook({"S": sheet([cell("A1", 1)], [cell("A2", 2)], [empty])})
    assert read(data).rows == [[1.0], [2.0]]


def test_formulas_are_read_by_their_values():
    data = make_workbook(
        {
            "S": sheet(
                [cell("A1", 3, formula="1+2"), cell("B1", "x", 't="str"', 'A1&amp;"x"')],
                [cell("A2", 1, 't="b"', "TRUE()"), cell("B2", "", 't="str"', '""')],
            )
        }
    )
    found = read(data)
    assert found.rows == [[3.0, "x"], [True, None]]
    assert found.notes == ()


def test_formulas_without_values_are_told():
    workbook = openpyxl.Workbook()
    workbook.active.append(["a", "sum"])
    workbook.active.append([1, "=A2+1"])
    found = read(saved(workbook))
    assert found.rows == [["a", "sum"], [1.0, None]]
    assert found.notes == (
        f"{SOURCE} has formulas without a value, such as that in B2, and they are read as empty; "
        "save it in Excel, which stores their values.",
    )


def test_errors_are_the_texts_that_they_show():
    rows = [
        [cell(f"B{row}", "#DIV/0!", 's="1" t="e"', f"1/A{row}"), cell(f"C{row}", "#N/A", 't="e"')]
        for row in range(3, 200)
    ]
    data = make_workbook({"Other": TABLE, "S": sheet([cell("B2", 1), cell("C2", 2)], *rows)})
    assert read(data, "S").rows == [[1.0, 2.0], *[["#DIV/0!", "#N/A"]] * 197]
    assert read(data, "Other").rows == [[1.0, 2.0], [3.0, 4.0]]


def test_a_merged_header_stands_in_each_of_its_columns():
    workbook = openpyxl.Workbook()
    page = workbook.active
    for row in ([], ["", "part", "torque", None, "line"], ["", None, "min", "max"], ["", 1, 2, 3]):
        page.append(row)
    for area in ("B2:B3", "C2:D2", "E2:F3", "A30:B30"):
        page.merge_cells(area)
    page["A30"] = "end"
    found = read(saved(workbook))
    assert found.rows[:3] == [
        [None, "part", "torque", "torque", "line"],
        [None, None, "min", "max", None],
        [None, 1.0, 2.0, 3.0, None],
    ]
    assert found.first_row == 2
    assert found.notes == (
        f"Merged cells in the first rows of {SOURCE} have their text in each of their columns: "
        "'torque'.",
    )


def three_sheets(**states):
    cover = sheet([cell("A1", 1)], [cell("A2", 2)])
    return make_workbook({"Titel": cover, "Messung": TABLE, "Alt": TABLE}, states=states)


def test_the_first_visible_sheet_with_a_table_is_read():
    found = read(three_sheets())
    assert found.name == "Messung"
    assert found.notes == (f"{SOURCE} has 3 sheets; 'Messung' was read; sheet= names another.",)
    found = read(three_sheets(Titel="veryHidden", Messung="hidden"))
    assert found.name == "Alt"
    assert found.notes == (
        f"{SOURCE} has 3 sheets ('Titel', 'Messung' are hidden); 'Alt' was read; sheet= names "
        "another.",
    )


def test_a_single_column_is_read_where_there_is_no_table():
    assert read(three_sheets(Messung="hidden", Alt="hidden")).name == "Titel"


@pytest.mark.parametrize("asked", ["Messung", "messung", 2, "2"])
def test_a_sheet_is_named_or_numbered(asked):
    found = read(three_sheets(Messung="hidden"), asked)
    assert (found.name, found.notes) == ("Messung", ())


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("Mesung", "has no sheet 'Mesung'; did you mean 'Messung'? Its sheets are 'Titel',"),
        (4, "has no sheet 4; its sheets are 'Titel', 'Messung', 'Alt', and numbers count from 1."),
        (0, "has no sheet 0;"),
        ("-1", "has no sheet '-1';"),
        ("²", "has no sheet '²';"),
        ("9" * 5000, "has no sheet '999"),
    ],
)
def test_an_unknown_sheet_is_told(asked, hint):
    with pytest.raises(TableError, match=re.escape(hint)):
        read(three_sheets(), asked)


def test_sheets_without_cells_are_told():
    empty = make_workbook({"One": sheet(), "Two": TABLE}, states={"Two": "hidden"})
    with pytest.raises(
        TableError, match=r"no visible sheet with cells \('Two' is hidden\); sheet="
    ):
        read(empty)
    with pytest.raises(TableError, match=r"Sheet 'One' of 'a.xlsx' is empty"):
        read(empty, "One")
    workbook = openpyxl.Workbook()
    workbook.create_chartsheet("Chart")
    with pytest.raises(TableError, match=r"Sheet 'Chart' of 'a.xlsx' is empty"):
        read(saved(workbook), "Chart")


@given(columns=tables().filter(lambda columns: len(next(iter(columns.values())))))
def test_openpyxl_reads_the_same_cells(path, columns):
    assume(not all(name.isspace() for name in columns))  # which may be an empty sheet
    workbook = openpyxl.Workbook()
    for row in ([*columns], *zip(*map(cells_of, columns.values()), strict=True)):
        workbook.active.append([shown(one) if isinstance(one, str) else one for one in row])
    for row in workbook.active.iter_rows():
        for one in row:
            if isinstance(one.value, str):
                one.data_type = "s"
    data = saved(workbook)
    theirs = openpyxl.load_workbook(io.BytesIO(data)).active
    expected = [[_unescaped(one) for one in row] for row in theirs.iter_rows(values_only=True)]
    assert _filled(read(data).rows) == _filled(expected)


def _filled(rows):
    """Return cells by their places; whether spaces alone are kept depends on what wrote them."""
    return {
        (line, place): cell
        for line, row in enumerate(rows)
        for place, cell in enumerate(row)
        if cell is not None and not (isinstance(cell, str) and cell.isspace())
    }


def _unescaped(value):
    """Return what Excel shows of a text with escapes, which openpyxl leaves as they are."""
    if not isinstance(value, str):
        return value
    return re.sub("_x([0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), value) or None


def open_document():
    number = '<table:table-cell office:value-type="float" office:value="1.5"/>'
    text = '<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>'
    day = '<table:table-cell office:value-type="date" office:date-value="2024-12-31"/>'
    return make_open_document(text + text + text, number + text + day)


def test_other_kinds_of_workbooks():
    assert read(open_document()).rows == [["a", "a", "a"], [1.5, "a", "2024-12-31"]]
    statsmodels = pytest.importorskip("statsmodels")
    folder = Path(statsmodels.__file__).parent / "datasets" / "macrodata" / "src"
    files = sorted(path for path in folder.rglob("*.xls") if path.is_file())
    require(files, "statsmodels comes without its xls file")
    found = read(files[0].read_bytes(), "Monthly")
    assert found.rows[:2] == [
        ["DATE", "CPIAUCSL", "M1SL", "POP", "TB3MS"],
        ["1934-01-01", None, None, None, 0.72],
    ]


def test_workbooks_are_told_by_their_bytes():
    assert is_workbook(three_sheets(), None)
    assert is_workbook(open_document(), Path("a.bin"))
    assert is_workbook(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), Path("a.xls"))
    assert is_workbook(three_sheets()[:200], Path("a.XLSX"))
    assert not is_workbook(three_sheets()[:200], Path("a.zip"))
    assert not is_workbook(packed({"a.csv": "a,b"}), Path("a.zip"))
    assert not is_workbook(b"speed;line\n", Path("a.xls"))


def test_without_its_packages_excel_says_how_to_install_them(monkeypatch, tmp_path):
    for module in (excel, workbook):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    for call in (
        lambda: read_sheet(three_sheets(), None, SOURCE),
        lambda: write_excel({}, tmp_path / "t.xlsx"),
    ):
        with pytest.raises(MissingPackageError, match=r"pip install 'thresher\[excel\]'"):
            call()


def test_a_process_of_its_own_reads_the_same(path):
    write_excel({"a": Texts.of(["=1", None, "ü"]), "b": np.array([1.5, np.nan, 3.0])}, path)
    for data in (path.read_bytes(), three_sheets(Titel="hidden"), open_document()):
        assert read_sheet(data, None, SOURCE) == read(data)
    with pytest.raises(TableError, match="has no sheet 'x'; its sheets are"):
        read_sheet(three_sheets(), "x", SOURCE)


@pytest.mark.parametrize("executable", ["", "/nowhere/python"])
def test_a_process_that_cannot_be_started_is_told(monkeypatch, executable):
    monkeypatch.setattr(workbook.sys, "executable", executable)
    with pytest.raises(TableError, match=r"No process could be started to read .* \(\w+"):
        read_sheet(open_document(), None, SOURCE)


def test_a_panic_of_calamine_is_told_and_an_interrupt_is_not(monkeypatch):
    import python_calamine

    class PanicException(BaseException):
        pass

    def failing(error):
        def load(file):
            raise error

        monkeypatch.setattr(python_calamine, "load_workbook", load)
        read(three_sheets())

    with pytest.raises(TableError, match=r"'a.xlsx' is damaged, or no workbook that can be read;"):
        failing(PanicException("index out of bounds"))
    with pytest.raises(TableError, match=r"'a.xlsx' is encrypted; save it without a password"):
        failing(python_calamine.PasswordError())
    with pytest.raises(KeyboardInterrupt):
        failing(KeyboardInterrupt())


ROWS = [[float(place), 2.0 * place, "ok" if place % 3 else "scrap"] for place in range(9)]


@pytest.mark.parametrize(
    ("first", "note"),
    [
        (
            [["speed", "force", "state"], ["m/s", "kN", None]],
            "The line below the header holds units.",
        ),
        (
            [["Line 3", None, None], ["speed", "force", "state"]],
            "The first 1 row is no part of the table; skip_lines= says otherwise.",
        ),
        (
            [],
            "The first line holds data, so the columns are called 'column 1' to 'column 3'; "
            "header=True says otherwise.",
        ),
    ],
)
def test_what_stands_above_the_rows_is_told_as_of_a_csv_file(first, note):
    assert sheet_table(Sheet("Parts", [*first, *ROWS], 1), SOURCE, []).notes == (note,)
