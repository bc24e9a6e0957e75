"""The one runner of the program, and small tables for it."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from click.testing import CliRunner

from thresher.cli.main import main
from thresher.datasets import make_assembly_line
from thresher.datasets.assembly_line import line_columns, line_stages
from thresher.tables.writing import write_columns

IN_PYTHON = "from thresher.cli.main import main; main(prog_name='thresher')"


def run(*arguments, **options):
    """Run the program in this process: much faster than in one of its own."""
    return CliRunner().invoke(main, list(map(str, arguments)), **options)


def command():
    """Return the installed program beside the interpreter, or the same started in Python."""
    installed = shutil.which("thresher", path=Path(sys.executable).parent)
    return [installed] if installed else [sys.executable, "-c", IN_PYTHON]


def run_outside(*arguments, program=None, stdin=None, timeout=300):
    """Run the program in a process of its own, for what only a process shows."""
    done = subprocess.run(
        [*(program or command()), *map(str, arguments)],
        stdin=stdin,
        capture_output=True,
        timeout=timeout,
    )
    stdout, stderr = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    return SimpleNamespace(exit_code=done.returncode, stdout=stdout, stderr=stderr)


def refused(done, code, *words):
    """Return the one line that says what is wrong, which has these words."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.exit_code == code, done.stderr
    assert done.stdout == ""
    for text in words:
        assert text in lines[0]
    return lines[0]


def write_line(folder, n_parts=1200, seed=0):
    """Write parts.csv and stages.csv of a simulated line; return the line."""
    line = make_assembly_line(n_parts, as_frame=False, random_state=seed)
    folder.mkdir(parents=True, exist_ok=True)
    write_columns(line_columns(line), folder / "parts.csv")
    write_columns(line_stages(line), folder / "stages.csv")
    return line


def read_csv(text):
    return list(csv.DictReader(text.splitlines()))
