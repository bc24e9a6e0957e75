"""The methods that a study compares: estimators, or functions that make them, by name."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from thresher.benchmark.errors import StudyError
from thresher.benchmark.methods import METHODS
from thresher.benchmark.study.content import Description, describe
from thresher.validation import check_choice


@dataclass(frozen=True)
class Contender:
    """A method by name: a factory that takes `random_state`, or an estimator to be cloned."""

    name: str
    source: Any

    def make(self, seed: int) -> Any:
        """Return a new, unfitted estimator; random states that it leaves open get the seed."""
        if not hasattr(self.source, "fit") or inspect.isclass(self.source):
            return self.source(random_state=seed)
        estimator = clone(self.source)
        names = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
        open_ones = {name for name in names if estimator.get_params()[name] is None}
        return estimator.set_params(**dict.fromkeys(sorted(open_ones), seed))

    def describe(self, seed: int) -> Description:
        """Describe the estimator; one that cannot be made by the error that says so."""
        try:
            return describe(self.make(seed))
        except RecursionError:  # an object that holds itself: told apart by its address
            return {"source": repr(self.source)}
        except Exception as error:  # its runs fail one by one, the study goes on
            return {"error": f"{type(error).__name__}: {error}", "source": describe(self.source)}


def read_methods(methods: Any) -> dict[str, Contender]:
    """Read names of `METHODS`, or a mapping of names to factories and estimators.

    >>> list(read_methods(["ARDT", "LinR"]))
    ['ARDT', 'LinR']
    """
    if isinstance(methods, str):
        methods = [methods]
    given = methods if isinstance(methods, Mapping) else _named(methods)
    if not given:
        raise StudyError("methods is empty; name at least one.")
    for name, source in given.items():
        _check_source(name, source)
    return {str(name): Contender(str(name), source) for name, source in given.items()}


def _named(names: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names:
        check_choice("methods", name, tuple(METHODS))
        if name in found:
            raise StudyError(f"methods names {name!r} twice; name it once.")
        found[name] = METHODS[name]
    return found


def _check_source(name: Any, source: Any) -> None:
    if hasattr(source, "fit") and not inspect.isclass(source):
        return
    if not callable(source):
        raise StudyError(
            f"Method {name!r} is neither an estimator nor a function that makes one: {source!r}."
        )
    try:
        inspect.signature(source).bind(random_state=0)
    except TypeError:
        raise StudyError(
            f"The function behind method {name!r} must take random_state, as in "
            "`def make(*, random_state=None)`."
        ) from None
    except ValueError:  # a built-in callable that does not tell its signature
        return
