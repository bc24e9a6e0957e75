"""Long runs in processes of their own, which print what they found as JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL")


def outcome(module, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = done.stdout.splitlines()[-1]
    sys.stdout.write(f"{' '.join(map(str, [module, *arguments]))}: {found}\n")  # for pytest -rP
    return json.loads(found)
