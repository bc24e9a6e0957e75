"""What can go wrong with a study as a whole; everything that was computed comes along."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.benchmark.study.result import StudyResult


class StudyError(ValueError):
    """A study that cannot be run, stored or read.

    Attributes
    ----------
    result : StudyResult or None
        What was done before the error, where anything was.
    """

    result: "StudyResult | None" = None


class StudyInterrupted(KeyboardInterrupt):
    """A study that was stopped by Ctrl-C.

    Attributes
    ----------
    result : StudyResult or None
        What was done before.
    """

    result: "StudyResult | None" = None


class StudyWarning(UserWarning):
    """Some runs of a study have no outcome."""
