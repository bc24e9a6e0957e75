"""A PostgreSQL server of one's own for the time of some tests."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

USER = "plant"


def binaries():
    """Return the folder of initdb and postgres: the system's, or that of the package pgserver."""
    folders = [Path(name).parent for name in [shutil.which("initdb")] if name]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    package = find_spec("pgserver")
    if package is not None and package.origin is not None:
        folders.append(Path(package.origin).parent / "pginstall" / "bin")
    return next((folder for folder in folders if (folder / "initdb").is_file()), None)


def identity():
    """Return who runs the server: PostgreSQL refuses root, which becomes another user."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    other = names.get("postgres") or names["nobody"]
    return {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def server(folder):
    """Start a server from the binaries in a folder; give its URL, and stop it afterwards."""
    who, port = identity(), free_port()
    home = Path(tempfile.mkdtemp(prefix="thresher-postgres-"))
    try:
        if who:
            os.chown(home, who["user"], who["group"])
        shared = {**who, "cwd": home, "stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
        data = home / "data"
        make = [folder / "initdb", "-D", data, "-U", USER, "-A", "trust", "--no-sync", "-E", "UTF8"]
        subprocess.run([*map(str, make), "--locale=C"], check=True, timeout=120, **shared)
        start = [folder / "postgres", "-D", data, "-h", "127.0.0.1", "-p", port, "-k", home, "-F"]
        with subprocess.Popen([*map(str, start)], **shared) as process:
            try:
                wait_for(port, process)
                yield f"postgresql+psycopg://{USER}:secret@127.0.0.1:{port}/postgres"
            finally:
                process.terminate()
                process.wait(timeout=60)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def wait_for(port, process):
    """Wait until the server lets somebody in."""
    import psycopg

    for _ in range(300):
        assert process.poll() is None, "the PostgreSQL server ended"
        try:
            psycopg.connect(host="127.0.0.1", port=port, user=USER, dbname="postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the PostgreSQL server lets nobody in")
