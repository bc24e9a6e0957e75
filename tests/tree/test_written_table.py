"""A table that another thread writes to during a fit: any tree or an error, never a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

SENTENCE = "X was written to while a tree was grown from it"
INFINITE = "infinity"


@pytest.mark.parametrize("seconds", [0.5, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", ["permuted", "spoilt"])
@pytest.mark.parametrize("model", ["tree", "renyi", "bins", "forest"])
def test_writing_into_x_during_a_fit_ends_in_a_tree_or_a_sentence(model, change, seconds):
    program = Path(__file__).with_name("written_table.py")
    command = [sys.executable, str(program), model, change, str(seconds)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, (run.returncode, run.stderr[-2000:])
    fitted, *errors = run.stdout.splitlines()
    assert all(SENTENCE in error or INFINITE in error for error in errors), errors
    assert fitted != "0 fitted" or errors
