"""Changes to model files, made with a knowledge of the format."""

from tests.model_file.damage import (
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
    """Change an input."""
    return resealed(damaged(draw, resealed(data), WAYS)[1])
