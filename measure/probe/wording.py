"""Phrases that the form rules look for in prompts, in English, Japanese and Chinese.

Invariant: a pattern matches what a prompt says to the agent, not what a project happens to be about: "write a failing
test" is work, "this is a test" is not.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_RULE_TEXT = (
    r"(?:rules?|rule ?book|instructions|guidelines?|guidance|polic(?:y|ies)|conventions|standing orders|house style"
    r"|system prompt|memory file|style ?guide)"
)
_JA_RULE_TEXT = "(?:ルール|規則|規約|規程|指示書|指示文|ガイドライン|手順書|約束事|取り決め)"
_ZH_RULE_TEXT = "(?:规则|規則|规定|规范|規範|准则|準則|指南|守则|守則|章程)"

ASKS_FOR_THE_TEXT = _any(
    rf"\b(?:what|which|where|how) [^.?!\n]{{0,60}}\b{_RULE_TEXT}\b[^.?!\n]{{0,40}}"
    r"\b(?:says?|states?|stated|written|requires?|appl(?:y|ies)|tells?|prescribes?|forbids?|allows?|mentions?)\b",
    rf"\b(?:according to|as per|per|following|in line with|under|given|based on|obey(?:ing)?)"
    rf" (?:the|your|our|its|this|these|any|all)(?: [\w'-]+){{0,3}} {_RULE_TEXT}\b",
    rf"\b(?:do|does|did) (?:the|your|our|its|these|any)(?: [\w'-]+){{0,2}} {_RULE_TEXT}"
    r" (?:say|allow|require|permit|forbid|mention|tell)\b",
    rf"\bis there (?:an?|any)(?: [\w'-]+){{0,2}} {_RULE_TEXT}\b",
    r"\bwhat (?:is|does it|do they|was) (?:written|say)\b",
    r"\b(?:quote|recite|cite|repeat) (?:the|your|our|any)(?: [\w'-]+){0,2}"
    r" (?:rules?|lines?|instructions?|polic(?:y|ies))\b",
    rf"{_JA_RULE_TEXT}[^。！？\n]{{0,20}}(?:書い|書か|記載|定め|決ま|従っ|従い|則っ|沿っ|によ[るれりっ]|何|どう)",
    "(?:何|なん)と(?:書|記載|定め)",
    f"(?:根据|根據|按照|依照|依据|依據|遵照|遵守|遵循)[^。！？\\n]{{0,12}}{_ZH_RULE_TEXT}",
    f"{_ZH_RULE_TEXT}[^。！？\\n]{{0,12}}(?:写|寫|说|說|要求|怎么|怎麼|如何|什么|什麼|哪)",
)
"""A prompt that asks what is written, or points at the rules as such."""

ASKS_VERBATIM = _any(
    r"\bverbatim\b",
    r"\bword[- ]for[- ]word\b",
    r"\bletter[- ]for[- ]letter\b",
    r"\bliterally\b",
    r"\bquote\b",
    r"\b(?:exact|original|same|very) (?:words|wording|text|line|sentence)\b",
    r"\bexactly as (?:it is |it's |they are )?(?:written|it stands|worded)\b",
    r"\bunchanged\b",
    "一字一句|一言一句|逐語|原文|そのまま|引用|文言どおり|文言通り",
    "逐字|一字不|照抄|原话|原話|原样|原樣|原句",
)
"""A prompt that asks for the text itself."""

ASKS_FOR_NO_PROVISION = _any(
    r"\bno (?:such )?(?:provisions?|rules?|lines?|instructions?|text|entry|mention)\b",
    r"\bnothing (?:is |there is )?(?:provided|written|stated|said|there)\b",
    r"\bnot (?:provided|stated|written|mentioned|covered)\b",
    "(?:規定|記載|定め|該当|条項|ルール|記述)(?:する(?:もの|記載|規定|行|箇所))?(?:は|が|も|の)?(?:なし|無し|ない|無い|ありません|ございません)",
    "(?:没有|沒有|无|無|未见|未見|未作|未做)(?:任何|相关|相關|此|这样的|這樣的|该|該|明确|明確)*(?:规定|規定|条款|條款|规则|規則|记载|記載|内容|條文|条文)",
    "未(?:规定|規定|提及|涉及|记载|記載)",
)
"""A prompt that says how to answer where there is nothing."""

TELLS_OF_AN_EXPERIMENT = _any(
    r"\b(?:this|it) is (?:only |just |purely |merely |part of )?(?:an? )(?:small |quick |controlled |A/B )?"
    r"(?:test|experiment|trial|simulation|evaluation|benchmark|drill|exercise|measurement|quiz|survey)"
    r"(?=\s*(?:[.,;:!?)]|$)| of (?:you|how)| to (?:see|find|learn)| for you)",
    r"\b(?:in|for|during|as part of) (?:this|our|the) (?:experiment|simulation)\b",
    r"\byou(?:'re| are)(?: currently| now)? (?:being (?:tested|evaluated|measured|observed|assessed|compared|graded)"
    r"|in (?:a|an|the) (?:test|experiment|trial|simulation|sandbox|evaluation))\b",
    r"\b(?:your|the) (?:answers?|repl(?:y|ies)|responses?|choices?) (?:will|is going to|are going to) be "
    r"(?:judged|graded|scored|evaluated|compared|measured|recorded)\b",
    r"\b(?:experimental|baseline|control|treatment|variant) (?:arm|condition|group)\b",
    "これは(?:[^。\\n]{0,8})(?:テスト|実験|試験|評価|検証|シミュレーション|訓練|測定)(?:です|だ|であ|な|。)",
    "(?:実験|評価|測定|検証)の(?:ため|一環)",
    "(?:这|這|本次)(?:是|只是|仅是|僅是)?(?:一|个|個|次|场|場|项|項)*(?:测试|測試|实验|實驗|试验|試驗|评估|評估|模拟|模擬|测评|測評)(?:[，。！,.]|而已|$)",
    "(?:你|您)正在(?:被|接受)(?:测试|測試|评估|評估|考核)",
)
"""A prompt that tells the agent that it is being watched."""

SOUNDS_MADE_UP = _any(
    r"\bimagine\b",
    r"\bpretend\b",
    r"\bhypothetical(?:ly)?\b",
    r"\brole-?play",
    r"\b(?:in|consider) (?:this|the following) scenario\b",
    r"\bsuppose (?:that |you)\b",
    r"\bwhat would you do\b",
    "仮に|想像して|と仮定|という想定",
    "假设|假設|假如你|想象一下|想像一下",
)
"""A prompt that offers a made-up case rather than work at hand."""
