"""What is written as CSV is read again as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.column import Texts
from thresher.tables import Table, TableError, read_table
from thresher.tables.table import MISSING
from thresher.tables.writing import write_columns

WORDS = st.text(st.sampled_from("ab'=+-@5,;\"\r\n\x85\u2028\ufeff "), min_size=1, max_size=6)
CLEAN = WORDS.filter(lambda word: word == word.strip() and word[0] != "\ufeff")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("written") / "t.csv"


def kept(word):
    return word.lower() not in MISSING


@given(name=CLEAN, words=st.lists(CLEAN.filter(kept), min_size=1, max_size=5))
def test_texts_and_names_come_back(path, name, words):
    columns = {name: Texts.of(words), "other": Texts.of(["x"] * len(words))}
    if name == "other":
        return
    write_columns(columns, path)
    form = {"delimiter": ",", "encoding": "utf-8", "header": True, "skip_lines": 0}
    found = read_table(path, texts=list(columns), **form)
    assert list(found.columns) == list(columns)
    assert found.columns[name].values() == words


def test_a_carriage_return_in_a_cell_is_quoted(path):
    write_columns({"a": Texts.of(["x\ry", "z"])}, path)
    assert path.read_bytes() == b'a\n"x\ry"\nz\n'


def test_every_byte_order_mark_goes(path):
    path.write_bytes("\ufeff\ufeffa,b\n1,2\n".encode("utf-16"))
    assert list(read_table(path).columns) == ["a", "b"]


def test_names_with_ends_of_lines_stay_on_the_line_of_a_message():
    table = Table("'t.csv'", {"a\nb": Texts.of(["x"]), "c\u2028d": Texts.of(["y"])})
    with pytest.raises(TableError, match="its columns are a b, c d") as caught:
        table.need(["z"])
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_name_of_two_lines_is_a_name(path, end):
    path.write_bytes(f'"a{end}b",c\n1,2\n3,4\n'.encode())
    found = read_table(path, header=True, skip_lines=0)
    assert list(found.columns) == [f"a{end}b", "c"]
    assert list(read_table(path).columns) == ["a b", "c"]  # as people can type it
    assert [column.tolist() for column in found.columns.values()] == [[1, 3], [2, 4]]


@pytest.mark.parametrize("word", ["0x10", "-0X1f"])
def test_hexadecimal_is_text(path, word):
    path.write_text(f"a,b\n{word},1\n{word},2\n")
    assert read_table(path).columns["a"].values() == [word, word]


@pytest.mark.parametrize("written", ['"0"x10', '0"x"10', '"0x"10'])
def test_hexadecimal_is_text_whichever_part_is_quoted(path, written):
    """Python keeps a quote inside of a cell, pyarrow does not."""
    path.write_text(f"a,b\n{written},1\n{written},2\n")
    values = read_table(path).columns["a"].values()
    assert values[0] == values[1]
    assert set(values[0]) >= {"0", "x", "1"}


def test_a_header_that_begins_its_last_name_with_a_line_end_is_a_header(path):
    path.write_bytes(b'a|"\nb|c"\n1|x\n2|y\n')
    assert read_table(path).columns["a"].tolist() == [1.0, 2.0]
