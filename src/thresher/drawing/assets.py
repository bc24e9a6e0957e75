"""Files beside the code: the style that pictures share in reports and notebooks."""

from importlib.resources import files


def read_asset(package: str, file: str) -> str:
    """Return the text of a file in a package."""
    return (files(package) / file).read_text(encoding="utf-8")


def picture_style() -> str:
    """Return the style of pictures; whoever shows them says what its colours are."""
    return read_asset("thresher.drawing", "pictures.css")
