"""Tables as plants export them, from the file to the predictions, at the command line."""

import json
import sys

import numpy as np
import pytest

from tests.program import refused, run, run_outside
from thresher.tables import read_table

N = 600
QUICK = ("--model", "tree", "--no-report", "--folds", 3)


def german(number, decimals):
    text = f"{number:,.{decimals}f}"
    return text.translate(str.maketrans({",": ".", ".": ","}))


def export(path, *, unit="Nm", factor=1.0, seed=0, reasons=("i.O.", "n.i.O.")):
    """Write what an MES writes: a preamble, units, thousands, a date, sentinels, a total."""
    random = np.random.default_rng(seed)
    speed, torque = random.normal(1500, 150, N), random.normal(40, 9, N)
    state = (torque > 53) ^ (random.random(N) < 0.01)
    lines = ["MES export;;;;;", "Linie: 3", "", "Nr;Datum;Drehzahl;Drehmoment;Temperatur;Ergebnis"]
    lines.append(";;1/min;;°C;")
    for row in range(N):
        at = f"{1 + row % 28:02}.{1 + row // 28 % 12:02}.2024 06:00"
        heat = "-9999" if row % 25 == 0 else german(80 + random.normal(), 1)
        label = "" if row % 60 == 7 else reasons[int(state[row]) * (1 + row % (len(reasons) - 1))]
        cells = [
            f"T{row:05}",
            at,
            german(speed[row], 0),
            f"{german(factor * torque[row], 1)} {unit}",
        ]
        lines.append(";".join([*cells, "2x8" if row == 9 else heat, label]))
    path.write_text("\r\n".join([*lines, "Summe;;;;;"]), encoding="cp1252", newline="")
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("german")
    done = run("train", export(folder / "mes.csv"), "--target", "Ergebnis", *QUICK, "--out", folder)
    assert done.exit_code == 0, done.stderr
    return folder, done


def test_all_that_was_made_of_the_table_is_told(model):
    _, done = model
    said = " ".join(done.stderr.split())
    for words in (
        "Datum date day first",
        "Drehzahl number written as 1.234,5; in 1/min",
        "Drehmoment number written as 1234,5; in Nm",
        "Ergebnis label",
        "The first 3 lines are no part of the table; --skip-lines says otherwise.",
        "The line below the header holds units.",
        "The last line, 'Summe;;;;;', is no row.",
        "10 rows without a label in 'Ergebnis' are left out.",
        "Column 'Temperatur' is numbers but for 25 cells ('2x8', line 15, '-9999', line 6), read",
        "Column 'Datum' is a date and is left out; --time 'Datum' judges",
        "'Nr' looks like an ID (",
        "To use it: --column Nr=category.",
    ):
        assert words in said, words
    assert "Drehmoment > 5" in done.stdout


def test_new_tables_are_read_the_same_way_and_written_in_their_form(model, tmp_path):
    folder, _ = model
    out = tmp_path / "out.csv"
    done = run("predict", folder, export(tmp_path / "new.csv", seed=1), "--out", out)
    assert done.exit_code == 0, done.stderr
    text = out.read_bytes().decode("cp1252")
    header, first, *_ = text.splitlines()
    assert header.startswith(
        "Nr;Datum;Drehzahl;Drehmoment;Temperatur;Ergebnis;probability;decision;"
    )
    assert first.split(";")[6].replace(",", "").isdigit()
    sheet = tmp_path / "out.xlsx"
    done = run("predict", folder, tmp_path / "new.csv", "--out", sheet)
    assert done.exit_code == 0, done.stderr
    again = read_table(sheet)
    assert len(again) == N
    expected = [float(line.split(";")[6].replace(",", ".")) for line in text.splitlines()[1:]]
    assert again.columns["probability"].tolist() == expected


def test_another_unit_is_told_or_refused(model, tmp_path):
    folder, _ = model
    done = run("predict", folder, export(tmp_path / "ncm.csv", unit="Ncm", factor=100.0))
    refused(done, 3, "is in Ncm, and was in Nm when the model was trained; convert it.")
    silent = export(tmp_path / "silent.csv", unit="", factor=100.0, seed=2)
    done = run("predict", folder, silent, "--json", "--strict", "--allow-drift")
    assert done.exit_code == 4
    found = json.loads(done.stdout)["drift"]
    assert ("Drehmoment", "range") in {(one["column"], one["kind"]) for one in found}


def test_reason_codes_are_asked_for_and_one_of_them_is_found(tmp_path):
    path = export(tmp_path / "codes.csv", reasons=("ok", "leak", "noise"))
    done = run("train", path, "--target", "Ergebnis", *QUICK, "--out", tmp_path / "out")
    refused(done, 3, "has 3 different values: 'ok' (5", "say which one to find with --positive")
    assert not (tmp_path / "out").exists()
    options = ("--positive", "leak", "--json")
    done = run("train", path, "--target", "Ergebnis", *QUICK, *options, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["positive"] == "leak"
    later = export(tmp_path / "later.csv", reasons=("ok", "leak", "noise"), seed=3)
    done = run("predict", tmp_path / "out", later, "--id", "Nr")
    assert done.exit_code == 0, done.stderr


def test_a_rare_class_in_one_stretch_of_time_is_told(tmp_path):
    lines = [
        f"{row % 28 + 1:02}.{row // 28 % 12 + 1:02}.2024;{row % 17};{int(row < 40)}"
        for row in range(330)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["at;x;late", *lines]), encoding="utf-8")
    options = ("--target", "late", "--time", "at", *QUICK, "--out", tmp_path / "out")
    done = run("train", path, *options)
    refused(done, 3, "lies in one stretch of the table; leave out --time and --group")


def test_wishes_that_do_not_fit_are_told(model, tmp_path):
    folder, _ = model
    path = export(tmp_path / "new.csv", seed=4)
    for options, code, words in (
        (("--column", "Drehzal=number"), 3, "has no column 'Drehzal'; did you mean 'Drehzahl'?"),
        (("--column", "Drehzahl=category"), 2, "does not fit the model, for which it is a number"),
    ):
        done = run("predict", folder, path, *options)
        assert done.exit_code == code, done.stderr
        assert words in " ".join(done.stderr.split())
    train = ("train", path, "--target", "Ergebnis", *QUICK, "--out", tmp_path / "out")
    done = run(*train, "--decimal", ".")
    refused(done, 3, "with --decimal '.' holds hardly any number")
    done = run(*train, "--positive", "n.i.O")
    assert done.exit_code == 3
    done = run(*train, "--missing", "T00003")
    assert done.exit_code == 0, done.stderr
    assert "'-9999' (line 6)" in done.stderr


LOADED = """
import sys
from click.testing import CliRunner
from thresher.cli.main import main
done = CliRunner().invoke(main, sys.argv[1:])
heavy = {"numpy", "scipy", "sklearn", "pyarrow", "pandas"} & set(sys.modules)
print(done.exit_code, sorted(heavy), done.stderr.strip())
"""


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("a,b\n1,2\n", 3, "has no column 'y'; its columns are a, b."),
        ("", 3, "is empty; its first line must name the columns."),
        (None, 2, "does not exist."),
    ],
)
def test_what_the_header_tells_is_told_before_anything_is_loaded(tmp_path, content, code, words):
    path = tmp_path / "t.csv"
    if content is not None:
        path.write_text(content)
    arguments = ["train", path, "--target", "y", "--out", tmp_path / "out"]
    done = run_outside(*arguments, program=[sys.executable, "-c", LOADED])
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"{code} [] ")
    assert words in " ".join(done.stdout.split())
