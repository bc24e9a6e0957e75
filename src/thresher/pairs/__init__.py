"""Columns made of two others, chosen and tested; public: `PairFeatures`."""

from thresher.pairs.features import PairFeatures

__all__ = ["PairFeatures"]
