"""The estimator of a tree whose rows are elsewhere, whatever engine holds them."""

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.frames import make_frame
from thresher.scale.fitting import DEFAULT_MEMORY
from thresher.tree.classifier import ImbalancedTreeClassifier

Init = TypeVar("Init", bound=Callable[..., None])


def takes_parameters_of(estimator: type) -> Callable[[Init], Init]:
    """Show what an `__init__` hands on as `**parameters` by name: scikit-learn reads it there.

    >>> class Own:
    ...     def __init__(self, size=1, *, color="red"): ...
    >>> class Other(Own):
    ...     @takes_parameters_of(Own)
    ...     def __init__(self, client=None, **parameters): ...
    >>> signature(Other)
    <Signature (client=None, *, size=1, color='red')>
    """

    def show(init: Init) -> Init:
        own = [
            item
            for item in signature(init).parameters.values()
            if item.kind is not Parameter.VAR_KEYWORD
        ]
        names = {item.name for item in own}
        handed_on = [
            item.replace(kind=Parameter.KEYWORD_ONLY)
            for item in signature(estimator.__init__).parameters.values()  # type: ignore[misc]
            if item.name not in names
        ]
        init.__signature__ = Signature([*own, *handed_on])  # type: ignore[attr-defined]
        return init

    return show


def text_names(labels: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the names of columns; None where they are not text."""
    return tuple(labels) if all(isinstance(label, str) for label in labels) else None


class RemoteTreeClassifier(ImbalancedTreeClassifier):
    """What estimators on engines share: the limit of memory, columns by name, a local twin."""

    @takes_parameters_of(ImbalancedTreeClassifier)
    def __init__(
        self, *, memory: int = DEFAULT_MEMORY, max_bins: int = 255, **parameters: Any
    ) -> None:
        super().__init__(max_bins=max_bins, **parameters)
        self.memory = memory

    def to_local(self) -> ImbalancedTreeClassifier:
        """Return the same model as an ordinary estimator."""
        check_is_fitted(self)
        local, own = ImbalancedTreeClassifier(), self.get_params(deep=False)
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
