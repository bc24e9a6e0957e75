"""The paper's study: its printed tables, its claims judged by them and by ours, why they differ."""

from thresher.benchmark.paper.printed_tables import (
    PaperTable,
    paper_datasets,
    paper_methods,
    paper_table,
    printed_shares,
)

__all__ = ["PaperTable", "paper_datasets", "paper_methods", "paper_table", "printed_shares"]
