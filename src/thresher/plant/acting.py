"""What a trained model says may be done: limits for settings, and the smallest change of a part."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from thresher.action.finding import act_on
from thresher.action.smallest_change import KINDS, WhatIf, what_if
from thresher.action.table import ActionTable
from thresher.condition.counterparts import Counterparts
from thresher.condition.finding import Findings
from thresher.errors import ParameterError
from thresher.judging.column_summary import NumbersSummary
from thresher.plant.quiet import without_warnings
from thresher.plant.rows import UnseenRows
from thresher.tables.features import match_features

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel

Names = str | Collection[str] | None


class ActingMixin:
    """A plant's model that tells what may be done."""

    def actions(
        self: Any,
        table: Any = None,
        *,
        settings: Names = None,
        limits: Mapping[str, Any] | None = None,
        costs: Any = None,
        target: str | None = None,
        allow_training_rows: bool = False,
    ) -> ActionTable:
        """Return for each condition which setting to hold where, and what that would bring.

        Parameters
        ----------
        table : data frame or path, default=None
            Rows that had no part in the training. Without it those of the training, where it is at
            hand, and models without each fold.
        settings : names of columns, default=None
            What somebody can set; as given to `train` by default.
        limits, costs : default=None
            As in `thresher.actions`; costs are those of the training by default.
        target : str, default=None
            Column of `table`.
        allow_training_rows : bool, default=False
            Take rows that the model was trained on.

        Returns
        -------
        ActionTable
            Associations in past rows, not proofs of cause.
        """
        found = (
            _of_training(self)
            if table is None
            else _of_rows(
                self, self.read_unseen(table, target, allow_training_rows=allow_training_rows)
            )
        )
        money = self.facts.recipe.costs if costs is None else costs
        names = _settings(self, settings)
        assert found.seen is not None
        rows = found.columns, found.seen, found.unseen
        try:
            return act_on(found.table, *rows, settings=names, limits=limits, costs=money)
        except ValueError as error:
            raise ParameterError(str(error)) from None

    def what_if(
        self: Any,
        row: Any,
        *,
        settings: Names = None,
        limits: Mapping[str, Any] | None = None,
        scales: Mapping[str, float] | None = None,
        X: Any = None,
        max_boxes: int = 20_000,
    ) -> WhatIf:
        """Return the smallest change of settings with which the model would pass a part.

        Parameters
        ----------
        row : data frame of one row, or a path
        settings : names of columns, default=None
            What may be changed; as given to `train` by default.
        limits, scales, X, max_boxes
            As in `thresher.action.what_if`. Without X the scales are about the standard deviations
            of the training.
        """
        names = _settings(self, settings)
        if X is None:
            scales = {**_usual_scales(self, names), **(scales or {})}
        part, rows = (None if one is None else _features(self, one) for one in (row, X))
        if not isinstance(getattr(self.estimator, "estimator_", self.estimator), KINDS):
            raise ParameterError(
                "what_if follows trees and forests, and this model is another; train with "
                "model='tree' or model='forest'."
            )
        try:
            with without_warnings():
                return what_if(
                    self.estimator,
                    part,
                    settings=names,
                    limits=limits,
                    scales=scales,
                    X=rows,
                    max_boxes=max_boxes,
                )
        except ValueError as error:
            raise ParameterError(str(error)) from None


def _settings(model: "PlantModel", given: Names) -> str | Collection[str]:
    if given is None and not model.facts.settings:
        raise ParameterError(
            "The model does not know which columns can be set; name them with settings=."
        )
    return model.facts.settings if given is None else given


def _usual_scales(model: "PlantModel", settings: str | Collection[str]) -> dict[str, float]:
    """Return how far the settings went in training, as far as the model remembers it."""
    names = [settings] if isinstance(settings, str) else settings
    known = dict(zip(model.estimator.columns_.names or (), model.facts.columns or (), strict=False))
    found = {name: known[name] for name in names if isinstance(known.get(name), NumbersSummary)}
    return {name: one.deviation for name, one in found.items() if one.deviation > 0.0}


def _features(model: "PlantModel", table: Any) -> Any:
    return match_features(model.read(table), model.estimator.columns_)[0].X


def _of_training(model: "PlantModel") -> Findings:
    """Return the conditions with the rows that spoke for them in training."""
    found: Findings | None = getattr(model.origin, "found", None)
    if found is None or found.table.conditions is not model.conditions.conditions:
        raise ParameterError(
            "The rows behind the conditions of this model are not at hand; give rows that it has "
            "not seen with table=."
        )
    return found._replace(table=model.conditions)


def _of_rows(model: "PlantModel", rows: UnseenRows) -> Findings:
    """Return the conditions as unseen rows tell of them."""
    columns = model.reader.columns_
    with without_warnings():
        matrix = columns.matrix(rows.features.X, "actions")
    is_positive = rows.labels == str(model.estimator.pos_label_)
    shown = dict(enumerate(model.conditions.conditions))
    standing = Counterparts(shown, matrix, columns.wide_names, is_positive)
    return Findings(model.tested_on(rows), columns, standing, [standing])
