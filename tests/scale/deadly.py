"""Functions that take their process with them, once, when they are called on a worker."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Deadly:
    """Calls a function; where a condition on its arguments holds, kills its own process first.

    Attributes
    ----------
    function : what is called.
    marks : files, one a death; each notes the process that died.
    condition : of the arguments, when to die.
    """

    function: Callable[..., Any]
    marks: list[Path]
    condition: Callable[..., bool]

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.condition(*args, **options):
            for mark in self.marks:
                die_once(mark)
        return self.function(*args, **options)


class DeadlyAfter(Deadly):
    """The same, but once the work is done: its result is lost."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        result = self.function(*args, **options)
        super().__call__(*args, **options)
        return result


def die_once(mark: Path) -> None:
    """Die, unless somebody has died for this mark before."""
    try:
        with mark.open("x", encoding="utf-8") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def always(*_args: Any, **_options: Any) -> bool:
    return True


def below_the_root(_block: Any, question: Any) -> bool:
    """Whether a round asks for nodes below the root: rows were binned and counted before."""
    return len(question.feature) > 1


def several_nodes(one: Any, _other: Any) -> bool:
    """Whether counts are of a round below the root."""
    return len(one) > 1


@dataclass(frozen=True)
class of_type:  # noqa: N801
    """Whether the first argument is of a type."""

    wanted: type

    def __call__(self, one: Any, *_others: Any) -> bool:
        return isinstance(one, self.wanted)
