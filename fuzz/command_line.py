"""Coverage-guided search for model files with which a command ends in anything but a sentence.

    python fuzz/command_line.py -max_total_time=60 CORPUS build/fuzz/models

An input is a model file, sealed anew. One of the commands, which one its bytes decide, is run on
it, with a table of the columns that the model asks for where it can be read.
"""

import csv
import sys
import tempfile
from pathlib import Path
from zlib import crc32

import atheris
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(
    include=["thresher.judging", "thresher.plant", "thresher.cli", "thresher.condition"]
):
    from thresher.cli.main import main
    from thresher.errors import ModelFileError
    from thresher.model_file.file import from_bytes
    from thresher.plant.store import plant_in

from fuzz.harness import start
from fuzz.model_changes import changed
from tests.model_file.damage import resealed

FOLDER = Path(tempfile.mkdtemp(prefix="thresher-fuzz-"))
MODEL, TABLE, OUT, STATE = (FOLDER / name for name in ("m.thresher", "t.csv", "out", "w.json"))
N_ROWS = 12
COMMANDS = [
    ["predict", MODEL, TABLE],
    ["predict", MODEL, TABLE, "--json"],
    ["predict", MODEL, TABLE, "--out", OUT],
    ["conditions", MODEL],
    ["conditions", MODEL, "--format", "csv"],
    ["conditions", MODEL, "--format", "sql"],
    ["conditions", MODEL, "--json", "--cost-fp", 1, "--cost-fn", 9],
    ["conditions", MODEL, TABLE],
    ["threshold", MODEL],
    ["threshold", MODEL, "--json"],
    ["threshold", MODEL, "--set", 0.3, "--out", OUT],
    ["threshold", MODEL, "--rule", "budget", "--per-1000", 100, "--json"],
    ["threshold", MODEL, "--rule", "recall_at_precision", "--floor", 0.5],
    ["threshold", MODEL, "--cost-fp", 1, "--cost-fn", 1e6, "--curve", FOLDER / "curve.csv"],
    ["report", MODEL, TABLE, "--out", OUT],
    ["report", MODEL, TABLE, "--out", OUT, "--json"],
    ["export", MODEL, "--to", "sql", "--table", "parts"],
    ["export", MODEL, "--to", "python"],
    ["export", MODEL, "--to", "onnx", "--out", OUT],
    ["watch", MODEL, TABLE, "--state", STATE],
]
CODES = {0, 2, 3, 4}


def run_any(data):
    """Run one command; whatever is raised from here is a finding."""
    content = resealed(data)
    MODEL.write_bytes(content)
    _write_table(content)
    STATE.unlink(missing_ok=True)
    command = COMMANDS[crc32(data) % len(COMMANDS)]
    done = CliRunner().invoke(main, list(map(str, command)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code not in CODES:
        raise AssertionError(f"exit code {done.exit_code}: {command}: {done.stderr}")
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    # A watch that raises an alarm exits with 4 as well, and its alarm is no error.
    is_alarm = command[0] == "watch" and done.exit_code == 4 and not errors
    if len(errors) != (done.exit_code != 0 and not is_alarm) or "Traceback" in done.stderr:
        raise AssertionError(f"not one sentence: {command}: {done.stderr}")


def _write_table(content):
    """Write rows with the columns of a model, its target among them."""
    head, columns = ["a", "b"], [None, None]
    try:
        stored = from_bytes(content, "it")
        plant = plant_in(stored, "it")
    except ModelFileError:
        plant = None
    if plant is not None:
        known, target = plant.estimator.columns_, plant.facts.target
        head, columns = list(known.names), list(known.levels)
        if target is not None and target not in head:
            head.append(target)
            columns.append(plant.estimator.classes_.tolist())
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows([_cell(levels, row) for levels in columns] for row in range(N_ROWS))


def _cell(levels, row):
    """Return a number, or one of the levels."""
    return row / 4 if not levels else levels[row % len(levels)]


if __name__ == "__main__":
    start(run_any, changed)
