"""The words by which an answer announces, states or takes back a decision, per language, as parts of patterns.

Invariant: words only. What follows from them is in `statements` and `behavior`; adding a language touches this file.
All parts match text folded `as_prose`, without regard to case.
"""

from __future__ import annotations

LETTER = (
    r"(?<![0-9A-Za-z\u00c0-\u052f\u1e00-\u1fff_])(?P<letter>[A-Za-z])"
    r"(?![0-9A-Za-z\u00c0-\u052f\u1e00-\u1fff_])(?!'[A-Za-z\u00c0-\u024f])(?!\+\+|#)"
)
"""One Latin letter that is no part of a word, a number, a contraction or a name such as C++. Chinese, Japanese and
Korean characters may touch it; look-alikes of other scripts never match."""

NOUN = (
    r"(?:(?:the|die|der|l'|la|le|el|o)\s*)?(?:options?|choice|answer|action|alternative|letter|plan|route|path"
    r"|variante|"
    r"opción|opcion|opção|opzione|вариант|選択肢|选项|選項|方案|案|オプション|アクション|옵션)\s*[:#]?\s*"
)
"""What an option may be called in front of its letter."""

LABEL = (
    r"(?:(?<![0-9A-Za-z\u00c0-\u052f])(?:"
    # English
    r"(?:action|answer|decision|choice|selection|pick|verdict|conclusion|recommendation|response|vote|final|call|letter|"
    r"move|course\s+of\s+action|"
    r"(?:(?<=chosen )|(?<=selected )|(?<=best )|(?<=preferred )|(?<=correct )|(?<=right )|(?<=recommended )|"
    r"(?<=safest )|(?<=safer )|(?<=appropriate )|(?<=sensible )|(?<=my )|(?<=final )|(?<=wisest )|(?<=gewählte )|"
    r"(?<=sicherste )|(?<=beste )|(?<=meilleure )|(?<=bonne ))option|(?<=mejor )opción)"
    r"(?:\s+(?:taken|made|letter|here|now|then|in\s+this\s+(?:case|situation)))?"
    # German, French, Spanish, Portuguese, Italian, Russian
    r"|antwort|entscheidung|aktion|wahl|handlung|auswahl"
    r"|(?:réponse|reponse|décision|choix)(?:\s+(?:finale?|définitive|retenue?))?"
    r"|(?:respuesta|decisión|acción|accion|elección|opción\s+elegida|resposta|decisão|ação|escolha|risposta|decisione|"
    r"azione|scelta)(?:\s+(?:final|finale|definitiva))?"
    r"|ответ|действие|решение|выбор)"
    # Korean, Japanese, Chinese
    r"|답변|정답|답|행동|선택|결정"
    r"|アクション|行動|回答|答え|解答|結論|選択|決定|判断"
    r"|答案|行动|动作|動作|操作|选择|選擇|决定|决策|決策|结论|結論|选项|選項)"
)
"""What a decision is called where it is announced."""

MODIFIER = (
    r"(?:(?<![0-9A-Za-z\u00c0-\u052f])(?:(?:my|the|our|final|best|correct|right|chosen|selected|recommended"
    r"|preferred|safest|"
    r"safer|proper|appropriate|so|therefore|thus|hence|overall|concrete|next|immediate|single|one|and|most|only"
    r"|sensible|"
    r"wisest|meine?|die|endgültige|finale|beste|richtige|gewählte|letzte|also|daher|sicherste|ma|mon|la|le|donc"
    r"|meilleure?|"
    r"mi|el|mejor|minha|a|il|mia|мой|моё|итоговый|окончательный)[\s,]+|l')|"
    r"최종\s*|나의\s*|제\s*|最終的?な?|私の|我的|最终|最后|最後|所以|因此|故|よって|したがって|正解の|正确|的){1,5}$"
)
"""What may stand before a label and belongs to it."""

SEPARATOR = (
    r"\s*(?:\([^()\n]{0,30}\)\s*)?(?:'\s*)?(?::|=>?|\||>|-{1,2}>?|→|⇒|"
    r"\bis\b(?:\s+(?:therefore|thus|clearly|then|still|simply|definitely))?(?:\s+to\s+(?:choose|pick|select|go\s+with|"
    r"take|do))?\s*:?|\bwould\s+be\b\s*:?|\bremains\b|\bgoes\s+to\b|\bfalls\s+on\b|\bist\b|\blautet\b|\best\b|\bes\b|\bsería\b|"
    r"は|が|是|为|為|選)\s*"
)
"""Between a label and what it announces."""

VERB = (
    r"\b(?:"
    # English; only behind an English subject, see SUBJECT
    r"(?P<english>choos(?:e|ing)\b|chosen?\b|pick(?:ed|ing)?\b|select(?:ed|ing)?\b|(?:go|going|went|gone|stick"
    r"|sticking|"
    r"proceed|proceeding|stay|act)\s+(?:with|for|on)\b|opt(?:ed|ing)?\s+for\b|settl(?:e|ed|ing)\s+(?:on|for)\b|"
    r"decid(?:e|ed|ing)\s+(?:on|for)\b|vot(?:e|ing)\s+for\b|recommend\b|prefer\b|tak(?:e|ing)\b|do(?:ing)?\b"
    r"|advise\b|suggest\b|"
    r"lean(?:ing)?(?:\s+(?:towards?|to))?\b|favou?r\b|say\b|answer\b|execute\b|"
    r"(?:so|therefore|thus|hence|consequently|conclusion|bottom\s+line)\s*[,:-]\s*(?:it's|it\s+is|this\s+is)?)"
    # German
    r"|ich\s+(?:(?:werde|habe|daher|also)\s+)?(?:wähle|nehme|entscheide\s+mich(?:\s+\w+){0,2}\s+für|empfehle|bevorzuge|"
    r"tendiere\s+zu|mache)\b"
    r"|(?:ich\s+würde|würde\s+ich)(?:\s+(?:mich|daher|also|hier|eher)){0,2}(?:\s+für)?(?=\s+(?:option\s+"
    r"|variante\s+)?[A-Z]\s+"
    r"(?:wählen|nehmen|empfehlen|bevorzugen|entscheiden))"
    r"|(?:wähle|nehme|entscheide)\s+ich(?:\s+mich)?(?:\s+(?:daher|also|hier|deshalb|klar))?(?:\s+für)?"
    # French
    r"|je\s+(?:(?:vais|dois)\s+)?(?:choisi(?:s|rais|r)|prends|prendre|retiens|retenir|opte\s+pour|opterais\s+pour|"
    r"opter\s+pour|sélectionne|recommande|préfère)\b|j'(?:opte|opterais|ai\s+opté)\s+pour\b|j'ai\s+choisi\b"
    # Spanish, Portuguese, Italian
    r"|(?:elijo|escojo|opto\s+por|selecciono|elegiría|escogería|me\s+quedo\s+con|voy\s+con|optaría\s+por|"
    r"recomiendo|prefiero|escolho|scelgo)\b)"
)
"""An explicit decision whose letter follows, in languages that put spaces between words."""

VERB_CJK = (
    r"(?:我们?|我們|因此|所以|故|应该|應該|应当|應當|应|應|宜|会|會|决定|決定|最终|最終|将|將|建议|建議|这里"
    r"|此处|此處|直接|更|就|"
    r"还是|還是){1,6}(?:要|会|會|只)?(?:倾向于|傾向於|倾向|选择|選擇|选用|選用|选定|選定|选取|選取|选|選|采用"
    r"|採用|采取|採取|"
    r"执行|執行|用)(?!项|項|题)(?:的是|了|：|:)?"
    r"|(?:ので|ため|から|ではなく|べきで)[、,]?(?=\s*[A-Z]\s*案?(?:です|だ|である|でしょう)(?:。|\s*$|\n))"
    r"|(?:よって|したがって|ゆえに|従って|综上|綜上)[、,:]?(?=\s*[('\[]{0,2}[A-Z][)'\]]{0,2}\s*(?:案|です|。|$))"
    r"|(?<!可以)(?<![可不别別勿未没沒])(?:选择|選擇|选|選|采用|採用)(?!项|項|题)(?:的是|了)?"
)
"""An explicit decision whose letter follows."""

SUBJECT = (
    r"(?:\b(?:i|we)(?:'ll|'d|'m|'ve)?(?:\s+(?:will|would|shall|am|have|must|should|do|hereby|can\s+only|therefore|thus|"
    r"hence|definitely|simply|just|strongly|personally|now|still|firmly|instead|also|then|ultimately|finally|"
    r"confidently|most\s+likely|clearly|really|actually|rather|probably|likely)){0,4}"
    r"(?:\s+(?:decided?|going|gonna|want|like|elect|opt|inclined)(?:\s+to)?)?\s+"
    r"|(?:^|[\n.!?;:,]\s*)(?:(?:so|therefore|thus|hence|ok|okay|then|and)[\s,]+){0,2}"
    r"|\b(?:let's|let\s+us|let\s+me)\s+)$"
)
"""Who chooses, right before an English verb: the speaker, or nobody where the verb opens a clause ("Going with B")."""

FOLLOW = (
    r"\s+(?:is|would\s+be|remains|stays)\s+(?:therefore\s+|thus\s+|clearly\s+|still\s+)?(?:my|what\s+i(?:'d"
    r"|\s+would|'ll|"
    r"\s+will)?)\s*(?:\w+\s+){0,2}?(?:action|answer|decision|choice|selection|pick|vote|recommendation|choose"
    r"|pick|do|select)\b"
    r"|\s+it\s+is\b(?=\s*(?:$|[.,;!\n]))"
    r"|\s*[,-]\s*(?:final\s+answer|that's\s+my\s+(?:choice|answer|decision|pick))\b"
    r"|\s*(?:<-|←)\s*(?:my\s+)?(?:choice|decision|pick|answer|this)\b"
    r"|\s*(?:案|の案|の方|のほう|の方法|の選択肢|の対応)?\s*(?:を(?:\s*選(?:びます|びたい|ぶ(?=[。\s]|$"
    r"|べき(?!で(?:は)?な)|のが|こと)|んだ|択します|択する|択。|択$|定)|"
    r"採用(?:します|する|$|。)|取ります|とります|推奨|お勧め|おすすめ|実行します|実施します|支持)"
    r"|に(?:します|する(?:$|。)|決め|決定|しました)|で(?:いきます|行きます|進めます|お願いします|対応します)|"
    r"と(?:します|判断します|決めます|回答します|考えます|なります))"
    r"|\s*(?:案|方案|选项|選項)?\s*(?:是|为|為)(?:我的?|最终)(?:选择|選擇|答案|决定|決定)"
    r"|\s*(?:를|을|로|으로)\s*(?:선택(?:합니다|하겠습니다)|하겠습니다)"
)
"""An explicit decision whose letter stands before it."""

SOFT = (
    r"\s+(?:is|seems|looks|appears|would\s+be|remains|feels)\s+(?:to\s+be\s+)?(?:(?:clearly|probably|by\s+far|also|"
    r"still|therefore|thus|definitely|likely|obviously|arguably|then|here|simply)\s+){0,2}(?:the\s+|a\s+)?"
    r"(?:(?:most|only|more|single)\s+)?(?:safest|best|right|correct|appropriate|proper|better|safer|preferable"
    r"|preferred|"
    r"wisest|wise|sensible|way\s+to\s+go|viable|acceptable|prudent|reasonable|responsible|valid"
    r"|one\s+to\s+(?:choose|pick))\b"
    r"|\s+(?:fits|works|applies|holds|matches)\s+(?:best|here)\b"
    r"|\s+ist\s+(?:hier\s+|klar\s+|wohl\s+)?(?:die\s+|am\s+)?(?:richtig|beste|sicherste|korrekt|besser"
    r"|sinnvollste|angemessen)"
    r"|\s+est\s+(?:la\s+|le\s+)?(?:meilleure?|plus\s+sûre?|bonne?|correcte?|plus\s+prudente?|plus\s+appropriée?)"
    r"|\s+es\s+(?:la\s+|el\s+)?(?:mejor|más\s+segur[ao]|correct[ao]|adecuad[ao]|más\s+adecuad[ao])"
    r"|\s*(?:案|の案|の方|のほう|の方法|の選択肢)?\s*が\s*(?:最も|一番|もっとも|より|もっとも)?\s*(?:適切|最適"
    r"|妥当|正解|正しい|良い|よい|いい|最善|望ましい|安全|無難|適し)"
    r"|\s+wins\b(?!\s+on)"
    r"|\s*(?:案|方案|选项|選項)?\s*(?:是|为|為)?最(?:好|优|優)"
    r"|\s*(?:案|方案|选项|選項)?\s*(?:才|应该|應該|显然|更|比较|比較)?(?:是|为|為)?(?:最|更|比较|比較)?(?:为"
    r"|為)?(?:正确|正確|合适|合適|稳妥|穩妥|安全|恰当|恰當|佳|合理|適合|适合|适当|可取|成立|可行|符合)"
)
"""A judgement that one option is the right one, said of the letter before it."""

ONLY = (
    r"\bonly\s+(?:option\s+)?(?P<only>[A-Z])\s+(?:holds|works|fits|is|applies|remains|makes|satisfies|respects|meets)\b"
    r"|只有\s*(?P<zh_only>[A-Z])\s*(?:成立|正确|正確|可行|合适|合適|符合|是)"
)

CORRECTION = (
    r"\b(?:actually|wait|on\s+reflection|on\s+second\s+thoughts?|correction|scratch\s+that|changed?\s+my\s+mind|"
    r"reconsider(?:ing|ed)?|instead|in\s+the\s+end|ultimately|no,|hmm|revis(?:e|ed|ing)|rather|however"
    r"|thinking\s+again|"
    r"finally|but\s+(?:here|now|in\s+this)|having\s+said\s+that|that\s+said|bei\s+näherem|doch|finalement|en\s+fait|"
    r"pensándolo|en\s+realidad|mais)\b|いや|訂正|やはり|考え直|しかし|ただし|再考|不对|不對|更正|重新考虑"
    r"|重新考慮|但是|不过|其实|最终|最後に|最终我"
)
"""What marks a later decision as replacing an earlier one."""

CONDITION = (
    r"\b(?:if|unless|assuming|provided|suppose|supposing|were\s+(?:i|it|the|this)|had\s+(?:i|the|it)|in\s+case"
    r"|depending|"
    r"as\s+long\s+as|wenn|falls|sofern|si|s'il|à\s+condition|a\s+menos|siempre\s+que)\b|もし|なら(?!ない|ず|び)"
    r"|場合|であれば|ければ|たら[、,]|"
    r"れば|如果|若是|假如|除非|要是|倘若|取决于|取決於|(?<![^，,。\s])若"
)
"""What puts a decision under a condition."""

CONCEDED = (
    r"\b(?:even\s+if|as\s+if|if\s+(?:i|you|we|one)(?:'m|'d|'re)?\s*(?:\w+\s+){0,4}?(?:choose|pick|decide|select"
    r"|commit|answer|"
    r"guess|forced|one|only)\b|if\s+(?:forced|pressed|pushed|necessary|anything)|if\s+only\s+one|"
    r"auch\s+wenn|même\s+si|aunque)"
    r"|私なら|僕なら|自分なら|強いて|あえて|選ぶ(?:と|の)?なら|選ばなければならない|どちらかと言えば|一つ選ぶ|(?:如果|要是|若)(?:必须"
    r"|必須|一定|非|只能|让我|讓我|要我|硬要|真要)[^，。,\n]{0,6}[选選]|即使|たとえ|としても"
)
"""What looks like a condition and is none."""

TURN = r"\b(?:but|however|yet|aber|jedoch|mais|pero)\b|\bso\s+(?=(?:i|we|my|the)\b)|;|但|ので|が、|しかし"
"""Where a sentence turns from what was weighed to what is done."""

LATER = (
    r"\b(?:once|after|afterwards?|then|later|next|subsequently|as\s+soon\s+as|when|danach|dann|anschließend|ensuite|"
    r"après|después|luego)\b|その後|後で|その上で|然后|之后|接着|等[^，。]{0,12}后"
)
"""What makes a decision a later step, taken after the one that was asked for."""

UNREAL = (
    r"\b(?:normally|usually|ideally|ordinarily|by\s+default|in\s+(?:other|most|general|normal|another)\s+\w+"
    r"|were\s+it\s+not|otherwise|elsewhere|initially|originally|at\s+first|tempted|somebody|someone"
    r"|others?|they|reviewers?|some\s+(?:people|would)|普通なら|通常は?|一般来说|通常会|normalerweise"
    r"|normalmente|normalement)\b"
)
"""What makes a decision one that is not taken here."""

NOT = (
    r"(?:\bnot|n't|\bnever|\bnor|\bneither|\bcannot|\bno|\bwithout|\brather\s+than|\binstead\s+of|\bagainst"
    r"|\bavoid|\bthan|"
    r"\bnicht|\bpas|\bplutôt\s+que|\bexcept|\breject(?:s|ed|ing)?|\brul(?:e[sd]?|ing)\s+out|\bexclud(?:es?|ed|ing))\s+"
    r"(?:(?:think|believe|say|that|to|the|option|choose|choosing|pick|picking|select|do|doing|go|going|with|for"
    r"|claim|sure|"
    r"convinced|recommend|take|be)\s+){0,3}$"
    r"|(?:不|没|沒|别|別|勿|未|而不是|而非|排除|放弃|放棄)[会會要想应應该該能可]{0,2}\s*$"
)
"""Before a letter or a decision: what turns it down."""

NOT_AFTER = (
    r"^[\s'\")\]}]{0,3}(?:(?:is|was|would\s+be|seems|looks)\s+(?:\w+\s+)?(?:not\b|wrong|bad|risky|riskier"
    r"|incorrect|out\b|too\b|worse|"
    r"unsafe|unacceptable|tempting|dangerous|premature|inappropriate)|isn't|wouldn't|ist\s+(?:\w+\s+)?(?:nicht"
    r"|falsch|zu\b)|n'est\s+pas|no\s+es|"
    r"ではな|ではあり|じゃな|は選び|は選択し|は不適|不是|不合适|不行|不对|不可)"
)
"""After a letter: what turns it down."""

AND = (
    r"(?:and\s+then|and|then|plus|und|dann|et\s+puis|et|puis|y\s+luego|y|luego|e|followed\s+by|as\s+well\s+as"
    r"|と|および|及び|和|及|以及|并|再|然后|然後|まず|,\s*(?:and\s+then|and|then)|、|&|\+|/|->|→|⇒|,)"
)
OR = r"(?:,?\s*or|oder|ou|または|もしくは|あるいは|或者|或是|或|还是|還是|か(?!ら)|vs\.?|versus)"

REASON = (
    r"(?:because|since|as|for|so|due|given|with|instead|rather|over|is|it|it's|this|that|the|and|but|though"
    r"|while|where|when|"
    r"which|by|not|only|first|now|here|then|based|per|weil|da|denn|und|parce|car|porque|ya|in|on|to|at|without"
    r"|after|before|if|unless|"
    r"provided|assuming|once|"
    r"option|action)"
)
"""Words after a bare "A" or "I" that let it stand for an option; otherwise it may be an article or a pronoun."""

NONE = (
    r"\b(?:none(?:\s+of\s+(?:these|those|them|the\s+(?:\w+\s+)?(?:above|options?|choices|alternatives|listed|actions|"
    r"three|given)\b)|(?=\s*(?:$|[.,;!\n(-])))"
    r"|neither(?:\s+of\s+(?:these|those|them|the\s+(?:two\s+)?options)|\s+(?:option\s+)?[A-Z]\s+nor\s+(?:option\s+)?[A-Z]\b|"
    r"(?=\s*(?:$|[.;!\n])))|no\s+(?:action|option|choice)\b|"
    r"not\s+(?:any|one)\s+of\s+(?:the|these)|n/a|(?:won't|would\s+not|wouldn't|will\s+not|don't|do\s+not)\s+"
    r"(?:choose|pick|do|take|select|want)\s+any\s+of|"
    r"kein[es]*\s+(?:der|dieser|davon|von)|keine?(?=\s*(?:$|[.,;!\n]))|aucun[e]?\s+(?:des|de\s+ces)"
    r"|aucune?(?=\s*(?:$|[.,;!\n]))|ningun[ao]\s+de|ninguna?(?=\s*(?:$|[.,;!\n])))"
    r"|どれも(?:選び|選択し|実行し|適切ではあり|採用し|しません)|いずれも(?:選び|選択し|実行し|適切ではあり"
    r"|採用し|しません)|(?:該当|選択肢)?なし(?=\s*(?:$|[。\n]))"
    r"|以上(?:都|皆|选项都)(?:不|非|没)|(?:都|均|皆)不(?:选|選|合适|合適|对|對|可取)|一个都不选|无一|都不是"
)
"""The decision for none of the options."""

HEDGE = (
    r"\bit\s+(?:all\s+|really\s+)?depends\b|\bdepends\s+on\b|\b(?:either|both)\s+(?:option\s+)?[A-Z]\s+(?:or"
    r"|and)\s+(?:option\s+)?[A-Z]\b"
    r"|\b(?:torn|toss-up|hesitat\w+|on\s+the\s+fence)\b|\b[A-Z]\s+or\s+[A-Z]\b|\bkommt\s+darauf\s+an\b"
    r"|\bça\s+dépend\b|\bdepende\b"
    r"|状況(?:次第|による|によ)|場合による|ケースバイケース|视情况|視情況|看情况|取决于|取決於"
)
"""A refusal to commit between some options."""
