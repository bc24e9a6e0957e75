"""A fit that is short of memory raises MemoryError; it does not end the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits address space"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer reserves address space"),
]


@pytest.mark.parametrize("megabytes", [0, 9])
@pytest.mark.parametrize("model", ["tree", "threads", "forest"])
def test_a_limit_ends_in_memory_error_or_a_fit(model, megabytes):
    program = Path(__file__).with_name("memory_limit.py")
    command = [sys.executable, str(program), model, str(megabytes)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stdout in ("fitted\n", "MemoryError\n"), (run.returncode, run.stderr[-2000:])
