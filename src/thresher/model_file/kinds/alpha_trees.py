"""`AlphaTreesClassifier` as plain data with arrays, and back."""

from typing import Any

from thresher.forest.alpha_trees import AlphaTreesClassifier
from thresher.model_file.kinds.common import describe_estimator, restore_estimator
from thresher.model_file.kinds.parameters import describe_parameters, restore_parameters
from thresher.model_file.kinds.tree import describe_growth, describe_training, restore_growth
from thresher.model_file.record import Record, require
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.sample import describe


def describe_alpha_trees(model: AlphaTreesClassifier) -> dict[str, Any]:
    """Return plain data; the trees share columns and classes."""
    trees = [
        {
            "parameters": describe_parameters(tree),
            "threshold": float(tree.threshold_),
            **describe_growth(tree),
        }
        for tree in model.estimators_
    ]
    training = describe_training(model.estimators_[0].unpruned_tree_)
    return {**describe_estimator(model), "training": training, "estimators": trees}


def restore_alpha_trees(record: Record) -> AlphaTreesClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(AlphaTreesClassifier, record)
    model.check_parameters(None, None)
    model.estimators_ = [_member(part, model) for part in record.records("estimators")]
    alphas = [tree.alpha for tree in model.estimators_]
    require(list(model.alphas) == alphas, "parameter 'alphas' is not that of the trees")
    return model


def _member(record: Record, model: AlphaTreesClassifier) -> ImbalancedTreeClassifier:
    tree = restore_parameters(ImbalancedTreeClassifier, record)
    tree.check_parameters(None, None)
    require(tree.criterion == "renyi", "a tree is not grown by the Renyi entropy")
    describe(tree, model.columns_, model.classes_, model.positive_index_)
    tree.threshold_ = record.number("threshold")
    restore_growth(tree, record, model.columns_)
    return tree
