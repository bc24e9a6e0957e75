"""Work inside of which warnings for programmers are of no use to anybody."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep warnings for programmers away: fits inside of folds would repeat them many times."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
