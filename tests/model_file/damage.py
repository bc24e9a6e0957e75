"""Model files with damage: what an accident or a hostile hand may do to one."""

import json
import warnings
from hashlib import sha256

import numpy as np

from tests.tree.chains import chain
from thresher.model_file.container import _START, TYPES, pack, unpack

WRONG = [None, -1, 10**9, 10**400, "x", "", [], {}, 0.5, True, 1e308, [[]], {"a": 1}, -0.0]
TEXTS = [
    "\ud800",
    "\0",
    "\x1b]0;x\a",
    "\u202e",
    "=1+1",
    "a\nb",
    "x" * 5000,
    "</script>",
    "nan",
    "1",
]
BOMBS = [
    {"array": [""] * 500, "dtype": "<U65536"},
    {"array": ["x" * 3000] + [""] * 500, "dtype": "<U3000"},
    [{"array": [""], "dtype": "<U65536"}] * 200,
    {"array": [0] * 500, "dtype": "<f8"},
    {"array": [], "dtype": "|b1"},
    {"dict": [[number, 1] for number in range(1000)]},
    {"tuple": [[]] * 300},
    {"dtype": "<U65536", "values": [""] * 500},
    {"float": "nan"},
    {"float": "inf"},
    [[]] * 1000,
    list(range(1000)),
    2**63,
    2**1000,
    1e-320,
]
"""Values that are small in a file, and large or of a special meaning to a careless reader."""
EXTREME = [0, 1, -1, 2, 3, 127, 255, 2**15, 2**31 - 1, 2**32, 2**63 - 1, -(2**63)]
EXTREME_FLOATS = [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, 2.0**53, 0.5]


def ways_through(content, path=()):
    """Return the ways to all values in nested lists and dicts, long lists thinned."""
    if isinstance(content, dict):
        items = list(content.items())
    elif isinstance(content, list):
        items = list(enumerate(content))[:: max(1, len(content) // 6)]
    else:
        return [path]
    return [path, *(way for key, value in items for way in ways_through(value, (*path, key)))]


def with_value(content, way, value):
    """Return nested data in which the value at the end of the way is another one."""
    changed = json.loads(json.dumps(content))
    place = changed
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    return changed


def harm(model, table):
    """Return what goes wrong when a model is used, None if nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            probabilities = model.predict_proba(table)
            model.predict(table)
        except ValueError as error:
            # Names, levels or the number of columns may be others, which is told.
            told = ("feature", "during fit", "Column", "column", "columns")
            return None if any(word in str(error) for word in told) else repr(error)
    if not ((probabilities >= 0.0) & (probabilities <= 1.0)).all():
        return "probabilities outside of [0, 1]"
    return None


# ----------------------------------------------------------------------------------- digest, parts


def digest_place(content):
    start = _START.match(content).end()
    return start, start + 64


def resealed(content):
    """Return a container with the digest that its content has now."""
    if _START.match(content) is None:
        return content
    start, end = digest_place(content)
    digest = sha256(content[:start] + b"0" * 64 + content[end:]).hexdigest()
    return content[:start] + digest.encode() + content[end:]


def with_data(content, data):
    """Return a container with another document, as plain data."""
    text = json.dumps(data, separators=(",", ":"))
    return pack(text, unpack(content).arrays)


def with_digest_of(content, other):
    """Return a container with the digest of another one, as an accident leaves it."""
    start, end = digest_place(other)
    return content[:start] + other[start:end] + content[end:]


def with_header(content, header):
    """Return a container with another header, as it is."""
    length = int.from_bytes(content[:8], "little")
    return len(header).to_bytes(8, "little") + header + content[8 + length :]


def header_of(content):
    return content[8 : 8 + int.from_bytes(content[:8], "little")]


# ------------------------------------------------------------------------------------- the damages


def flipped(draw, content):
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 8])):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def overwritten(draw, content):
    changed, start = bytearray(content), draw.randrange(len(content))
    size = draw.choice([1, 4, 8, 64])
    changed[start : start + size] = draw.choice([b"\0", b"\xff", draw.randbytes(1)]) * size
    return bytes(changed[: len(content)])


def moved(draw, content):
    size = draw.choice([1, 8, 100])
    first, second = (draw.randrange(max(1, len(content) - size)) for _ in range(2))
    changed = bytearray(content)
    changed[first : first + size], changed[second : second + size] = (
        content[second : second + size],
        content[first : first + size],
    )
    return bytes(changed)


def cut_off(draw, content):
    return content[: draw.choice([draw.randrange(len(content)), len(content) - 1, 8, 7, 0])]


def longer(draw, content):
    return content + draw.randbytes(draw.choice([1, 8, 1000]))


def length_changed(draw, content):
    length = int.from_bytes(content[:8], "little")
    wrong = draw.choice([0, 1, length - 1, length + 1, length + 8, 2**24, 2**40, 2**63, 2**64 - 1])
    return wrong.to_bytes(8, "little") + content[8:]


def field_changed(draw, content):
    return _with_field(draw, content, draw.choice(WRONG))


def notes_changed(draw, content):
    """Change a value of the notes, mostly to one of its own type."""
    data = json.loads(unpack(content).document)
    way = draw.choice([way for way in ways_through(data["notes"], ("notes",)) if len(way) > 1])
    return with_data(content, with_value(data, way, draw.choice([*WRONG, *EXTREME, *TEXTS])))


def parameter_changed(draw, content):
    """Give a parameter of the model, or of one inside it, another value, or a bomb."""
    data = json.loads(unpack(content).document)
    ways = [way for way in ways_through(data["model"], ("model",)) if way[-2:-1] == ("parameters",)]
    value = draw.choice([*WRONG, *BOMBS, *EXTREME, *TEXTS])
    return with_data(content, with_value(data, draw.choice(ways), value))


def bomb_put(draw, content):
    return _with_field(draw, content, draw.choice(BOMBS))


def text_changed(draw, content):
    """Replace a text: a name, a level, a class, a choice."""
    data = json.loads(unpack(content).document)
    ways = [way for way in ways_through(data) if way and type(value_at(data, way)) is str]
    return with_data(content, with_value(data, draw.choice(ways), draw.choice(TEXTS)))


def _with_field(draw, content, value):
    data = json.loads(unpack(content).document)
    way = draw.choice([way for way in ways_through(data) if way])
    return with_data(content, with_value(data, way, value))


def value_at(data, way):
    for key in way:
        data = data[key]
    return data


def chained(draw, content):
    """Put a chain of splits, one below the other, into the place of a tree."""
    contents = unpack(content)
    places = [name.removesuffix("cut") for name in contents.arrays if name.endswith("tree/cut")]
    place, depth = draw.choice(places), draw.choice([1, 2, 60, 300])
    arrays = chain(depth, draw.choice([1, 2, 3])).arrays()
    named = {f"{place}{name}": values for name, values in arrays.items()}
    return pack(contents.document, {**contents.arrays, **named})


def nested(draw, content):
    contents, depth = unpack(content), draw.choice([200, 950, 5000, 200_000])
    hole = draw.choice(["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth])
    data = json.loads(contents.document)
    way = draw.choice([way for way in ways_through(data) if way])
    text = json.dumps(with_value(data, way, "HOLE"), separators=(",", ":")).replace('"HOLE"', hole)
    return pack(text, contents.arrays)


def key_twice(draw, content):
    contents = unpack(content)
    name = draw.choice(list(json.loads(contents.document)["model"]))
    text = contents.document.replace(f'"{name}":', f'"{name}":1,"{name}":', 1)
    return pack(text, contents.arrays)


def value_changed(draw, content):
    """Change some values of one array: children, features, counts, cuts."""
    contents = unpack(content)
    name = draw.choice([name for name, values in contents.arrays.items() if values.size])
    values = contents.arrays[name].copy()
    flat = values.reshape(-1)
    for _ in range(draw.choice([1, 1, 2, 5])):
        place = draw.randrange(flat.size)
        if values.dtype.kind == "f":
            flat[place] = draw.choice(EXTREME_FLOATS)
        elif draw.random() < 0.5:
            flat[place] = flat[draw.randrange(flat.size)]
        else:
            extreme = np.array(draw.choice(EXTREME) % 2**64, dtype=np.uint64)
            flat[place] = extreme.astype(values.dtype)
    return pack(contents.document, {**contents.arrays, name: values})


def array_changed(draw, content):
    """Give an array another type or shape, the values of another one, or take it away."""
    contents = unpack(content)
    arrays = dict(contents.arrays)
    name, other = draw.choice(list(arrays)), draw.choice(list(arrays))
    way = draw.choice(["type", "shape", "shorter", "exchange", "remove", "rename"])
    if way == "type":
        with np.errstate(all="ignore"):
            arrays[name] = arrays[name].astype(draw.choice(list(TYPES.values())))
    elif way == "shape":
        arrays[name] = arrays[name].reshape(draw.choice([(-1,), (1, -1)]))
    elif way == "shorter":
        arrays[name] = arrays[name][: draw.choice([0, 1, -1])]
    elif way == "exchange":
        arrays[name], arrays[other] = arrays[other], arrays[name]
    else:
        values = arrays.pop(name)
        if way == "rename":
            arrays[draw.choice(["", "/", "a/b", name + "/0", "0", name[:-1]])] = values
    return pack(contents.document, arrays)


def entry_changed(draw, content):
    """Change the header's entry of an array, huge sizes and overlaps included."""
    data = json.loads(header_of(content))
    names = [name for name in data if name != "__metadata__"]
    entry = data[draw.choice(names)]
    field = draw.choice(["dtype", "shape", "data_offsets"])
    huge = draw.choice([2**31, 2**47, 2**62, 2**64, 10**30, -1])
    entry[field] = draw.choice(
        [*WRONG, [huge], [huge, huge], [0, huge], [8, 0], [0, 8], [[8]], "F16", "C64", [True]]
    )
    return with_header(content, json.dumps(data, separators=(",", ":")).encode())


def header_changed(draw, content):
    """Write the header in another way, or something else in its place."""
    header = header_of(content)
    other = draw.choice(
        [
            header + b" " * 8,
            header.rstrip()[:-1] + b"," + header[1:],
            header[:40] + b"[" * 100_000,
            b"{}",
            header.replace(b",", b", ", 5),
            json.dumps(dict(reversed(json.loads(header).items()))).encode(),
        ]
    )
    return with_header(content, other)


def header_inflated(draw, content):
    """Fill the header with as much as it may hold: numbers, or lists, or keys."""
    filling = draw.choice([b'"a":[' + b"[]," * 1_300_000, b'"a":[' + b"1e5," * 1_000_000])
    return with_header(content, header_of(content).rstrip()[:-1] + b"," + filling + b"0]}")


DAMAGES = {
    flipped: 6,
    overwritten: 3,
    moved: 2,
    cut_off: 2,
    longer: 1,
    length_changed: 1,
    field_changed: 8,
    parameter_changed: 3,
    bomb_put: 1,
    text_changed: 1,
    nested: 0.5,
    key_twice: 0.5,
    value_changed: 8,
    array_changed: 4,
    entry_changed: 3,
    header_changed: 1,
    header_inflated: 0.2,
}
"""Each way of damage, and how often it is drawn."""


def damaged(draw, content, ways=DAMAGES):
    """Return a way of damage, and a container that it befell, with the digest of the sound one."""
    (way,) = draw.choices(list(ways), list(ways.values()))
    for _ in range(100):
        changed = way(draw, content)
        if _START.match(changed) and way not in (flipped, overwritten, moved):
            changed = with_digest_of(changed, content)
        if changed != content:
            return way.__name__, changed
    raise ValueError(f"{way.__name__} leaves {len(content)} bytes as they are")
