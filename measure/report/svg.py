"""Takes out of a drawn SVG everything that a strict page forbids.

Invariant: what comes out has only drawing elements and presentation attributes of a closed list; references lead into
the same drawing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"
ELEMENTS = {"svg", "g", "path", "text", "tspan", "rect", "use", "defs", "clipPath"}
ATTRIBUTES = {
    "viewBox", "d", "x", "y", "width", "height", "transform", "clip-path", "fill", "stroke", "stroke-width", "opacity",
    "fill-opacity", "stroke-opacity", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin",
    "text-anchor", "font-size", "font-weight",
}  # fmt: skip


def cleaned(drawing: bytes, key: str, variables: Mapping[str, str]) -> str:
    """The drawing as an element to put into a page.

    `key` makes ids unique on the page; `variables` maps colours (`#rrggbb`) to the names of the page's variables.
    """
    root = ET.fromstring(drawing)  # noqa: S314 - drawn by this program a moment ago
    _strip(root, key, variables)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    return ET.tostring(root, encoding="unicode")


def _strip(element: ET.Element, key: str, variables: Mapping[str, str]) -> None:
    element.tag = element.tag.removeprefix(SVG)
    attributes = dict(element.attrib)
    for declaration in attributes.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if name.strip() == "font":
            attributes |= _font(value)
        elif value:
            attributes[name.strip()] = value.strip()
    element.attrib.clear()
    for name, value in attributes.items():
        reference = name in {f"{XLINK}href", "href"}
        if reference and value.startswith("#"):
            element.set("href", f"#{key}-{value[1:]}")
        elif name == "id":
            element.set("id", f"{key}-{value}")
        elif name in ATTRIBUTES:
            element.set(name, _value(value, key, variables))
    for child in list(element):
        if child.tag.removeprefix(SVG) in ELEMENTS:
            _strip(child, key, variables)
        else:
            element.remove(child)


def _font(shorthand: str) -> dict[str, str]:
    size = re.search(r"([\d.]+)px", shorthand)
    found = {"font-size": size[1]} if size else {}
    weight = re.match(r"\s*(?:\w+ )*?(bold|[1-9]00)\b", shorthand)
    return found | ({"font-weight": weight[1]} if weight else {})


def _value(value: str, key: str, variables: Mapping[str, str]) -> str:
    if value.lower() in variables:
        return f"var(--{variables[value.lower()]})"
    inner = re.fullmatch(r"url\(#([\w-]+)\)", value)
    return f"url(#{key}-{inner[1]})" if inner else value
