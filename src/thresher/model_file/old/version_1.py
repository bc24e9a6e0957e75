"""Version 1 (0.1.0): arrays belong to the model alone, and their names start inside it."""

from thresher.model_file.container import Contents, unpack


def unpack_version_1(content: bytes | bytearray) -> Contents:
    """Return what a file of version 1 holds, its arrays named as in version 2."""
    document, arrays = unpack(content, version=1)
    return Contents(document, {f"model/{name}": values for name, values in arrays.items()})
