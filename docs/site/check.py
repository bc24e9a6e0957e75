"""Links inside the built site: `python docs/site/check.py build/docs`.

Every page, picture and anchor that a page points to must be there, and nothing may be loaded from
elsewhere, so that the site works from a disk.
"""

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that point somewhere, by tag; True where a browser loads what they name by itself.
POINTERS = {
    ("a", "href"): False,
    ("img", "src"): True,
    ("link", "href"): True,
    ("script", "src"): True,
    ("source", "src"): True,
    ("iframe", "src"): True,
}
NOT_LOADED = {"next", "prev", "search", "index", "canonical", "author", "copyright", "genindex"}


@dataclass
class Page(HTMLParser):
    """The anchors of a page, and what it points to: (address, whether a browser loads it)."""

    anchors: set[str] = field(default_factory=set)
    targets: list[tuple[str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag offers and asks for."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for (owner, attribute), loads in POINTERS.items():
            if tag == owner and attribute in given:
                loads &= not NOT_LOADED & set(given.get("rel", "").split())
                self.targets.append((given[attribute], loads))


def read(path: Path) -> Page:
    """Take a page apart."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def faults(site: Path) -> tuple[int, list[str]]:
    """Return the number of links inside the site, and a sentence for each that leads nowhere."""
    paths = (path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): read(path) for path in paths}
    count, found = 0, []
    for path, page in pages.items():
        for target, loads in page.targets:
            parts = urlsplit(target)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if loads:
                    found.append(f"{path.relative_to(site)} loads {target}")
                continue
            count += 1
            aim = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not aim.exists():
                found.append(f"{path.relative_to(site)}: {target} is not there")
            elif parts.fragment and aim in pages and not _has(pages[aim], parts.fragment):
                found.append(f"{path.relative_to(site)}: {target} has no such anchor")
    return count, found


def main() -> int:
    """Print what leads nowhere."""
    site = Path(sys.argv[1]).resolve()
    count, found = faults(site)
    print("\n".join(found) or f"{count:,} links inside the site, none leads nowhere")
    return 1 if found or not count else 0


def _has(page: Page, fragment: str) -> bool:
    return unquote(fragment) in page.anchors


if __name__ == "__main__":
    sys.exit(main())
