"""The methods of the paper's study, under the names that it gives them.

>>> METHODS["LinR+CS"](random_state=0)
LeastSquaresClassifier(class_weight='balanced')
"""

from thresher.benchmark.methods import METHODS

__all__ = ["METHODS"]
