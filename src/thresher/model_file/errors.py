"""What is said of a model that cannot be written or read."""


class ModelFileError(ValueError):
    """A model file or JSON text that cannot be used; the message says why and what to do."""


class DamagedModelError(ModelFileError):
    """A part of a model that is not as it was written; whoever reads the whole adds its name."""
