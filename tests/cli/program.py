"""The program as users run it, and small tables for it."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from thresher.cli.main import main
from thresher.datasets import make_assembly_line
from thresher.datasets.columns import line_columns, line_stations
from thresher.tables.writing import write_columns

IN_PYTHON = "from thresher.cli.main import main; main(prog_name='thresher')"


def command():
    """Return the installed program beside the interpreter, or the same started in Python."""
    installed = shutil.which("thresher", path=Path(sys.executable).parent)
    return [installed] if installed else [sys.executable, "-c", IN_PYTHON]


def run(*arguments, stdin=None, timeout=240):
    """Run the program in a process of its own; text comes out."""
    done = subprocess.run(
        [*command(), *map(str, arguments)], input=stdin, capture_output=True, timeout=timeout
    )
    done.stdout, done.stderr = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    return done


def run_here(*arguments, **options):
    """Run a command in this process, which is faster."""
    return CliRunner().invoke(main, list(map(str, arguments)), **options)


def sentence(done):
    """Return the only line that says what is wrong."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return lines[0]


def code_of(done):
    return done.returncode if hasattr(done, "returncode") else done.exit_code


def write_line(folder, n_parts=1200, seed=0):
    """Write parts.csv and stations.csv of a simulated line; return the line."""
    line = make_assembly_line(n_parts, as_frame=False, random_state=seed)
    folder.mkdir(parents=True, exist_ok=True)
    write_columns(line_columns(line), folder / "parts.csv")
    write_columns(line_stations(line), folder / "stations.csv")
    return line


def read_csv(text):
    return list(csv.DictReader(text.splitlines()))
