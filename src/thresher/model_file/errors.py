"""What can go wrong with model files."""

from thresher.errors import DamagedModelError, ModelFileError

__all__ = ["DamagedModelError", "ModelFileError"]
