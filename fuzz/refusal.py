"""What a target may do with an input that it cannot use: refuse it in one sentence."""

from contextlib import contextmanager


@contextmanager
def refusals(*kinds):
    """Allow errors of these kinds whose message is one line that ends as a sentence does."""
    try:
        yield
    except kinds as error:
        said = str(error)
        if len(said.splitlines()) != 1 or not said.endswith((".", "?")):
            raise AssertionError(f"not one sentence: {said!r}") from error
