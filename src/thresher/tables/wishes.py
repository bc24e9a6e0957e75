"""What a user, or the table of a training, says of the cells of a table."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from thresher.errors import ParameterError
from thresher.tables.meaning import check_meaning
from thresher.tables.notation import COMMA, POINT
from thresher.tables.plan import CONSTANT, ColumnPlan, Plan

NOBODY = "none"
"""The word that lets no number stand for "no value"."""


@dataclass(frozen=True)
class Wishes:
    """What a user says of the cells of a table.

    Attributes
    ----------
    texts : columns whose cells stay as they are written.
    column : what some columns are.
    missing : what stands for "no value"; None to find out, "none" alone: nothing beside words.
    decimal : the decimal mark.
    known : the plan of an earlier table, whose columns are read the same way.
    """

    texts: Collection[str] = ()
    column: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None
    decimal: str | None = None
    known: Plan | None = None

    def check(self) -> None:
        """Refuse what there is not."""
        for name, meaning in self.column.items():
            check_meaning(name, meaning)
        if self.decimal not in (None, POINT, COMMA):
            raise ParameterError(f"decimal={self.decimal!r} must be '.' or ','.")
        for name, meaning in self.column.items():
            known = None if self.known is None else self.known.columns.get(name)
            if known is not None and known.meaning not in (meaning, CONSTANT):
                raise ParameterError(
                    f"column={{{name!r}: {meaning!r}}} does not fit the model, for which it is a "
                    f"{known.meaning}; leave it out."
                )

    @property
    def words(self) -> tuple[str, ...]:
        """What a user says stands for "no value"."""
        return tuple(word for word in self.missing or () if word != NOBODY)

    @property
    def numbers(self) -> list[float]:
        """The numbers among these words."""
        found = []
        for word in self.words:
            try:
                found.append(float(word.replace(COMMA, POINT)))
            except ValueError:
                continue
        return found

    @property
    def has_sentinels(self) -> bool:
        """Whether numbers such as -9999 may stand for "no value"."""
        return self.missing is None or (len(self.missing) > 0 and NOBODY not in self.missing)

    def plan_of(self, name: str) -> ColumnPlan | None:
        """Return how an earlier table had a column; None where a user says what it is."""
        if self.known is None or name in self.column:
            return None
        known = self.known.columns.get(name)
        return None if known is None or known.meaning == CONSTANT else known
