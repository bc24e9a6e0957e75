"""The container: safetensors reads it, and nothing but what `pack` writes is taken."""

import json

import numpy as np
import pytest
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, load_file

from tests.model_file.damage import header_of, resealed, with_header
from tests.zoo import KINDS, draw
from thresher import save_model
from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.container import MAX_HEADER_BYTES, TYPES, VERSION, pack, unpack, version_of
from thresher.model_file.file import StoredModel, from_bytes, to_bytes

ARRAYS = {name: np.array([[0, 1, 1], [1, 0, 1]], dtype=text) for name, text in TYPES.items()} | {
    "empty": np.zeros((0, 32)),
    "one": np.array([1.5]),
}
CONTENT = pack('{"a":"ü \\ud800 \\""}', ARRAYS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_package_safetensors_reads_model_files(kind, tmp_path):
    model, _ = draw(kind, 1)
    path = tmp_path / "model.thresher"
    save_model(model, path)
    contents, theirs = unpack(path.read_bytes()), load_file(path)
    assert theirs.keys() == contents.arrays.keys()
    for name, values in contents.arrays.items():
        assert theirs[name].dtype == values.dtype
        np.testing.assert_array_equal(theirs[name], values)
    with safe_open(path, "numpy") as file:
        document = json.loads(file.metadata()["document"])
    assert document["model"]["threshold"] == model.threshold_


def test_arrays_and_texts_come_back_aligned():
    contents = unpack(CONTENT)
    assert contents.document == '{"a":"ü \\ud800 \\""}'
    for name, values in ARRAYS.items():
        found = contents.arrays[name]
        assert (found.dtype, found.shape) == (values.dtype, values.shape)
        assert found.flags.aligned
        np.testing.assert_array_equal(found, values)
    assert version_of(CONTENT) == VERSION
    assert load(CONTENT).keys() == ARRAYS.keys()


def changed(**entries):
    data = json.loads(header_of(CONTENT))
    for name, entry in entries.items():
        data[name] = {**data.get(name, {}), **entry}
    text = json.dumps(data, separators=(",", ":"))
    return resealed(with_header(CONTENT, (text + " " * (-len(text) % 8)).encode()))


HEADER = header_of(CONTENT)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CONTENT[:-1] + b"x", "its SHA-256 is not that of its content"),
        (resealed(CONTENT[:-1]), "it is cut off"),
        (resealed(CONTENT + b"\0"), "it has bytes behind its arrays"),
        ((2**40).to_bytes(8, "little") + CONTENT[8:], "its header is too long"),
        (CONTENT[:200], "it is cut off"),
        (changed(one={"dtype": "F16"}), "array 'one' has an unknown type"),
        (changed(one={"shape": [2**47]}), "reaches beyond the end"),
        (changed(one={"shape": [2**64]}), "array 'one' has a wrong shape"),
        (changed(one={"shape": [1.0]}), "array 'one' has a wrong shape"),
        (changed(one={"shape": [1, 1, 1]}), "array 'one' has a wrong shape"),
        (changed(one={"data_offsets": [0, 8]}), "its header is not in canonical form"),
        (changed(one={"more": 1}), "its header is not in canonical form"),
        (changed(__metadata__={"more": "x"}), "its header is not in canonical form"),
        (changed(__metadata__={"document": 1}), "its metadata.document is not a text"),
        (resealed(with_header(CONTENT, HEADER + b" " * 8)), "not in canonical form"),
        (resealed(with_header(CONTENT, HEADER.replace(b'"U16"', b'"U32"'))), "is there twice"),
        (resealed(with_header(CONTENT, HEADER[:150])), "not in canonical form"),
        (resealed(with_header(CONTENT, HEADER.replace(b"[", b"(", 1))), "its JSON is not valid"),
    ],
)  # fmt: skip
def test_anything_else_is_refused(content, expected):
    with pytest.raises(DamagedModelError, match=expected):
        unpack(content)


def test_booleans_are_zero_or_one():
    place = 8 + len(HEADER) + json.loads(HEADER)["BOOL"]["data_offsets"][0]
    content = resealed(CONTENT[:place] + b"\2" + CONTENT[place + 1 :])
    with pytest.raises(DamagedModelError, match="'BOOL' is not made of booleans"):
        unpack(content)


def test_what_safetensors_refuses_is_refused_here():
    """Each byte of the header is changed to others; the digest fits again."""
    refused = 0
    for place in range(8, 8 + len(HEADER)):
        for byte in b'0[{"9 ':
            content = resealed(CONTENT[:place] + bytes([byte]) + CONTENT[place + 1 :])
            try:
                load(content)
            except SafetensorError:
                refused += 1
                with pytest.raises(ModelFileError):
                    from_bytes(content, "it")
    assert refused > 1000


def test_names_that_are_too_long_are_refused_before_a_file_is_written():
    with pytest.raises(ModelFileError, match="use fewer or shorter ones"):
        pack("x" * MAX_HEADER_BYTES, {})


def test_notes_travel_with_a_model():
    model, _ = draw("tree", 0)
    content = to_bytes(StoredModel(model, {"target": "scrap"}))
    assert from_bytes(content, "it").notes == {"target": "scrap"}


@pytest.mark.parametrize(
    ("version", "expected"),
    [(b"99", f"it is a model file of version 99, and this thresher reads version {VERSION}; train"),
     (b"2", "it is a model file of version 2"), (b"x", "it is no model of thresher")],
)  # fmt: skip
def test_other_versions_are_told(version, expected):
    content = CONTENT.replace(b'"thresher":"%d"' % VERSION, b'"thresher":"' + version + b'"')
    with pytest.raises(ModelFileError, match=expected):
        from_bytes(content, "it")
