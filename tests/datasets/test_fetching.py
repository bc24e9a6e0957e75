"""The whole way of a download, from a server on this machine; the real hosts are never asked."""

import dataclasses
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from tests.datasets import raw_files
from thresher.datasets import catalog as catalogue
from thresher.datasets import load as fetching
from thresher.datasets import load_dataset
from thresher.datasets.catalog import Table, write_table
from thresher.datasets.load import cache_folder, fetched_table, find_file

STAINS, PASTRY = "steel_plates-stains", "steel_plates-pastry"
X = np.array([[0.1, 7.0], [0.25, 8.0], [0.5, 9.0]])
TABLES = {
    STAINS: Table(("Width", "Height"), X, np.array([0, 1, 0])),
    PASTRY: Table(("Width", "Height"), X, np.array([1, 0, 0])),
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder and an empty cache."""
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path


@pytest.fixture
def server(folder):
    """A server of the folder `www`, with the raw file of the steel plates."""
    www = folder / "www"
    www.mkdir()
    (www / "steel.csv").write_bytes(raw_files.steel_plates(TABLES)[0])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(www)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def infos(server, monkeypatch):
    """Two small sets whose origin is the server."""
    known = catalogue.catalog()
    origin = dataclasses.replace(
        known[STAINS].origin, urls=(f"http://127.0.0.1:{server.server_port}/steel.csv",)
    )
    small = {
        name: dataclasses.replace(known[name], origin=origin, sha256=table.sha256)
        for name, table in TABLES.items()
    }
    monkeypatch.setattr(fetching, "catalog", lambda: small)
    return small


def sentence_of(error):
    """Return the message; it must be one sentence, and no chain of tracebacks come with it."""
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    message = str(error.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def test_download_builds_all_tables_of_the_origin_and_keeps_them(folder, infos, server):
    assert fetched_table(infos[STAINS]).sha256 == TABLES[STAINS].sha256
    (folder / "www" / "steel.csv").unlink()
    for name, table in TABLES.items():
        again = fetched_table(infos[name])
        assert again.columns == table.columns
        np.testing.assert_array_equal(again.X, table.X)
        np.testing.assert_array_equal(again.y, table.y)
    kept = sorted(path.name for path in (folder / "cache").iterdir())
    assert kept == sorted(f"{name}.csv.gz" for name in TABLES)


def test_a_file_below_the_data_folder_comes_first(folder, infos):
    file = folder / "data" / "deep" / "deeper" / f"{STAINS}.csv.gz"
    file.parent.mkdir(parents=True)
    file.write_bytes(write_table(TABLES[STAINS]))
    assert find_file(STAINS) == file
    assert fetched_table(infos[STAINS]).sha256 == TABLES[STAINS].sha256
    assert not (folder / "cache").exists()


def test_file_that_the_server_does_not_have(folder, infos):
    (folder / "www" / "steel.csv").unlink()
    with pytest.raises(FileNotFoundError) as error:
        fetched_table(infos[STAINS])
    message = sentence_of(error)
    assert f"{STAINS}.csv.gz is neither below the folder THRESHER_DATA" in message
    assert str(folder / "data") in message
    assert str(folder / "cache") in message
    assert "from 127.0.0.1" in message
    assert "failed (HTTPError)" in message


def test_no_connection(infos, server):
    server.socket.close()
    with pytest.raises(FileNotFoundError, match=r"failed \(ConnectionError\)") as error:
        fetched_table(infos[STAINS])
    assert "try again with a connection to that host" in sentence_of(error)


def test_without_pooch_the_extra_is_named(infos, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("THRESHER_DATA")
    with pytest.raises(FileNotFoundError, match=r"install thresher\[datasets\]") as error:
        fetched_table(infos[STAINS])
    assert "THRESHER_DATA (not set)" in sentence_of(error)


@pytest.mark.parametrize("change", [lambda raw: raw.replace(b"0.25", b"0.26"), lambda raw: b"oops"])
def test_files_that_have_changed_are_refused_and_not_kept(folder, infos, change):
    file = folder / "www" / "steel.csv"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(ValueError, match="are no longer those that") as error:
        fetched_table(infos[PASTRY])
    assert f"put {PASTRY}.csv.gz below the folder THRESHER_DATA" in str(error.value)
    assert not (folder / "cache").exists()


def test_a_sibling_that_has_changed_does_no_harm(folder, infos):
    file = folder / "www" / "steel.csv"
    file.write_bytes(file.read_bytes().replace(b"1,0,0,0,0,0,0", b"0,0,0,0,0,0,0"))
    assert fetched_table(infos[STAINS]).sha256 == TABLES[STAINS].sha256
    assert [path.name for path in (folder / "cache").iterdir()] == [f"{STAINS}.csv.gz"]


def test_cache_that_cannot_be_written_costs_a_warning(folder, infos):
    (folder / "cache").write_text("a file, not a folder")
    with pytest.warns(UserWarning, match="could not be kept: .* cannot be written"):
        assert fetched_table(infos[STAINS]).sha256 == TABLES[STAINS].sha256


@pytest.mark.parametrize("place", ["data", "cache"])
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"not gzipped", "cannot be read: it is not gzipped text; remove or replace it"),
        (write_table(TABLES[PASTRY]), "holds another table than the catalogue's"),
    ],
)
def test_file_with_something_else_is_refused(folder, infos, place, content, sentence):
    (folder / place).mkdir()
    file = folder / place / f"{STAINS}.csv.gz"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=sentence) as error:
        fetched_table(infos[STAINS])
    assert str(error.value).startswith(str(file))


def test_cache_is_in_the_user_s_cache_unless_a_folder_is_named(folder, monkeypatch):
    assert cache_folder() == folder / "cache"
    monkeypatch.delenv("THRESHER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "xdg"))
    assert cache_folder() == folder / "xdg" / "thresher"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(folder))
    assert cache_folder() == folder / ".cache" / "thresher"


def test_birds_are_not_downloaded(tmp_path, monkeypatch):
    for name in ("THRESHER_DATA", "THRESHER_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"make it with studies/paper/birds\.py\.$"):
        load_dataset("Birds-kinglet")
