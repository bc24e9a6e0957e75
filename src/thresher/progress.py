"""A progress bar for long work, on standard error and on a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


def _ignore(done: int) -> None:
    pass


@contextmanager
def progress_bar(text: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Give a function that takes how many of `total` are done.

    >>> with progress_bar("growing", total=2, shown=False) as done:
    ...     done(1)
    """
    if not shown:
        yield _ignore
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _ignore
        return
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(text, total=total)
        yield lambda done: bar.update(task, completed=done)
        bar.update(task, completed=total)
