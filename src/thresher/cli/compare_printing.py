"""What `thresher compare` prints: tables and a sentence, or JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from thresher.cli.printing import print_json, print_table, say

if TYPE_CHECKING:
    from thresher.benchmark.analysis.comparison import Comparison
    from thresher.benchmark.analysis.standings import Standings


class Shown(NamedTuple):
    """A comparison, who is best on one's own table, what was remarked, and the folder of it all."""

    comparison: "Comparison"
    standings: "Standings | None"
    remarks: list[str]
    out: Path

    def print_json(self) -> None:
        """Print all of it as plain data."""
        content = {**self.comparison.as_dict(), "out": str(self.out)}
        if self.standings is not None:
            content |= {
                "standings": self.standings.as_data(),
                "conclusion": self.standings.sentence,
                "remarks": self.remarks,
            }
        print_json(content)

    def print_tables(self) -> None:
        """Print what a reader wants first: who is best, or the ranks on several data sets."""
        from thresher.benchmark.output.standings_table import standings_table
        from thresher.benchmark.output.tables import all_tables

        if self.standings is not None:
            print_table(standings_table(self.comparison, self.standings))
            say(self.standings.sentence)
            return
        tables = all_tables(self.comparison)
        several = len(self.comparison.study.datasets) > 1
        for name in ["scores_f1", "ranks_f1"] if several else ["summary"]:
            if name in tables:
                print_table(tables[name])
