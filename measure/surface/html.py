"""The names HTML has given away.

Invariant: a tag of one of these names is the author's HTML, never a section's tag gone astray.
"""

from __future__ import annotations

ELEMENTS = frozenset(
    """
    a abbr address article aside audio b blockquote body br button canvas caption center cite code col colgroup
    data dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame
    frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark
    math menu meta meter nav noframes noscript object ol optgroup option output p param picture pre progress q
    rp rt ruby s samp script search section select slot small source span strong style sub summary sup svg table
    tbody td template textarea tfoot th thead time title tr track u ul var video wbr
    """.split()  # noqa: SIM905
)
"""HTML's own elements (WHATWG HTML, with the obsolete ones people still write): never a stray section tag."""
