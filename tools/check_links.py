"""Find links of built pages that lead nowhere inside of them.

    python tools/check_links.py build/docs

Addresses of other sites are left alone: whether they answer is no fact about our pages.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the places of one tag."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif (name == "id" or (tag == "a" and name == "name")) and value:
                self.places.add(value)


def dead_links(folder: Path) -> list[str]:
    """Each link to a file or a place that is not there, with its page."""
    found = sorted(folder.rglob("*.html"))
    # Themes ship templates there, which are no pages.
    found = [path for path in found if "_static" not in path.relative_to(folder).parts]
    pages = {path: Page(path) for path in found}
    dead = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve()
            target = path if not parts.path else target
            place = unquote(parts.fragment)
            if not target.exists() or (
                place and target in pages and place not in pages[target].places
            ):
                dead.append(f"{path.relative_to(folder)}: {link}")
    return dead


if __name__ == "__main__":
    found = dead_links(Path(sys.argv[1]).resolve())
    print(*found, f"{len(found)} dead links", sep="\n")
    sys.exit(bool(found))
