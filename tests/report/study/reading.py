"""A page as its elements, read without a browser; an element that is not closed where it should be is an error."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "br", "img", "link", "input", "hr"})


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = field(default=None, repr=False)
    children: list["Element"] = field(default_factory=list, repr=False)
    parts: list["str | Element"] = field(default_factory=list, repr=False)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    def text(self, language: str | None = None) -> str:
        """All text below; with a language, what shows in it."""
        hidden = {"en": "zh", "zh": "en"}.get(language or "")
        if hidden in self.classes:
            return ""
        joined = "".join(part if isinstance(part, str) else part.text(language) for part in self.parts)
        return re.sub(r"\s+", " ", joined)

    def all(self, tag: str = "", cls: str = "") -> list["Element"]:
        """Descendants in the order of the page."""
        found = []
        for child in self.children:
            if (not tag or child.tag == tag) and (not cls or cls in child.classes):
                found.append(child)
            found += child.all(tag, cls)
        return found

    def one(self, tag: str = "", cls: str = "") -> "Element":
        (found,) = self.all(tag, cls)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.open[-1])
        assert len(element.attributes) == len(attrs), f"{tag}: an attribute is given twice"
        self.open[-1].children.append(element)
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def read(page: str) -> Element:
    """The root of a page."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root], f"not closed: {[element.tag for element in reader.open[1:]]}"
    return reader.root
