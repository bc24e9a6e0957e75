"""The n-th C++ allocation of an estimator's call fails: a MemoryError or the usual result."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMPILER = os.environ.get("CXX") or shutil.which("c++")
CALLS = {
    "tree": 7,
    "bins": 11,
    "leaves": 5,
    "forest": 23,
    "permutation": 31,
    "threads": 23,
    "members": 29,
    "threshold": 17,
    "alpha_trees": 19,
    "rounds": 31,
}
"""Every how many allocations one fails where all of them would take too long."""

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="preloads a library"),
    pytest.mark.skipif(COMPILER is None, reason="compiles a library to preload"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer is preloaded already"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("failing") / "failing_new.so"
    command = [COMPILER, "-O2", "-shared", "-fPIC", str(HERE / "failing_new.cpp"), "-o", str(path)]
    subprocess.run(command, check=True)
    return path


def failures(library, name, step):
    environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONWARNINGS": "ignore"}
    program = [sys.executable, "-m", "tests.core.failing_calls", name, str(step)]
    run = subprocess.run(program, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert run.returncode == 0, (run.returncode, run.stderr[-2000:])
    return [int(number) for number in run.stdout.split()]


@pytest.mark.parametrize("name", CALLS)
def test_a_failed_allocation_is_a_memory_error(library, name):
    tried, raised = failures(library, name, CALLS[name])
    assert tried > 10
    assert raised > tried / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_every_failed_allocation_is_a_memory_error(library, name):
    tried, raised = failures(library, name, 1)
    assert tried > 200
    assert raised > tried / 2
