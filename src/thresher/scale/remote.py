"""Estimators of trees and forests whose rows are elsewhere, whatever engine holds them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.frames import make_frame
from thresher.matrix import Columns
from thresher.scale.fitting import DEFAULT_MEMORY, Fit, TableBlocks
from thresher.tree.classifier import ImbalancedTreeClassifier

Init = TypeVar("Init", bound=Callable[..., None])
Local = TypeVar("Local", bound=BaseEstimator)


def takes_parameters_of(*estimators: type) -> Callable[[Init], Init]:
    """Show what an `__init__` hands on as `**parameters` by name: scikit-learn reads it there.

    The first that names a parameter tells its default.

    >>> class Own:
    ...     def __init__(self, size=1, *, color="red"): ...
    >>> class Other(Own):
    ...     @takes_parameters_of(Own)
    ...     def __init__(self, client=None, **parameters): ...
    >>> signature(Other)
    <Signature (client=None, *, size=1, color='red')>
    """

    def show(init: Init) -> Init:
        shown = dict(signature(init).parameters)
        for estimator in estimators:
            handed_on = signature(estimator.__init__).parameters  # type: ignore[misc]
            for name, item in handed_on.items():
                shown.setdefault(name, item.replace(kind=_by_name(item)))
        named = [item for item in shown.values() if item.kind is not Parameter.VAR_KEYWORD]
        init.__signature__ = Signature(named)  # type: ignore[attr-defined]
        return init

    return show


def _by_name(item: Parameter) -> Any:
    return item.kind if item.kind is Parameter.VAR_KEYWORD else Parameter.KEYWORD_ONLY


def text_names(labels: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the names of columns; None where they are not text."""
    return tuple(labels) if all(isinstance(label, str) for label in labels) else None


class RemoteClassifier(BaseEstimator, ABC, Generic[Local]):
    """What estimators on engines share: a limit of memory, columns by name, a local twin."""

    _local: ClassVar[type[Any]]
    memory: int
    columns_: Columns

    def __init__(
        self, *, memory: int = DEFAULT_MEMORY, max_bins: int = 255, **parameters: Any
    ) -> None:
        super().__init__(max_bins=max_bins, **parameters)
        self.memory = memory

    @abstractmethod
    def _fit_blocks(self, fit: Fit, table: TableBlocks) -> None:
        """Fit the model to a table in blocks."""

    def to_local(self) -> Local:
        """Return the same model as an ordinary estimator."""
        check_is_fitted(self)
        local: Local
        local, own = self._local(), self.get_params(deep=False)
        local.set_params(**{name: own[name] for name in local.get_params(deep=False)})
        for name, value in vars(self).items():
            if name not in own:
                setattr(local, name, value)
        return local

    def _known(self, X: Any) -> Any:
        """Return the columns of the model; what is wrong with X is said before any row is read."""
        check_is_fitted(self)
        names, own = text_names(getattr(X, "columns", [None])), self.columns_.names
        if (names is None) != (own is None):
            raise TypeError(
                "X must have names of columns if, and only if, the table given to fit had them."
            )
        row = np.full((1, X.shape[1]), np.nan)
        table = make_frame(dict(zip(names, row.T, strict=True)), "pandas") if names else row
        self.columns_.matrix(table, type(self).__name__)
        return X if own is None else X[list(own)]


class RemoteTreeClassifier(RemoteClassifier[ImbalancedTreeClassifier], ImbalancedTreeClassifier):
    """A tree whose rows are elsewhere."""

    _local = ImbalancedTreeClassifier

    def _fit_blocks(self, fit: Fit, table: TableBlocks) -> None:
        fit.tree(self, table)


class RemoteForestClassifier(
    RemoteClassifier[ImbalancedForestClassifier], ImbalancedForestClassifier
):
    """A forest whose rows are elsewhere."""

    _local = ImbalancedForestClassifier

    def _fit_blocks(self, fit: Fit, table: TableBlocks) -> None:
        fit.forest(self, table)
