"""The paper's methods by name, and studies that compare methods on data sets.

>>> METHODS["LinR+CS"](random_state=0)
LeastSquaresClassifier(class_weight='balanced')
"""

from thresher.benchmark.errors import StudyError, StudyInterrupted, StudyWarning
from thresher.benchmark.methods import METHODS, PAPER_METHODS
from thresher.benchmark.study.measures import METRICS
from thresher.benchmark.study.progress import Progress
from thresher.benchmark.study.result import StudyResult
from thresher.benchmark.study.study import load_study, run_study

__all__ = [
    "METHODS",
    "METRICS",
    "PAPER_METHODS",
    "Progress",
    "StudyError",
    "StudyInterrupted",
    "StudyResult",
    "StudyWarning",
    "load_study",
    "run_study",
]
