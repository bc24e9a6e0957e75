"""The paper's methods by name, and studies that compare methods on data sets.

>>> METHODS["LinR+CS"](random_state=0)
LeastSquaresClassifier(class_weight='balanced')
"""

from thresher.study.methods import METHODS, PAPER_METHODS
from thresher.study.results import METRICS, Ranking, Run, Scores, StudyResult
from thresher.study.run import StudyError, StudyWarning, load_study, run_study

__all__ = [
    "METHODS",
    "METRICS",
    "PAPER_METHODS",
    "Ranking",
    "Run",
    "Scores",
    "StudyError",
    "StudyResult",
    "StudyWarning",
    "load_study",
    "run_study",
]
