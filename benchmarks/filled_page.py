"""Pages of the documentation with tables between marks."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path


def fill(page: Path, parts: Mapping[str, Sequence[str]]) -> None:
    """Put lines between `<!-- name -->` and the next `<!-- end -->` of a page, by name."""
    text = page.read_text(encoding="utf-8")
    for name, lines in parts.items():
        place = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        table = "\n".join(lines)
        text = place.sub(lambda found, new=table: f"{found[1]}{new}\n{found[2]}", text)
    page.write_text(text, encoding="utf-8")
