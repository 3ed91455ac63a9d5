"""Text that tells an agent it stands in a copy, a test or a trial.

Invariant: no such text is ever put into an arm, because an agent that reads it answers another question. Text that
only uses these words, as rules about testing do, passes.
"""

from __future__ import annotations

import re
from typing import Final

_WHAT = (
    r"(?:copy|clone|duplicate|replica|test|trial|experiment|simulation|sandbox|mock-?up|dry[ -]run|drill|"
    r"measurement|evaluation|benchmark|a/?b test|variant|control (?:arm|group)|(?:baseline|treatment|test) arm|"
    r"(?:test|trial|experimental|evaluation|sandbox|measurement) "
    r"(?:copy|clone|run|environment|workspace|session|setup|arm|instance|scenario))"
)
_THING = (
    r"(?:workspace|folder|directory|environment|repo(?:sitory)?|project|tree|session|conversation|run|task|file|"
    r"document|text|line|rule|instruction|checkout|situation|prompt|machine)"
)
_BE = r"(?:is|was|are|has been)"
_HEDGE = (
    r"(?:(?:only|just|merely|actually|really|part of|set up|made|used|created|meant|intended|for|as|in|an?|the)\s+)*"
)
_END = r"(?=\s*(?:[.,;:!?)\]\"'—]|\s-|$)|\s+(?:of|for|to|that|which|used|made|so|and|not|in|by|with|where|version)\b)"

_ENGLISH: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:this|the (?:current|present))(?:\s+{_THING})?\s+{_BE}\s+{_HEDGE}(?:[\w-]+\s+){{0,2}}?{_WHAT}{_END}",
        rf"\b(?:it|all of this|everything here)\s+{_BE}\s+(?:only|just|merely)\s+an?\s+{_WHAT}{_END}",
        (
            rf"\byou(?:'re| are)\s+(?:currently\s+|now\s+)?(?:standing\s+|working\s+|running\s+|operating\s+)?"
            rf"(?:in|inside|part of)\s+an?\s+(?:[\w-]+\s+)?{_WHAT}{_END}"
        ),
        r"\byou(?:'re| are)\s+(?:currently\s+|now\s+)?being\s+(?:tested|measured|evaluated|benchmarked|observed)\b",
        r"\b(?:your|this)\s+(?:behaviou?r|answer|response)s?\s+(?:is|are)\s+being\s+(?:tested|measured|evaluated|scored)\b",
        (
            r"\b(?:removed|dropped|inserted|added|replaced|changed|edited)\s+(?:here\s+)?for\s+(?:the|this|an?)\s+"
            r"(?:test|trial|experiment|measurement|evaluation)\b"
        ),
        r"\b(?:for|during|in)\s+(?:the\s+purposes?\s+of\s+)?this\s+(?:test|trial|experiment|measurement|evaluation)\b",
    )
)

_JA_WHAT = (
    r"(?:複製|複写|コピー|クローン|写し|テスト|試験|試行|実験|検証|測定|計測|評価|模擬|シミュレーション|サンドボックス)"
)
_JA_THING = (
    r"(?:作業場所|作業フォルダ|ワークスペース|環境|フォルダ|ディレクトリ|リポジトリ|プロジェクト|セッション|会話|"
    r"ファイル|文書|行|規則|ルール|指示|木|ツリー)"
)
_JAPANESE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?:これ|ここ|こちら|(?:この|本|当){_JA_THING})は[、\s]?(?:[^。]{{0,20}}?、)?(?:\w{{0,12}}?の)?(?:\w{{0,8}}?){_JA_WHAT}"
            rf"(?:用|目的|中|環境|用環境|専用|版)?(?:の(?:ため|もの|{_JA_THING}|{_JA_WHAT}))?"
            r"(?:です|である|であり|であって|でして|だ(?!け)|で(?:、|す|し)|となります|になります|に過ぎ|にすぎ|[。.!！\s]|$)"
        ),
        rf"あなたは[^。]{{0,12}}{_JA_WHAT}(?:環境|用環境)?(?:の中|の中に|に|を受け|され)",
        rf"(?:この|本){_JA_WHAT}(?:では|において|の間|のため|のために|中は)",
        rf"{_JA_WHAT}(?:の)?ため(?:に)?(?:、)?(?:この|本)?(?:行|規則|ルール|指示|文)?(?:を|は)?(?:削除|追加|変更|置換|挿入)(?:した|され|し|済)",
    )
)


def find_disclosure(text: str) -> str | None:
    """The words by which `text` declares itself or its place a copy, test or trial; None where it does not."""
    for pattern in (*_ENGLISH, *_JAPANESE):
        if found := pattern.search(text):
            return found[0].strip()
    return None
