"""Quality gates: what a judgement has to reach."""

from thresher.errors import GateMissedError
from thresher.judging.judgement import Judgement


def check_gates(
    judgement: Judgement, min_precision: float | None, min_recall: float | None
) -> None:
    """Raise where precision or recall are below what was asked for."""
    asked = {"precision": min_precision, "recall": min_recall}
    missed = [
        f"{name} is {getattr(judgement, name):.3f}, below min_{name}={least:g}"
        for name, least in asked.items()
        if least is not None and getattr(judgement, name) < least
    ]
    if missed:
        raise GateMissedError(f"The quality gate is missed: {' and '.join(missed)}.")
