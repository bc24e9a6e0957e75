"""What decisions cost."""

from typing import NamedTuple

from thresher.threshold.counts import Counts, Vector
from thresher.validation import check_number


class Costs(NamedTuple):
    """What a decision costs: of a false and of a missed alert; gains of the right decisions."""

    fp: float = 1.0
    fn: float = 1.0
    gain_tp: float = 0.0
    gain_tn: float = 0.0

    def check(self) -> None:
        """Raise unless costs and gains make a threshold."""
        for name, value in zip(("cost_fp", "cost_fn", *self._fields[2:]), self, strict=True):
            check_number(name, value, 0.0)
        if sum(self) <= 0:
            raise ValueError("cost_fp, cost_fn, gain_tp and gain_tn are all 0; raise one of them.")

    @property
    def threshold(self) -> float:
        """Elkan's threshold: above this probability an alert is worth its expected cost.

        >>> Costs(fp=1.0, fn=9.0).threshold
        0.1
        """
        return float((self.fp + self.gain_tn) / sum(self))

    def per_row(self, counts: Counts) -> Vector:
        """Return the mean cost of a row, gains taken off."""
        return self.of_all(counts) / counts.total

    def of_all(self, counts: Counts) -> Vector:
        """Return the cost of all rows, gains taken off."""
        tn, fp, fn, tp = counts
        return self.fp * fp + self.fn * fn - self.gain_tp * tp - self.gain_tn * tn

    @property
    def by_outcome(self) -> tuple[float, float, float, float]:
        """What a row costs, in the order of the four counts: tn, fp, fn, tp."""
        return -self.gain_tn, self.fp, self.fn, -self.gain_tp
