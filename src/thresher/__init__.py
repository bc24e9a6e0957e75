"""Find the rare class, and know how sure you are: trees, forests and thresholds.

Public names are imported when they are first used, so that `import thresher` is fast.
"""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.action.finding import actions
    from thresher.action.smallest_change import what_if
    from thresher.boosted.classifier import BoostedTreesClassifier
    from thresher.condition.finding import find_conditions
    from thresher.converters.classifier import ConvertedTreesClassifier
    from thresher.converters.convert import convert
    from thresher.evaluation.leakage import find_leakage
    from thresher.forest.alpha_trees import AlphaTreesClassifier
    from thresher.forest.classifier import ImbalancedForestClassifier
    from thresher.linear import LeastSquaresClassifier
    from thresher.model_file.file import load_model, save_model
    from thresher.pairs.features import PairFeatures
    from thresher.plant.training import train
    from thresher.threshold.classifier import ThresholdClassifier
    from thresher.threshold.imitated import distil
    from thresher.tree.classifier import ImbalancedTreeClassifier

__version__ = "1.0.0.dev0"

__all__ = [
    "AlphaTreesClassifier",
    "BoostedTreesClassifier",
    "ConvertedTreesClassifier",
    "ImbalancedForestClassifier",
    "ImbalancedTreeClassifier",
    "LeastSquaresClassifier",
    "PairFeatures",
    "ThresholdClassifier",
    "__version__",
    "actions",
    "convert",
    "distil",
    "find_conditions",
    "find_leakage",
    "load_model",
    "save_model",
    "train",
    "what_if",
]

_HOME = {
    "AlphaTreesClassifier": "thresher.forest.alpha_trees",
    "BoostedTreesClassifier": "thresher.boosted.classifier",
    "ConvertedTreesClassifier": "thresher.converters.classifier",
    "ImbalancedForestClassifier": "thresher.forest.classifier",
    "ImbalancedTreeClassifier": "thresher.tree.classifier",
    "LeastSquaresClassifier": "thresher.linear",
    "PairFeatures": "thresher.pairs.features",
    "ThresholdClassifier": "thresher.threshold.classifier",
    "actions": "thresher.action.finding",
    "convert": "thresher.converters.convert",
    "distil": "thresher.threshold.imitated",
    "find_conditions": "thresher.condition.finding",
    "find_leakage": "thresher.evaluation.leakage",
    "load_model": "thresher.model_file.file",
    "save_model": "thresher.model_file.file",
    "train": "thresher.plant.training",
    "what_if": "thresher.action.smallest_change",
}


__getattr__ = importer(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
