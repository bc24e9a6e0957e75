"""Reading a workbook in a process of its own, which has so much memory and time and no more.

calamine ends the process where a workbook makes it ask for more memory than there is, and reads
some damaged ones for ever.
"""

import marshal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from thresher.errors import TableError

FREE_MEMORY, MEMORY_PER_BYTE = 256 * 2**20, 32
FREE_SECONDS, BYTES_PER_SECOND = 5, 2**20
"""What a workbook may take beside the interpreter, and for each byte of it unpacked."""

PATIENCE = 10
"""How many times the processor time may pass on a busy machine, or one that has no such limit."""

START = (
    "import sys; sys.path[:] = sys.argv[1:]; from thresher.tables.excel import serve_apart; "
    "serve_apart()"
)


def is_possible() -> bool:
    """Whether this interpreter can be started again."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def ask(n_bytes: int, question: tuple[Any, ...], refusal: str) -> Any:
    """Return what a process of its own answers; raise the refusal where it does not live to do so.

    `n_bytes` says what it may take. Question and answer are what `marshal` knows: numbers, texts,
    bytes, None, and tuples and lists of them.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", START, *map(str, sys.path)],
            input=marshal.dumps((n_bytes, question)),
            capture_output=True,
            check=False,
            timeout=PATIENCE * _seconds(n_bytes),
        )
    except subprocess.TimeoutExpired:
        raise TableError(refusal) from None
    except OSError as error:
        raise TableError(
            f"No process could be started to read a workbook ({error.strerror}); save the sheet as "
            "CSV."
        ) from None
    if done.returncode != 0:
        raise TableError(refusal)
    found, wrong = marshal.loads(done.stdout)
    if wrong is not None:
        raise TableError(wrong)
    return found


def answer(reply: Callable[..., Any]) -> None:
    """Answer the question that comes in with what `reply` makes of it."""
    n_bytes, question = marshal.load(sys.stdin.buffer)
    _limit(n_bytes)
    found, wrong = None, None
    try:
        found = reply(*question)
    except TableError as error:
        wrong = str(error)
    marshal.dump((found, wrong), sys.stdout.buffer)


def _seconds(n_bytes: int) -> int:
    return FREE_SECONDS + n_bytes // BYTES_PER_SECOND


def _limit(n_bytes: int) -> None:
    """Limit memory and processor time, as far as the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: _seconds(n_bytes)}
    with suppress(OSError):  # other systems than Linux tell it elsewhere
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + FREE_MEMORY + MEMORY_PER_BYTE * n_bytes
        limits[resource.RLIMIT_AS] = most
    for kind, most in limits.items():
        with suppress(OSError, ValueError):  # it is lower already
            resource.setrlimit(kind, (most, most))
