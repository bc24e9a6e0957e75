"""The source archive and the wheels: built, repaired, checked, and tried in empty environments.

    python wheels/build.py

One wheel serves Python 3.12 and later; 3.11 gets its own. Each is compiled from the source archive
with the declared build requirements and, where the system can say so, without network. What is to
be published stays in dist, the software bill of materials in build/wheels.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from environment import BUILD, DIST, PROJECT, ROOT, Environment, wheel_for
from pythons import FIRST_ABI3, Python, find_pythons

IS_LINUX = sys.platform == "linux"


def main() -> None:
    """Build for the first Python with a stable ABI, and for each older one."""
    pythons = find_pythons()
    newest = [python for python in pythons if python.version >= FIRST_ABI3][:1]
    builders = [python for python in pythons if python.version < FIRST_ABI3] + newest
    if not newest:
        raise SystemExit("No Python >= 3.12 was found, which the wheel for 3.12 and later needs.")
    shutil.rmtree(DIST, ignore_errors=True)
    tools = Environment("tools", newest[0])
    tools.install(*PROJECT["project"]["optional-dependencies"]["wheel"])
    tools.run("pyproject-build", "--sdist", "--outdir", DIST, ROOT)
    for python in builders:
        repair(build(python), tools)
    check(tools)
    for python in pythons:
        try_out(python, tools)
    print("\nIn dist:", *sorted(path.name for path in DIST.iterdir()), sep="\n  ")


def build(python: Python) -> Path:
    """Compile the source archive, with nothing at hand but its declared requirements."""
    (archive,) = DIST.glob("*.tar.gz")
    builder = Environment(f"build-{python}", python)
    builder.install(*PROJECT["build-system"]["requires"])
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        builder.install("cmake", "ninja")  # the backend asks for them where the system has none
    raw = BUILD / f"raw-{python}"
    shutil.rmtree(raw, ignore_errors=True)
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--no-cache-dir"]
    command = ["python", "-m", "pip", "wheel", *options, "--wheel-dir", raw, archive]
    if has_private_network():
        builder.run("unshare", "--map-root-user", "--net", "--", *command)
    else:
        builder.run(*command)
    (wheel,) = raw.glob("*.whl")
    return wheel


def has_private_network() -> bool:
    """Whether a process can be started that reaches no network."""
    unshare = shutil.which("unshare") if IS_LINUX else None
    if unshare is None:
        return False
    command = [unshare, "--map-root-user", "--net", "--", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def repair(wheel: Path, tools: Environment) -> None:
    """Move the wheel to dist; on Linux with the tag of the oldest systems that can run it."""
    if IS_LINUX:
        tools.run("auditwheel", "repair", "--wheel-dir", DIST, wheel)
    else:
        shutil.copy(wheel, DIST)


def check(tools: Environment) -> None:
    """Read the files as the index, the installer and the interpreter will."""
    wheels = sorted(DIST.glob("*.whl"))
    tools.run("twine", "check", "--strict", *sorted(DIST.iterdir()))
    tools.run("check-wheel-contents", *wheels)
    tools.run("abi3audit", "--strict", "--summary", *(one for one in wheels if "abi3" in one.name))


def try_out(python: Python, tools: Environment) -> None:
    """Install the wheel into an empty environment, and run it with nothing else on the path."""
    empty = Environment(f"empty-{python}", python)
    empty.install(wheel_for(python), options=["--only-binary", ":all:"])
    demo = BUILD / f"demo-{python}"
    shutil.rmtree(demo, ignore_errors=True)
    empty.run("thresher", "--version", alone=True)
    empty.run("thresher", "demo", "--out", demo, alone=True)
    empty.run("python", ROOT / "wheels" / "smoke.py", alone=True)
    bill = ["--output-reproducible", "--of", "JSON", "-o", BUILD / f"thresher-py{python}.cdx.json"]
    tools.run("cyclonedx-py", "environment", *bill, empty.folder)


if __name__ == "__main__":
    main()
