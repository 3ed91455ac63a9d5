"""The words by which an answer reports that the governing text lacks a provision, per language.

Invariant: words only; `holes` says what follows from them. Each language has patterns that hold a word for governing
text and its absence, and patterns for what stands before (`_IF`) or after (`_THEN`, `_FINE`) a match that is no
report: a condition, a norm for missing rules, a rule that was kept. All match text folded `as_quotation`.
"""

from __future__ import annotations

import re

# --- English -------------------------------------------------------------------------------------------------------
_FILE = (
    r"(?:[\w./-]{0,40}(?:claude(?:\.local)?\.md|agents\.md|gemini\.md|skill\.md|\.claude)"
    r"|(?:system|developer)\s+prompt)"
)
RULE = (
    r"(?:(?:rule|guideline|instruction|provision|convention|directive|stipulation)s?|polic(?:y|ies)|guidance"
    r"|rulebook|code\s+of\s+conduct)"
)
_KIND = (
    r"(?:(?:such|explicit|specific|written|relevant|applicable|project(?:'s|-level|-specific)?|clear|direct|other|"
    r"further|corresponding|stated|standing|documented|formal|particular|matching|governing|hard|workspace|repository|"
    r"repo|team|style|coding|code|git|commit|merge|release|review|deployment|testing|existing|pre-existing|single|"
    r"additional|concrete|actual|established|loaded|local|security|branch|push|dedicated|binding|official)[\s,]+"
    r"(?:(?:or|and)\s+)?){0,4}"
)
_SUBJECT = (
    rf"(?:(?:the|these|those|my|our|your|this|any|its)\s+)?(?:(?:current|loaded|project(?:'s)?|given|provided|existing|"
    rf"repository(?:'s)?|repo(?:'s)?|workspace(?:'s)?|written|applicable|relevant|standing|available|team(?:'s)?|"
    rf"coding|style|git|house|local|text\s+of\s+the)\s+){{0,3}}"
    rf"(?:{_FILE}|{RULE}|(?:project\s+|rules?\s+|instruction\s+|skill\s+|memory\s+)(?:documentation|docs|file"
    rf"|files|text|set))"
)
_WHERE = rf"(?:in|within|by|anywhere\s+in|across|under|among)\s+(?:any\s+of\s+)?{_SUBJECT}"
_SAY = (
    r"(?:mention|address|cover|say|specify|state|contain|define|discuss|provide|include|have|describe|prescribe|give|"
    r"speak\s+to|touch\s+on|deal\s+with|offer|list|regulate|stipulate|spell\s+out|tell|dictate|indicate|comment\s+on|"
    r"account\s+for|govern|set\s+out|lay\s+down|settle|answer|document)"
)
_SAYS = (
    r"(?:mentions?|address(?:es)?|covers?|says?|said|specif(?:y|ies)|states?|contains?|defines?|provides?"
    r"|includes?|has|"
    r"have|gives?|offers?|lists?|prescribes?|speaks?\s+to|tells?|governs?|deals?\s+with|appl(?:y|ies)|regulates?|"
    r"indicates?|documents?|requires?|dictates?|describes?)"
)
_SAID = (
    r"(?:mentioned|addressed|covered|specified|documented|stated|defined|regulated|described|provided|written|"
    r"spelled\s+out|discussed|prescribed|listed|laid\s+down|settled|governed|stipulated|found|present|included|given)"
)
_ADVERB = (
    r"(?:(?:explicitly|specifically|directly|actually|currently|really|even|clearly|at\s+all|simply|appear\s+to|"
    r"seem\s+to|itself|themselves|anywhere)\s+){0,3}"
)
_NOT = r"(?:does\s+not|doesn't|do\s+not|don't|did\s+not|didn't)"
_NONE = r"(?:nothing|no\b|none|not\s+anything|little\s+or\s+nothing|zero\b)"
# What makes "no rule" a report: a topic, a place, an existence, or the end of the clause.
_ABSENT = (
    r"(?=\s*(?:$|[.,;:!?)\]'\n-])|\s+(?:on|about|for|regarding|covering|concerning|addressing|governing|exists?|here|"
    r"there|in|found|applies|apply|given|specified|stated|provided|that|which|requiring|prohibiting|forbidding|"
    r"telling|to|as\s+to|is\s+(?:given|stated|specified|provided|there|present|available|loaded|defined|recorded)|"
    r"was\s+(?:found|given|provided)|were\s+(?:found|given|provided)|are\s+(?:given|provided|stated|available|loaded)|"
    r"(?:explicitly\s+|specifically\s+|directly\s+)?(?:says?|mentions?|covers?|addresses|governs?|tells?|states?|"
    r"requires?|prescribes?|dictates?|specif(?:y|ies)|deals?|saying|stating)|(?:at\s+all)|"
    r"whatsoever|either|against|around|within|one\s+way|and|or|so|but|beyond|with\s+respect|dealing|applicable|"
    r"available|present|specific\s+to|related\s+to|defined|covers)\b)"
)
ENGLISH = (
    rf"\bno\s+{_KIND}{RULE}{_ABSENT}",
    rf"\b(?:isn't|is\s+not|aren't|are\s+not|wasn't|weren't)\s+(?:a|an|any)\s+{_KIND}{RULE}{_ABSENT}",
    (
        rf"\b{_SUBJECT}\s+{_ADVERB}{_SAYS}\s+{_NONE}(?:\s+(?:\w+\s+){{0,3}}{RULE}|(?=\s+(?:about|on|regarding"
        rf"|of|to|that|"
        rf"concerning|either|here|mention|at\s+all|specific|explicit|guidance|info)|\s*[.,;:)!\n]|\s*$))"
    ),
    rf"\b{_SUBJECT}\s+{_ADVERB}{_NOT}\s+{_ADVERB}{_SAY}\b(?!\s+(?:to|that)\s+be\b|\s+any\s+(?:exception|harm))",
    (
        rf"\b(?:nothing|none\s+of\s+it|no\s+(?:line|section|text|entry|passage|part|mention|word|reference"
        rf"|statement|clause|"
        rf"sentence|paragraph|requirement)(?:\s+(?:on|of|about|for|regarding)\s+[^.\n;:!?]{{1,60}}?)?)\s+"
        rf"(?:(?:is|was|were|are|to\s+be)\s+)?(?:{_SAID}\s+)?(?:(?:about|on|of)\s+(?:\w+\s+){{1,5}})?{_WHERE}\b"
    ),
    rf"\bneither\s+{_SUBJECT}\s+nor\s+{_SUBJECT}\s+{_ADVERB}(?:{_SAYS}|{_SAY})\b",
    rf"\bnone\s+of\s+{_SUBJECT}\s+{_ADVERB}(?:{_SAYS}|{_SAY})\b",
    rf"\b(?:is|are|was|were|'s)\s+(?:not|never|nowhere)\s+{_ADVERB}{_SAID}\s+{_ADVERB}{_WHERE}",
    rf"\b(?:isn't|aren't|wasn't|weren't)\s+{_ADVERB}{_SAID}\s+{_ADVERB}{_WHERE}",
    rf"(?:^|(?<=[.\n:;(,'] )|(?<=[\n(']))not\s+{_ADVERB}{_SAID}\s+{_ADVERB}{_WHERE}",
    rf"\b{_SUBJECT}\s+(?:is|are|remains?|stays?)\s+(?:(?!not\b|never\b)\w+\s+){{0,2}}(?:silent|mute|quiet)\b",
    rf"\b{_SUBJECT}\s+(?:lacks?|omits?|leaves?\s+(?:this|it|that)\s+(?:open|undefined|unspecified|unregulated))\b",
    rf"\b{_SUBJECT}\s+(?:fails?|neglects?)\s+to\s+{_SAY}\b",
    (
        rf"\b(?:can't|cannot|can\s+not|could\s+not|couldn't|do\s+not|don't|did\s+not|didn't|unable\s+to)\s+"
        rf"(?:find|see|locate|identify|spot|have)\s+(?:an?|any|anything|any\s+mention|one)\s*"
        rf"(?:{_KIND}{RULE}{_ABSENT}|[^.\n;:!?]{{0,60}}?\b{_WHERE})"
    ),
    rf"\b(?:find|found|see|saw|located?|have)\s+nothing\s+[^.\n;:!?]{{0,60}}?\b{_WHERE}",
    (
        rf"\b(?:without|absent|lacking|in\s+the\s+absence\s+of)\s+(?:an?\s+|any\s+)?{_KIND}{RULE}\s+"
        r"(?:on|about|for|covering|regarding|to\s+the\s+contrary|that|here|addressing|governing|either)\b"
    ),
    rf"\bin\s+the\s+absence\s+of\s+(?:an?\s+|any\s+)?{_KIND}{RULE}\b",
    rf"\b(?:gap|hole)\s+in\s+{_SUBJECT}",
    rf"\b(?:unspecified|undocumented|unaddressed|unregulated|undefined|not\s+regulated)\s+(?:in|by)\s+{_SUBJECT}",
    (
        rf"\b{_SUBJECT}\s+(?:has|have|contains?)\s+no\s+(?:\w+\s+){{0,3}}(?:rules?|provisions?|section|line|entry"
        rf"|mention|guidance|instructions?|statement)\b"
    ),
)
ENGLISH_IF = re.compile(
    r"(?:\b(?:if|when|whenever|where|wherever|unless|in\s+case|should|suppose|assuming|until|once|whether|while)\s+"
    r"(?:there\s+(?:is|are|were|was)\s+|there's\s+|(?:you|we|i|one)\s+(?:find|see|have)?\s*|it\s+(?:is|finds)\s+)?"
    r"(?:(?:still|really|truly)\s+)?|"
    r"\b(?:say|says|answer|reply|respond|write|report|state|print|output)(?:\s+(?:with|that|exactly|only))*[\s:]*'?|"
    r"\bnot\s+(?:true|correct|right)\s+that\s+|\bnot\s+that\s+|\bno\s+longer\s+that\s+)$",
    re.IGNORECASE,
)
ENGLISH_FINE = re.compile(
    r"^\s*(?:(?:is|was|are|were|has\s+been|would\s+be|gets|being)\s+(?:\w+\s+)?(?:broken|violated|needed|required|"
    r"necessary|breached|ignored|bent)|(?:violations?|breach)\b|of\s+thumb)",
    re.IGNORECASE,
)

# --- Japanese ------------------------------------------------------------------------------------------------------
_JA_RULE = (
    r"(?:規定|規則|ルール|定め|取り決め|指針|ガイドライン|規約|条項|条文|ポリシー|方針|決まり|きまり|指示|規程|手順書)"
)
_JA_TEXT = (
    r"(?:(?:CLAUDE|AGENTS|SKILL|GEMINI)(?:\.local)?\.md|規定|規則|ルール|ガイドライン|規約|指示書|指示|方針|"
    r"スキル|プロジェクトの文書|プロジェクトの設定|システムプロンプト|規程)"
)
_JA_WORD = (
    r"(?:記載|記述|言及|明記|定義|説明|該当箇所|該当部分|該当項目|該当する(?:行|箇所|項目|記載|記述"
    r"|内容)|項目|文言|内容|指定)"
)
_JA_NOT = (
    r"(?:ありません|ございません|無い|ない|なし|無し|無く|なく|見当たりません|見当たらない|見当たらず|見つかりません|"
    r"見つからない|見つからず|見つかりませんでした|見当たりませんでした|存在しません|存在しない|存在せず"
    r"|ありませんでした|なかった|"
    r"含まれていません|含まれていない|されていません|されていない|されておらず|示されていません)"
)
_JA_GAP = (
    r"(?:[はがもを]|自体が|そのものが|について|に関して|としては|等は|などは)?(?:特に|明確に|明示的に"
    r"|具体的に|一切|何も|まったく|全く|現時点では|どこにも|今のところ|読み込まれたルールには)?[はも]?"
)
JAPANESE = (
    rf"{_JA_RULE}{_JA_GAP}{_JA_NOT}",
    (
        rf"{_JA_RULE}(?:に|には|上|上は|の中に|の中には|中に|では)[^。\n、]{{0,30}}?(?:書かれて|記載されて"
        rf"|定められて|触れられて|言及されて|明記されて|規定されて|含まれて|示されて|書いて"
        rf"|述べられて)(?:は)?(?:いません|いない|おらず|ありません|ない)"
    ),
    (
        rf"{_JA_TEXT}(?:に|には|の中に|の中には|内に|内には|上|上は|では|は|を見ても|の範囲では"
        rf"|のどこにも)[^。\n]{{0,40}}?(?:{_JA_WORD}{_JA_GAP}{_JA_NOT}|(?:書かれて|記載されて|定められて|触れられて"
        rf"|触れて|言及されて|言及して|明記されて|規定されて|規定して|含まれて|示されて|書いて|述べられて"
        rf"|定めて)(?:は)?(?:いません|いない|おらず|ありません))"
    ),
    rf"{_JA_TEXT}(?:に|には)(?:何も|特に何も|該当するものは?|該当は)(?:書|記|定|あり|な)",
    r"(?:規定|明文化|明記|定義|明示)され(?:ていません|ていない|ておらず)",
    r"定めら(?:れていません|れていない|れておらず)|定めて(?:いません|おらず)",
)
JA_IF = re.compile(
    r"^(?:もの)?(?:場合|とき|時は|時に|なら|ならば|限り|際|ければ|状況|と(?:き|いう(?:答え|回答)に)|かどうか"
    r"|か(?:を|確認))|^'?と(?:答え|回答|書|報告)(?:て|る|ること)"
)

# --- Chinese -------------------------------------------------------------------------------------------------------
_ZH_RULE = (
    r"(?:规定|規定|条款|條款|规则|規則|规范|規範|准则|準則|指引|指示|约定|約定|守则|守則|指导|指導|指南|政策|明文)"
)
_ZH_KIND = (
    r"(?:任何|相关|相關|明确|明確|具体|具體|对应|對應|针对性|针对|針對|此类|此類|这样|這樣|这条|该|該|此|的"
    r"|适用|適用|专门|專門|"
    r"书面|書面|直接|现成|現成|特别|特別|地|到|过|這方面|这方面|有关|有關|其他|可参考|这一|项目|項目"
    r"|关于[^，。,\n]{1,20}?的|關於[^，。,\n]{1,20}?的|关于|關於){0,6}"
)
_ZH_NO = (
    r"(?:没有|沒有|并无|並無|毫无|尚无|尚無|未见|未見|找不到|未找到|没找到|沒找到|没有找到|沒有找到|没看到"
    r"|看不到|不存在|缺乏|缺少|查无|查無|暂无|暫無|(?<![有毫尚])无(?!需|须|法|论|關|关)|無(?!需|須|法|論|關))"
)
_ZH_TEXT = (
    r"(?:(?:CLAUDE|AGENTS|SKILL|GEMINI)(?:\.local)?\.md|规则|規則|规定|規定|规范|規範|指南|准则|條款|条款|指令"
    r"|项目文档|項目文檔|"
    r"项目说明|系统提示|说明文件|約定|约定|技能|守则)(?:文件|文档|文檔|本身|正文)?(?:中|里|裡|内|內|上|之中|当中)?"
)
_ZH_SAY = (
    r"(?:提及|提到|规定|規定|说明|說明|涉及|涵盖|涵蓋|写明|寫明|包含|指定|说|說|写|寫|定义|定義|要求|覆盖|覆蓋"
    r"|提供|给出|記載|记载|"
    r"交代|指明|约束|列出|谈到|明示|规范|規範|限定)"
)
CHINESE = (
    rf"{_ZH_NO}{_ZH_KIND}{_ZH_RULE}(?!的?(?:必要|问题|問題))(?!时|時|者)",
    (
        rf"{_ZH_TEXT}[，,]?(?:也|都|对此|對此|对[^，。,\n]{{1,20}}?|對[^，。,\n]{{1,20}}?|就此|均|其实|目前"
        rf"|似乎){{0,3}}"
        rf"(?:并没有|並沒有|没有|沒有|并未|並未|未曾|均未|未|没|沒|不曾)(?:任何|明确|明確|具体|具體|直接|专门"
        rf"|對|对此|对这|地){{0,3}}{_ZH_SAY}"
    ),
    (
        rf"{_ZH_TEXT}[，,]?(?:对此|對此|对[^，。,\n]{{1,20}}?|關於[^，。,\n]{{1,20}}?)?(?:只字未提|隻字未提|沉默"
        rf"|保持沉默|空白|未作规定|未作規定|未作说明|没有答案)"
    ),
    r"(?:属于|存在|是)?(?:规则|規則|规定|規定)(?:的)?(?:空白|漏洞|缺失|盲区)",
)
ZH_IF = re.compile(
    r"(?:如果|若是|若|假如|倘若|要是|一旦|除非|凡|当|當|只要|万一|是否|如|回答|回复|答复|则答)[^，。,;；\n]{0,16}$"
)
ZH_THEN = re.compile(r"^(?:[^，。,\n]{0,6}?的?(?:时候|時候)|(?:的)?时[，,]|时|時|的话|的話|的，?(?:应|一律|就|则))")

# --- German, French, Spanish ------------------------------------------------------------------------------------------
_DE_RULE = (
    r"(?:Regel(?:n|ung|ungen)?|Vorgaben?|Vorschrift(?:en)?|Richtlinien?|Bestimmung(?:en)?"
    r"|Anweisung(?:en)?|Festlegung(?:en)?|Konvention(?:en)?)"
)
_DE_TEXT = (
    rf"(?:{_FILE}|(?:(?:die|den|der|meine[nr]?|unsere[nr]?|diese[nr]?|geladenen|vorhandenen)\s+){{0,2}}{_DE_RULE})"
)
GERMAN = (
    (
        rf"\bkeine(?:r|n|rlei)?\s+(?:(?:ausdrückliche|spezifische|explizite|eigene|konkrete|passende"
        rf"|entsprechende|klare|einschlägige|solche|direkte)[rn]?\s+){{0,2}}{_DE_RULE}"
        r"(?=\s*(?:$|[.,;:!\n)'])|\s+(?:zu[mr]?|für|über|dazu|hierzu|hierfür|dafür|darüber|gibt|vorhanden|in"
        r"|bezüglich|gefunden|finden|enthalten|vorgesehen|die|besteht)\b)"
    ),
    (
        rf"\b{_DE_TEXT}\s+(?:sag(?:t|en)|enth(?:ält|alten)|erwähn(?:t|en)|regel(?:t|n)|schreib(?:t|en)|nenn(?:t|en)"
        rf"|mach(?:t|en)|geb(?:en)|gibt|äußer(?:t|n)\s+sich)\s+(?:\w+\s+){{0,4}}?(?:nichts|nicht\b|keine)"
    ),
    rf"\b(?:in|laut)\s+{_DE_TEXT}\s+(?:steht|findet\s+sich|ist|wird)\s+(?:\w+\s+){{0,4}}?(?:nichts|nicht\b|kein)",
    rf"\bnichts\s+(?:\w+\s+){{0,2}}in\s+{_DE_TEXT}",
    rf"\bnicht\s+in\s+{_DE_TEXT}\s+(?:geregelt|erwähnt|festgelegt|enthalten|beschrieben|vorgesehen)",
    rf"\b{_DE_TEXT}\s+schweig(?:t|en)\b",
)
_FR_RULE = r"(?:règles?|dispositions?|consignes?|directives?|instructions?|politiques?|conventions?)"
_FR_TEXT = rf"(?:{_FILE}|(?:les?|la|aucune\s+des|ces|mes|nos)\s+(?:{_FR_RULE}|fichier\s+{_FILE}))"
FRENCH = (
    (
        rf"\baucune\s+(?:(?:autre|telle)\s+)?{_FR_RULE}(?:\s+(?:explicite|spécifique|particulière|précise"
        rf"|écrite|claire)s?){{0,2}}"
        r"(?=\s*(?:$|[.,;:!\n)'])|\s+(?:sur|pour|concernant|à|relative|dans|prévue|là-dessus|existe|qui"
        r"|n'existe|n'est\s+(?:prévue|donnée|mentionnée)|"
        r"ne\s+(?:mentionne|dit|précise|prévoit|couvre|traite|parle|porte))\b)"
    ),
    (
        rf"\bpas\s+de\s+{_FR_RULE}(?:\s+(?:explicite|spécifique|particulière|précise)s?)?(?=\s*(?:$|[.,;:!\n)'])"
        rf"|\s+(?:sur|pour|concernant|à\s+ce|dans|relative)\b)"
    ),
    (
        rf"\b{_FR_TEXT}\s+n(?:e\s+|')(?:\w+\s+){{0,2}}?(?:mentionn\w+|di(?:t|sent)|précis\w+|prévoi\w+|couvr\w+"
        rf"|abord\w+|indiqu\w+|contien\w+|spécifi\w+|parl\w+|traite\w*|évoqu\w+)\s+(?:pas|rien|aucun)"
    ),
    rf"\brien\s+(?:\w+\s+){{0,3}}dans\s+{_FR_TEXT}",
    rf"\b{_FR_TEXT}\s+(?:est|sont|reste|restent)\s+(?:muette?s?|silencieu(?:x|ses?))",
)
_ES_RULE = (
    r"(?:reglas?|normas?|disposici(?:ón|ones)|directri(?:z|ces)|instrucci(?:ón|ones)|políticas?"
    r"|convenci(?:ón|ones)|pautas?)"
)
_ES_TEXT = rf"(?:{_FILE}|(?:las?|los?|el|estas|mis)\s+(?:{_ES_RULE}|archivo\s+{_FILE}))"
SPANISH = (
    (
        rf"\b(?:no\s+(?:hay|existe|existen|encuentro|encontré|se\s+encontró|veo)|sin|ninguna)\s+(?:(?:ninguna?"
        rf"|alguna|una)\s+)?{_ES_RULE}"
        r"(?:\s+(?:explícita|específica|concreta|clara|escrita|aplicable)s?){0,2}(?=\s*(?:$|[.,;:!\n)'])"
        r"|\s+(?:sobre|para|que|acerca|al\s+respecto|en|relativa|de\s+este)\b)"
    ),
    (
        rf"\b{_ES_TEXT}\s+no\s+(?:\w+\s+){{0,2}}?(?:mencion\w+|dicen?|especific\w+|cubren?|contempl\w+|abord\w+"
        rf"|indic\w+|conten\w+|contien\w+|precis\w+|trata\w*|habla\w*|establec\w+)"
    ),
    rf"\b(?:nada|ninguna\s+mención)\s+(?:\w+\s+){{0,3}}en\s+{_ES_TEXT}",
    rf"\b{_ES_TEXT}\s+(?:guardan?\s+silencio|callan?)",
)
LATIN_IF = re.compile(
    r"\b(?:wenn|falls|sofern|solange|ob|si|s'il|lorsque|quand|cuando|donde|en\s+caso\s+de\s+que|à\s+moins\s+que)\s+"
    r"(?:es\s+|il\s+|dazu\s+|(?:il\s+)?n'(?:y\s+a|existe)\s+|l'on\s+)?$",
    re.IGNORECASE,
)

ENGLISH_ABSENCE = re.compile(
    r"\bno|n't|\bnone|\bneither|\bnothing|silent|mute|quiet|lack|omit|leaves?|fail|neglect|cannot|unable|without|absen|gap|hole|"
    r"\bun(?:spec|doc|add|reg|def)|zero|little",
    re.IGNORECASE,
)
