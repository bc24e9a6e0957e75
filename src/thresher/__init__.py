"""Thresher separates the few from the many: trees and thresholds for a rare class.

Public names are imported when they are first used, so that `import thresher` is fast.
"""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.action.finding import actions
    from thresher.blend.classifier import ImbalancedBlendClassifier
    from thresher.card.classifier import ScoreCardClassifier
    from thresher.condition.finding import conditions
    from thresher.criteria import find_alpha, renyi_entropy
    from thresher.export.onnx.model import export_onnx
    from thresher.export.python import export_python
    from thresher.export.sql.statement import export_sql
    from thresher.forest.alpha_trees import AlphaTreesClassifier
    from thresher.forest.classifier import ImbalancedForestClassifier
    from thresher.linear import LeastSquaresClassifier
    from thresher.model_file.file import load_model, save_model
    from thresher.model_file.json.text import from_json, to_json
    from thresher.pairs.features import PairFeatures
    from thresher.takeover.taking import take_over
    from thresher.threshold.classifier import ThresholdClassifier
    from thresher.threshold.distilling import distil
    from thresher.tree.classifier import ImbalancedTreeClassifier

__version__ = "0.2.0"

__all__ = [
    "AlphaTreesClassifier",
    "ImbalancedBlendClassifier",
    "ImbalancedForestClassifier",
    "ImbalancedTreeClassifier",
    "LeastSquaresClassifier",
    "PairFeatures",
    "ScoreCardClassifier",
    "ThresholdClassifier",
    "__version__",
    "actions",
    "conditions",
    "distil",
    "export_onnx",
    "export_python",
    "export_sql",
    "find_alpha",
    "from_json",
    "load_model",
    "renyi_entropy",
    "save_model",
    "take_over",
    "to_json",
]

_HOME = {
    "AlphaTreesClassifier": "thresher.forest.alpha_trees",
    "ImbalancedBlendClassifier": "thresher.blend.classifier",
    "ImbalancedForestClassifier": "thresher.forest.classifier",
    "ImbalancedTreeClassifier": "thresher.tree.classifier",
    "LeastSquaresClassifier": "thresher.linear",
    "PairFeatures": "thresher.pairs.features",
    "ScoreCardClassifier": "thresher.card.classifier",
    "ThresholdClassifier": "thresher.threshold.classifier",
    "actions": "thresher.action.finding",
    "conditions": "thresher.condition.finding",
    "distil": "thresher.threshold.distilling",
    "export_onnx": "thresher.export.onnx.model",
    "export_python": "thresher.export.python",
    "export_sql": "thresher.export.sql.statement",
    "find_alpha": "thresher.criteria",
    "from_json": "thresher.model_file.json.text",
    "load_model": "thresher.model_file.file",
    "renyi_entropy": "thresher.criteria",
    "save_model": "thresher.model_file.file",
    "take_over": "thresher.takeover.taking",
    "to_json": "thresher.model_file.json.text",
}


__getattr__ = importer(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
