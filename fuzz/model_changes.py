"""Changes to model files and to JSON models, made with a knowledge of both formats."""

import json

from tests.model_file.damage import (
    BOMBS,
    EXTREME,
    TEXTS,
    WRONG,
    array_changed,
    bomb_put,
    chained,
    damaged,
    entry_changed,
    field_changed,
    notes_changed,
    parameter_changed,
    resealed,
    text_changed,
    value_changed,
    ways_through,
    with_value,
)

WAYS = {
    field_changed: 3,
    value_changed: 3,
    array_changed: 1,
    entry_changed: 1,
    notes_changed: 3,
    parameter_changed: 2,
    bomb_put: 1,
    text_changed: 1,
    chained: 0.5,
}


def changed(draw, data):
    """Change an input; what starts with "{" is JSON."""
    return _changed_json(draw, data) if is_json(data) else _changed_file(draw, data)


def models_in(found):
    """Return the models of a file: one, or several of reason codes."""
    return found.models if isinstance(found, tuple) else (found,)


def is_json(data):
    return data[:1] == b"{"


def _changed_json(draw, data):
    content = json.loads(data)
    way = draw.choice([way for way in ways_through(content) if way])
    value = draw.choice([*WRONG, *BOMBS, *EXTREME, *TEXTS])
    return json.dumps(with_value(content, way, value)).encode()


def _changed_file(draw, data):
    return resealed(damaged(draw, resealed(data), WAYS)[1])
