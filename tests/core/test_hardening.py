"""What the compiled module says of its own protection, read back with readelf."""

import re
import shutil
import subprocess

import pytest

from thresher import _core

pytestmark = pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf of binutils")


def readelf(*options):
    command = ["readelf", "--wide", *options, _core.__file__]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_tables_of_the_linker_are_read_only():
    assert "GNU_RELRO" in readelf("--program-headers")
    assert "BIND_NOW" in readelf("--dynamic")


def test_stack_is_guarded_and_not_executable():
    stack = re.search(r"GNU_STACK.*", readelf("--program-headers")).group()
    assert re.search(r"\sRW\s", stack), stack
    assert "__stack_chk_fail" in readelf("--dyn-syms")


def test_copies_into_buffers_are_checked():
    assert re.search(r"__(memcpy|memset|snprintf)_chk", readelf("--dyn-syms"))
