"""The score card of a model as data: questions, where their answers lead, what the sum means."""

from typing import Any

from thresher.card.classifier import ScoreCardClassifier
from thresher.card.page import Answer, Points, read_page
from thresher.wording import MAX_TEXT_LENGTH, name


def scorecard_data(model: Any) -> dict[str, Any] | None:
    """Return the card, None for other models.

    Examples
    --------
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Thyroid1")
    >>> card = ScoreCardClassifier(max_splits=1, n_estimators=20, random_state=0).fit(X, y)
    >>> data = scorecard_data(card)
    >>> [row["number"] for row in data["parts"][0]], data["verdicts"][0]["answer"]
    ([1], 'alert')
    """
    if not isinstance(model, ScoreCardClassifier):
        return None
    page = read_page(model)
    return {
        "title": name(page.title, 120),
        "manual": page.manual,
        "parts": [
            [
                {
                    "number": row.number,
                    "question": name(row.question, MAX_TEXT_LENGTH),
                    "yes": _answer(row.yes),
                    "no": _answer(row.no),
                }
                for row in part
            ]
            for part in page.parts
        ],
        "verdicts": [verdict._asdict() for verdict in page.verdicts],
    }


def _answer(answer: Answer) -> dict[str, Any]:
    """Return the words of an answer, and whether its points speak for an alert or against it."""
    if not isinstance(answer, Points):
        return {"words": f"\N{RIGHTWARDS ARROW} {answer.number}", "kind": "next"}
    points = answer.points
    kind = "none" if points == 0.0 else "for" if points > 0.0 else "against"
    return {"words": str(answer), "kind": kind}
