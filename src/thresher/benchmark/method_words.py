"""Methods in the words of a sentence, for readers who do not know the paper's abbreviations."""

from types import MappingProxyType

_SAMPLED = {
    "": "",
    "+CS": " with class weights",
    "+US": " after under-sampling",
    "+OS": " after over-sampling",
    "@prior": " at the share of positives",
}
_LINEAR = {"LinR": "linear regression", "LogR": "unscaled logistic regression"}

WORDS = MappingProxyType(
    {
        **{
            name + ending: words + how
            for name, words in _LINEAR.items()
            for ending, how in _SAMPLED.items()
        },
        "CDT": "the gain ratio tree",
        "DKMDT": "the DKM tree",
        "HDDT": "the Hellinger tree",
        "EAT": "the vote of Renyi trees",
        "ARDT": "the adaptive Renyi tree",
        "Forest": "the forest",
        "BalancedRF": "BalancedRandomForest at 0.5",
        "DecisionTree": "DecisionTreeClassifier at 0.5",
        "tree": "the tree",
        "forest": "the forest",
        "blend": "the blend",
    }
)
"""What to call a method; those that are not here are called by their names."""


def in_words(method: str) -> str:
    """Return how a sentence calls a method.

    >>> in_words("LinR+OS"), in_words("tree"), in_words("LightGBM")
    ('linear regression after over-sampling', 'the tree', 'LightGBM')
    """
    return WORDS.get(method, method)


def as_entry(method: str) -> str:
    """Return how a table calls a method: in words, and by its name where that is another.

    >>> as_entry("ARDT"), as_entry("tree"), as_entry("LightGBM")
    ('adaptive Renyi tree (ARDT)', 'tree', 'LightGBM')
    """
    words = in_words(method).removeprefix("the ")
    return words if words == method else f"{words} ({method})"
