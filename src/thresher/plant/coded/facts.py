"""What is known of the training of several codes: the choices, and judged rows by code."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher.judging.facts import MAX_ROWS, MOST_MONEY, optional_number, optional_text
from thresher.judging.judgement import Judgement
from thresher.judging.verdict import Terms
from thresher.model_file.record import Record, require
from thresher.plant.coded.pareto import CodeCount, Pareto

VERSION = 1


@dataclass(frozen=True)
class CodedFacts:
    """What is known of a training.

    Attributes
    ----------
    target, good : the column, and its value for good rows.
    pareto : judged rows by code.
    how : how rows were held out, in words.
    never_judged : rows of the table that no fold judged.
    terms : what people call a row and a bad one.
    per_1000 : alerts for all codes together, None where each code has its own rule.
    remarks : sentences about the table.
    title, description : of the report.
    """

    target: str
    good: str
    pareto: Pareto
    how: str
    never_judged: int = 0
    terms: Terms = Terms()  # noqa: RUF009 - a tuple does not change
    per_1000: float | None = None
    remarks: tuple[str, ...] = ()
    title: str | None = None
    description: str | None = None

    @cached_property
    def judgement(self) -> Judgement:
        """The decisions of all codes together about rows that chose nothing."""
        return self.pareto.judgement(self.how, never_judged=self.never_judged)

    def as_data(self) -> dict[str, Any]:
        """Return plain data, for a file."""
        pareto = self.pareto
        return {
            "version": VERSION,
            "target": self.target,
            "good": self.good,
            "counts": [one._asdict() for one in pareto.codes],
            "good_rows": pareto.good_rows,
            "false_alarms": pareto.false_alarms,
            "costs": None if pareto.costs is None else dict(pareto.costs),
            "how": self.how,
            "never_judged": self.never_judged,
            **self.terms._asdict(),
            "per_1000": self.per_1000,
            "remarks": list(self.remarks),
            "title": self.title,
            "description": self.description,
        }

    @classmethod
    def from_record(cls, record: Record) -> "CodedFacts":
        """Read what `as_data` wrote; a DamagedModelError where it is not sound."""
        record.integer("version", VERSION, VERSION)
        per_1000 = optional_number(record, "per_1000")
        require(per_1000 is None or 0.0 < per_1000 <= 1000.0, "its budget is out of range")
        return cls(
            target=record.text("target"),
            good=record.text("good"),
            pareto=_read_pareto(record),
            how=record.text("how"),
            never_judged=record.integer("never_judged", 0, MAX_ROWS),
            terms=Terms(record.text("unit"), record.text("event")),
            per_1000=per_1000,
            remarks=tuple(record.texts("remarks")),
            title=optional_text(record, "title"),
            description=optional_text(record, "description"),
        )


def _read_pareto(record: Record) -> Pareto:
    counts = tuple(_read_count(one) for one in record.records("counts"))
    names = [one.code for one in counts]
    require(names and len(set(names)) == len(names), f"{record.place} has no codes, or one twice")
    good = record.integer("good_rows", 0, MAX_ROWS)
    require(good + sum(one.rows for one in counts) > 0, "no row was judged")
    costs = None
    if record.has("costs"):
        inside = record.record("costs")
        costs = {str(name): inside.within(name, 0.0, MOST_MONEY) for name in inside.data}
    return Pareto(counts, good, record.integer("false_alarms", 0, good), costs)


def _read_count(record: Record) -> CodeCount:
    rows = record.integer("rows", 0, MAX_ROWS)
    found = record.integer("found", 0, rows)
    return CodeCount(record.text("code"), rows, found, record.integer("elsewhere", 0, rows - found))
