"""Tags only add lines, and what they add can be taken away again, whatever the file holds."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from measure.surface.tagged import read_tagged
from measure.surface.wrapping import TagError, unwrap, wrap

CHOICE = """
# A
## B
# A b
## Style
# Script
### C
#
##\x20
# 🎉
## 目的
 # indented
   ## three
    # code
#\ty
# z ##
## Li+AI `code` [l](u)
text
本文
===
---
  ---
-
=
- item
- # in a list
  ## in an item
1. one
> quote
> # in a quote
```
```x
````
~~~
  ```
- ```
\x20\x20\x20\x20
\t
<!-- c
-->
<!-- c -->
<pre>
</pre>
<div>
</div>
<details>
</details>
[r]: /u
"t
\\
<?
a\x0cb
\x00
"""
LINES = st.sampled_from([*[line.encode() for line in CHOICE.split("\n")], b"", b"", b"", b"\xff\xfe", b"\xc2\x85"])
TAGS = st.sampled_from(b"<a> </a> <b> </b> <a-b> </c> <c> <style-section> <A> <x> </x>".split())
ENDINGS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
BOM = b"\xef\xbb\xbf"
HEADS = st.sampled_from([b"", b"", BOM, b"---\nname: x\n---\n", BOM + b"---\r\nname: x\r\n---\r\n", b"---\n"])
HARD = settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def markdown(draw: st.DrawFn, line: st.SearchStrategy[bytes] = LINES) -> bytes:
    """Any Markdown built of lines that matter to a parser, with any line endings."""
    ending = draw(ENDINGS)
    mixed = draw(st.booleans()) and draw(st.booleans())
    lines = draw(st.lists(line, max_size=14))
    text = b"".join(one + (draw(ENDINGS) if mixed else ending) for one in lines)
    return draw(HEADS) + text + draw(st.sampled_from([b"", b"", b"last", b"# Last"]))


@HARD
@given(markdown())
@example(b"# A\ntext\n## B\nfoo\n\n\n# C")
@example(b"# A\n```\nnever closed")
@example(b"# Style\n\n## Pre\n\ntext\n")
@example(b"a\n# A\rtext\r\n\n# B")
def test_wrapping_any_markdown_can_be_undone(data: bytes) -> None:
    wrapped = wrap(data)
    assert unwrap(wrapped) == data
    assert wrap(wrapped) == wrapped
    assert read_tagged(wrapped).faults == ()


@HARD
@given(markdown(LINES | TAGS))
@example(b"# A\n\n</b>\n\n</a>\n")
@example(b"<a>\n\n# A\n\n## B\n\n</a>\n\n</b>\n")
def test_a_file_with_tags_of_its_own_is_completed_or_refused(data: bytes) -> None:
    try:
        bare = unwrap(data)
        wrapped = wrap(data)
    except TagError:
        assume(False)
    assert read_tagged(wrapped).faults == ()
    assert wrap(wrapped) == wrapped
    assert unwrap(wrapped) == bare
