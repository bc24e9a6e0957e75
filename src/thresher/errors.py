"""What can go wrong for a user: each error is one sentence that says what to do.

The command line maps these, and no others, to its exit codes.
"""


class TableError(ValueError):
    """A table that cannot be used as it is; the sentence names the column or row."""


class QuestionError(TableError):
    """A table that can be read in two ways; the sentence names the parameter that decides."""


class ParameterError(ValueError):
    """Parameters that do not go together, or that a choice needs."""


class MissingPackageError(ImportError):
    """A package that is only needed for this; the sentence says how to install it."""


class NotWrittenError(OSError):
    """A file that could not be written; what was there before is there still."""


class GateMissedError(ValueError):
    """A model that works, but not as well as was asked for."""


class RuleNotMetError(ValueError):
    """No threshold satisfies a rule on the scores at hand."""


class NoVotesError(ValueError):
    """A forest none of whose trees left out a row of each class: nothing can be judged by it."""


class ModelFileError(ValueError):
    """A model that cannot be written, or a file that cannot be read; the message says why."""


class DamagedModelError(ModelFileError):
    """A file whose content is not what was written."""


class WatchFileError(ValueError):
    """The state of a watch that is damaged, none at all, or of another model."""


class OutsideRangeError(TableError):
    """A table in which all values of a column lie far outside the training range of a model."""
