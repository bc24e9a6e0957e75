"""Figures taken apart for their tests."""

from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def words_in(figure):
    """Return the words of a figure in their order, without its title; its file is sound XML."""
    found = ElementTree.fromstring(figure.svg).iter(f"{SVG}text")
    words = ["".join(one.itertext()) for one in found if one.get("class") != "title"]
    return [one.replace("\u00a0", " ") for one in words]


def paths_of(figure, kind):
    """Return the points of each path or line of a class."""
    found = ElementTree.fromstring(figure.svg).iter()
    return [_points(one) for one in found if (one.get("class") or "").startswith(kind)]


def _points(element):
    if element.tag == f"{SVG}line":
        return [tuple(float(element.get(f"{axis}{end}")) for axis in "xy") for end in (1, 2)]
    pairs = element.get("d").removeprefix("M").split("L")
    return [tuple(map(float, pair.split())) for pair in pairs]
