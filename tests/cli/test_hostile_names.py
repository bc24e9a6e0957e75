"""Names, levels and labels that aim at a terminal or at a spreadsheet reach neither."""

import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import thresher.cli
from tests.program import read_csv, run
from thresher.cli.output import print_table
from thresher.text_table import TextTable
from thresher.wording import visible, visible_json

NAME = "RED\x1b]0;pwn\x07\x9bK\u202e"
FORMULA = "=cmd|'/c calc'!A0"
STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066\u2067]")


def write_hostile(path, name, label="bad", level="@odd"):
    random = np.random.default_rng(0)
    lines = [f'"{name}",line,target']
    for value in random.normal(size=300).round(3):
        state = label if value > 1 else "ok"
        lines.append(f'{value},"{level}","{state}"')
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile(folder / "t.csv", NAME, label="\x1b[31mbad")
    arguments = ["train", folder / "t.csv", "--target", "target", "--out", folder / "out"]
    done = run(*arguments, "--model", "tree")
    assert done.exit_code == 0, done.output
    return folder, done


def test_nothing_that_is_printed_steers_a_terminal(trained):
    folder, done = trained
    assert r"RED\x1b]0;pwn\x07\x9bK\u202e" in done.stdout
    model, table = folder / "out", folder / "t.csv"
    commands = [
        ["conditions", model],
        ["conditions", model, "--json"],
        ["predict", model, table, "--json"],
        ["predict", model, table, "--out", folder / "p.csv"],
        ["threshold", model, "--rule", "bcr"],
        ["report", model, table, "--out", folder / "r.html"],
        ["predict", model, folder / "no\x1b[31m.csv"],
        ["predict", model, table, "--id", "\x1b[31m"],
        ["\x1b[31m"],
        ["--\x1b[31m"],
    ]
    for given in [done, *(run(*one) for one in commands)]:
        assert not STEERING.search(given.output), given.output


def test_json_says_the_name_itself(trained):
    found = json.loads(run("conditions", trained[0] / "out", "--json").stdout)
    assert any(NAME in one["text"] for one in found["conditions"])


def test_data_are_exact_in_a_pipe_and_visible_on_a_terminal(trained, monkeypatch, capsys):
    folder = trained[0]
    arguments = ["predict", str(folder / "out"), str(folder / "t.csv")]
    assert NAME in run(*arguments).stdout
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    thresher.cli.main.main(arguments, standalone_mode=False)
    printed = capsys.readouterr().out
    assert visible(NAME) in printed
    assert not STEERING.search(printed)


def test_a_drawn_table_is_visible(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_table(TextTable("\x9bK", ("\u202ea", "b"), [["\x07", 1.0]], ["\u2066n"]))
    printed = re.sub("\x1b\\[[0-9]+m", "", capsys.readouterr().out)  # what is bold
    assert not STEERING.search(printed)


def test_one_file_prints():
    files = Path(thresher.cli.__file__).parent.glob("*.py")
    printing = {file.name for file in files if "click.echo(" in file.read_text(encoding="utf-8")}
    assert printing == {"output.py"}


def test_every_control_character_but_tab_and_line_end_shows():
    assert visible("\t\n") == "\t\n"
    for code in {*range(32), *range(0x7F, 0xA0), 0x202E, 0x2067, 0xDC80} - {*b"\t\n"}:
        assert visible(chr(code)).isascii()
        assert visible(chr(code)).isprintable()
        text = json.dumps(chr(code), ensure_ascii=False)
        assert json.loads(visible_json(text)) == chr(code)


def test_no_cell_is_a_formula(tmp_path):
    write_hostile(tmp_path / "t.csv", FORMULA, label="+bad", level="@odd")
    out = tmp_path / "out"
    train = ("train", tmp_path / "t.csv", "--target", "target", "--model", "tree")
    done = run(*train, "--out", out)
    assert done.exit_code == 0, done.output
    predictions = run("predict", out, tmp_path / "t.csv").stdout
    for text in ((out / "conditions.csv").read_text("utf-8"), predictions):
        rows = read_csv(text)
        cells = [cell for row in rows for pair in row.items() for cell in pair]
        wrong = [cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and not is_number(cell)]
        assert wrong == []
    assert any(is_number(row[f"'{FORMULA}"]) and row[f"'{FORMULA}"] < "0" for row in rows)


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_predictions_are_read_again_as_they_were(tmp_path):
    from thresher.column import Texts
    from thresher.tables import Table, read_table
    from thresher.tables.writing import write_csv

    values = [FORMULA, "-5 mm", "+", "-", "@", "'=x", "''=x", "'a'", "-5", "-5,5x", "\uff1dx", "a"]
    columns = {FORMULA: Texts.of(values), "'@": np.arange(-6.0, 6.0)}
    file = io.StringIO()
    write_csv(columns, file)
    path = tmp_path / "t.csv"
    path.write_text(file.getvalue(), encoding="utf-8")
    table = read_table(path, texts=[FORMULA])
    assert isinstance(table, Table)
    assert list(table.columns) == list(columns)
    assert table.columns[FORMULA].values() == values
    assert table.columns["'@"].tolist() == columns["'@"].tolist()
