"""Killed while saving: the old file or the new one, never a torn one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KILLS = 200


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL")
def test_a_file_is_the_old_one_or_the_new_one_whenever_the_process_is_killed(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.model_file.saving_process", str(KILLS), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout)
    assert sum(result["left"]) == KILLS
    # Both models were found, and some kills came in the middle of writing.
    assert min(result["left"]) > 10
    assert result["litter"] > 0
    assert result["hidden"]
    assert result["saved"]
