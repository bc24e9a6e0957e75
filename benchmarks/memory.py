"""Extra resident memory of one fit, measured in a process of its own (Linux).

As a script: `memory.py CONTENDER FOLDER` prints the extra bytes of fitting FOLDER/{X,y}.npy.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from contenders import contenders
from tables import Shape, Table, make_table
from threadpoolctl import threadpool_limits

STATUS = Path("/proc/self/status")


def is_measurable() -> bool:
    """Tell whether the system says how much memory a process holds."""
    return STATUS.exists()


def extra_bytes(names: list[str], table: Table) -> dict[str, int]:
    """Return what the fit of each contender adds to the memory of a process with the table."""
    with TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), table.X)
        np.save(Path(folder, "y.npy"), table.y)
        return {name: _measure_in_child(name, folder) for name in names}


def _measure_in_child(name: str, folder: str) -> int:
    command = [sys.executable, __file__, name, folder]
    child = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    return int(child.stdout.split()[-1])


def main(name: str, folder: str) -> None:
    """Fit a small table first, so that modules are loaded, then the one in the folder."""
    fit = contenders()[name]
    with threadpool_limits(1):
        fit(make_table(Shape(rows=200)))
        table = Table(np.load(Path(folder, "X.npy")), np.load(Path(folder, "y.npy")))
        _forget_peak()
        before = _resident("VmRSS")
        fit(table)
    print(_resident("VmHWM") - before)


def _forget_peak() -> None:
    """Set the peak back to the present; where the system refuses, an earlier peak may remain."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        print("memory: the peak includes what was held before the fit", file=sys.stderr)


def _resident(field: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return 1024 * int(line.split()[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
