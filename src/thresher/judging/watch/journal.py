"""The journal of a watch: what was seen of each batch, in its order, as counts.

All evidence follows from the counts, so that a watch that goes on from its file is the one that
never stopped. A batch whose labels come later has a further entry for them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import TableError
from thresher.judging.row_prints import Hashes, Overlap, RowPrints

MAX_HASHES = 4096
"""Hashes of rows that are kept to know rows again: the smallest, as good as drawn at random."""
LABELS = ("labelled", "positives", "misses")

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Entry:
    """What one look saw of one batch.

    Attributes
    ----------
    day : the day of its rows; None where the batch is a table without times.
    digest : of its rows, whatever their order; their labels have no part in it.
    rows, alerts : of rows that were not seen before; 0 where only labels came later.
    labelled, positives, misses : of rows whose label was not known before.
    """

    day: str | None
    digest: str
    rows: int
    alerts: int
    labelled: int
    positives: int
    misses: int

    @property
    def is_late(self) -> bool:
        """Whether it brings labels of a batch that was seen before."""
        return self.rows == 0

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Batch:
    """Rows that were made on one day, or came as one table: counts, and a hash of each."""

    entry: Entry
    hashes: Hashes

    @classmethod
    def of(
        cls, day: str | None, hashes: Hashes, is_alert: Flags, known: Flags, is_positive: Flags
    ) -> "Batch":
        """Count rows."""
        positive = known & is_positive
        counts = (len(hashes), is_alert, known, positive, positive & ~is_alert)
        numbers = [one if isinstance(one, int) else int(one.sum()) for one in counts]
        return cls(Entry(day, _digest(day, hashes), *numbers), hashes)


def _digest(day: str | None, hashes: Hashes) -> str:
    content = np.sort(hashes).astype("<u8").tobytes()
    return blake2b((day or "").encode() + b"\0" + content, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Seen:
    """The smallest hashes of all rows that were seen, and how often each was."""

    hashes: Hashes
    counts: NDArray[np.int64]

    @classmethod
    def nothing(cls) -> "Seen":
        """Return that no row was seen."""
        return cls(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64))

    def overlap(self, hashes: Hashes) -> Overlap:
        """Compare rows with those that were seen; see `RowPrints.overlap`."""
        repeated = int(self.counts[self.counts > 1].sum())
        prints = RowPrints(self.hashes, int(self.counts.sum()), repeated, MAX_HASHES)
        return prints.overlap(hashes)

    def with_rows(self, hashes: Hashes) -> "Seen":
        """Return the same with further rows."""
        new, times = np.unique(hashes, return_counts=True)
        found, place = np.unique(np.concatenate([self.hashes, new]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([self.counts, times])).astype(np.int64)
        return Seen(found[:MAX_HASHES], counts[:MAX_HASHES])


@dataclass(frozen=True)
class Journal:
    """What a watch has seen.

    Attributes
    ----------
    entries : in the order of the looks.
    seen : hashes of rows.
    """

    entries: tuple[Entry, ...] = ()
    seen: Seen = field(default_factory=Seen.nothing)

    def with_batches(self, batches: Sequence[Batch], source: str) -> "Journal":
        """Return the journal after a look; rows that were seen before count once.

        A batch that comes again brings nothing, or the labels that it had not. Rows that were seen
        in another batch are refused, and the journal stays as it is.
        """
        known = self._totals()
        new = [batch for batch in batches if batch.entry.digest not in known]
        self._refuse_seen(new, source)
        entries, seen = list(self.entries), self.seen
        for batch in batches:
            before = known.get(batch.entry.digest)
            entry = batch.entry if before is None else _late(before, batch.entry)
            if entry is not None:
                entries.append(entry)
        for batch in new:
            seen = seen.with_rows(batch.hashes)
        return Journal(tuple(entries), seen)

    def goes_on_from(self, earlier: "Journal") -> bool:
        """Return whether the first looks are those of another journal, in their order."""
        return self.entries[: len(earlier.entries)] == earlier.entries

    def _totals(self) -> dict[str, Entry]:
        """Return what is known of each batch, in the order in which it was first seen."""
        found: dict[str, Entry] = {}
        for entry in self.entries:
            before = found.get(entry.digest)
            found[entry.digest] = entry if before is None else _sum(before, entry)
        return found

    @property
    def batches(self) -> list[Entry]:
        """What is known of each batch, labels that came later included."""
        return list(self._totals().values())

    def _refuse_seen(self, new: Sequence[Batch], source: str) -> None:
        if not new:
            return
        found = self.seen.overlap(np.concatenate([batch.hashes for batch in new]))
        if found.is_odd:
            raise TableError(
                f"{found.equal:,} of {found.compared:,} rows of {source} that were compared with "
                "earlier ones equal rows that the watch has seen in another batch; give each row "
                "once, or a whole batch again with its labels."
            )


def _sum(before: Entry, late: Entry) -> Entry:
    labels = {name: getattr(before, name) + getattr(late, name) for name in LABELS}
    return replace(before, **labels)


def _late(before: Entry, now: Entry) -> Entry | None:
    """Return the labels that a batch had not when it was seen; None where there are none."""
    more = {name: getattr(now, name) - getattr(before, name) for name in LABELS}
    if more["labelled"] < 0 or not any(more.values()):
        return None  # fewer labels than before, or the same
    if not 0 <= more["misses"] <= more["positives"] <= more["labelled"]:
        which = "" if now.day is None else f" of {now.day}"
        raise TableError(
            f"Labels of the batch{which} have changed: it had {before.positives:,} positives among "
            f"{before.labelled:,} labelled rows, and has {now.positives:,} among "
            f"{now.labelled:,} now; what was counted cannot be taken back, so begin a new watch."
        )
    return replace(now, rows=0, alerts=0, **more)
