"""How English puts each type of question."""

from typing import Final

from services.query.patterns.base import TypePatterns
from services.query.values import QueryType

_COMPARATIVE = TypePatterns(
    decisive=(
        r"which (?:one )?(?:is|are|was) (?:the )?(?:more|less|\w+er|\w+est|best|worst)",
        r"(?P<same>\w{4,})\b …\b(?:gegen|against|contre|contra) …\b(?P=same)",
        r"(?:measures?|stacks?) up|or [^?\n,]{1,40}, (?:which|who|what)|both …\bthe same|fares?"
        r" against",
        r"compar(?:e|es|ed|ing|isons?)",
        r"differences?|differ|differs|differed|differing|differently|diverges?|divergences?",
        r"distinguish(?:es)?|sets? …apart|tell …apart|distinctions? between",
        r"vs\.?|versus|as opposed to|side by side|head to head|measured against",
        r"similarit(?:y|ies)|in common|parallels between|overlap between",
        r"which (?:one )?of (?:the |these |those |our |my )?(?:two|three|both|\w+ (?:two|three))\b",
        r"pros and cons of …(?:two|both|over|versus)",
        r"(?:advantages?|benefits?|drawbacks?) …\b(?:over|compared|than)",
        r"(?:go|goes|went) (?:further|beyond) …than|(?:gone|go) beyond",
        r"what(?:'s| is| has| have)? (?:new|changed) (?:in|between|since|from|with) …\b(?:version"
        r"|edition|draft|revision|amendment)\w*",
        r"changed? …\b(?:between|from …to)",
    ),
    clear=(
        r"up or down|since the (?:last|previous|first|old) (?:version|edition|draft|report|issue)"
        r"|agree(?:s|d)? (?:on|with)",
        r"which …\b(?:is|are|has|offers?|gives?) (?:the )?(?:\w+est|most \w+|least \w+|worst)"
        r" ?\w*$|(?:is|are|was|were) …\bdifferent$",
        r"(?!(?:other|rather|more|less|later|earlier|longer|older|no \w+) than)(?:\w+er|worse"
        r"|better|(?:more|less|fewer) \w+(?: \w+)?) (?:\w+ ){0,8}?than(?! (?:\d|one |two |three "
        r"|ten |a month|a year))",
        r"(?:more|less) (?:\w+ ){1,4}than(?! \d)",
        r"as \w+ as",
        r"different (?:from|to|than)|unlike|in contrast(?: to| with)?|contrasts?",
        r"similar to|alike|identical|equivalent to|the same (?:as|in|for)|match up|correspond with",
        r"(?:better|best|worse|worst|stricter|cheaper|safer|faster|larger|smaller|\w+ier) …,?"
        r" \w+(?: \w+)? or",
        r"which …\b(?:better|worse|stricter|cheaper|safer|more \w+|less \w+|\w+ier|\w+er)\b"
        r" …\bor\b",
        r"rank|ranking|relative to|weigh …against|both …agree|disagree|contradict(?:s|ory)?",
    ),
    hint=(
        r"pros and cons|advantages? and disadvantages?|trade-?offs?|alternatives?",
        r"both|two versions|respectively",
    ),
)
_RELATIONAL = TypePatterns(
    decisive=(
        r"superiors?|line manager|points? to|(?:is|are|was|were) …\b(?:connected|linked|related"
        r"|based)$|^on (?:what|which) …\bbased",
        r"oversees?|overseen|supervis\w+|who (?:appointed|employs|supervises)",
        r"relationships?|interrelat\w+|relate[sd]? to each other|relations? (?:between|of|to|with)",
        r"connections?|connected (?:to|with)|connects?|links? (?:between|to|with|together)|linked",
        r"what links|tied to|ties (?:between|to)|associat(?:ed|ion) with|have to do with",
        r"reports? to|reporting (?:line|chain)s?|supervis(?:es|ed by)|superior of|subordinate\w*",
        r"(?:refer|refers|referring|referred) (?:back )?to|cross-?references?|cross-?refers?",
        r"(?:cite|cites|cited|citing)(?: by)?|interplay|interact(?:s|ion)?",
    ),
    clear=(
        r"how (?:do|does|are|is) …\b(?:relate|related|connect|fit together|hang together|fit in"
        r"|fit into|tie in|work together|interact)\w*",
        r"(?:is|are|was|were) …\brelated",
        r"(?:based|rests?|resting|rely|relies|depends?|dependent|builds?|built) on|derived? from",
        r"(?:amend(?:s|ed)|repeal(?:s|ed)|supersed(?:es|ed)|replac(?:es|ed)|implement(?:s|ed)"
        r"|transpos(?:es|ed)|governed|issued|adopted|enacted|covered)(?: by| under| pursuant to)",
        r"which …\b(?:implements?|transposes?|amends?|repeals?|supersedes?|replaces)",
        r"role (?:of|do|does|did) …\b(?:in|for|play)|plays? …role",
        r"part of|belongs? to|members? of|subsidiar\w+|parent company|affiliat\w+|owned by|owns?",
        r"work(?:s|ed)? (?:with|together|for|under)|appointed by|answers? to|accountable to",
        r"share[sd]? the same|has …in common with|who else|legal basis (?:of|for)|hierarchy",
    ),
    hint=(r"network|chain of command|involved (?:in|with)|affects?|influences?",),
)
_PROCEDURAL = TypePatterns(
    decisive=(
        r"(?:explain|describe|show|tell)(?: \w+){0,2} how to|explain(?: \w+){0,3} how",
        r"what (?:is|are|do (?:i|we|you)) need(?:ed)? (?:to|for|in order)",
        r"(?:guide|lead|run|step)(?: me| us) through|what(?:'s| is) next|what then",
        r"how to|how (?:do|can|should|must|would|shall|may|could) (?:i|we|you|one)",
        r"steps? (?:for|to|in|of|are|do|must|needed|involved)|step by step|what are the steps",
        r"walk (?:me|us) through|talk (?:me|us) through|take (?:me|us) through|show me how",
        r"order of operations|in (?:what|which) (?:order|sequence)|checklist|instructions?",
        r"(?:correct|right|proper|best|usual|quickest) (?:way|procedure|manner|method) (?:to|of"
        r"|for)",
        r"(?:what|which) (?:do|must|should|shall|can) (?:i|we|you|one) (?:have to |need to )?do",
        r"what(?:'s| is| are) the (?:\w+ )?(?:process|procedures?|workflow|routine|protocol)",
        r"what (?:has|have|needs?|must|is|are|should|ought) (?:to )?(?:be )?done",
        r"next steps?|what (?:comes|happens|do (?:i|we) do) next|what now|how does one",
        r"explain …\bhow (?:to|\w+ (?:is|are))",
    ),
    clear=(
        r"where (?:do|can|should|must) (?:i|we)|how (?:does|do) (?:that|it|this) work|(?:paperwork"
        r"|papers|documents|forms) …\b(?:required|needed|necessary)",
        r"how (?:should|must|shall|ought)|(?:has|have|needs?|must) (?:to )?be (?:told|notified"
        r"|informed|contacted|called)",
        r"procedures?|process(?:es)? (?:for|of|to)|the process|workflow|protocols? for",
        r"how (?:is|are|does|do|should|must|can|will) …\b(?:done|made|performed|carried|carry"
        r"|conducted|prepared|handled|submitted|registered|calculated|calibrated|measured|reported"
        r"|recorded|stored|disposed|tested|checked|cleaned|set up|applied|obtained|requested|filed"
        r"|documented|managed|determined|chosen|assigned|renewed|processed|organi[sz]ed|approved"
        r"|appointed|notified|replaced|installed|removed|verified|implemented|labell?ed)",
        r"(?:what|which) (?:\w+ ){0,3}(?:do|must|should|shall) (?:i|we|you) (?:need|have|submit"
        r"|provide|hand in|bring|file|enclose|fill|send|attach|consider|check|observe)\w*",
        r"need to (?:do|submit|provide|file|apply)|guide (?:to|for)|manual for|recipe|tutorial",
        r"who (?:do|must|should) (?:i|we) (?:contact|notify|inform|call|ask|tell)",
        r"reproduce …\b(?:protocol|procedure|steps|method)|ways? to",
        r"(?:before|after) …,? what (?:do|must|should)",
    ),
    hint=(
        r"^(?:get|getting|apply|applying|request|requesting|register|registering|submit|submitting"
        r"|report|reporting|dispos\w+|terminat\w+|cancel\w*|renew\w*|chang\w+|replac\w+|instal\w+"
        r"|calibrat\w+|prepar\w+|setting|set|order\w*|book\w*|transport\w*|clean\w*|appoint\w*)",
        r"apply for|application for|steps?|how (?:is|are)|method for|what to do",
    ),
)
_ANALYTICAL = TypePatterns(
    decisive=(
        r"why|how come|what(?:'s| is| was) behind|what (?:explains?|caused|causes|led to|drives)",
        r"reasons? (?:for|why|behind|that|does|do|is)|rationale|root causes?|what for",
        r"(?:what|which) (?:\w+ ){0,4}(?:consequences|implications|repercussions|ramifications)",
        r"^(?:(?:can|could|would) you |please )*(?:analy[sz]e|evaluate|assess|judge|critici[sz]e"
        r"|critique|appraise|interpret|scrutini[sz]e)",
        r"to what extent|how (?:likely|serious|reliable|convincing|realistic|plausible|robust"
        r"|sound|credible|risky|critical|significant|well|solid|effective|justified)",
        r"make(?:s)? sense|is it (?:wise|worth|sensible|reasonable|worthwhile)|worth (?:it|\w+ing)",
    ),
    clear=(
        r"(?:what|which) effects?|downsides?|upsides?|pitfalls?|how (?:did|does|will) …\baffect"
        r"|\w+ enough (?:to|for)",
        r"too (?-i:[a-z])\w+$|supports? (?:the|this|that)|backs? up|(?:could|might|may|would)"
        r" explain",
        r"(?<=\n)(?:is|are|does|do|must|may|can|should|will|has|have|did)",
        r"violat\w+|infring\w+|(?:in|a) breach|for (?:what|which) reasons?",
        r"(?:can|may|must|could|should) …\bstill|go(?:es)? wrong|went wrong|fail(?:s|ed|ure"
        r"|ures)?(?: to)?|explain why",
        r"(?:consequences?|implications?|repercussions?|ramifications?|impacts?|effects?) (?:of"
        r"|for|on|would|could|will|does|do|follow|if)",
        r"what (?:would|could|might) (?:happen|follow|change|go wrong)|what if|suppose|supposing",
        r"^(?:is|are|was|were|does|do|would|could|how|can) …\b(?:enforceable|valid|lawful|legal"
        r"|justified|justifiable|plausible|convincing|reasonable|sufficient|adequate|defensible"
        r"|appropriate|realistic|sound|compliant|admissible|tenable|feasible|safe|fair"
        r"|proportionate|consistent)(?=$|,| (?:as|to|if|when|given|in|under|for|by|enough|after"
        r"|with|because|despite|and|or|on|against)\b)",
        r"^(?:would|could|should|might|ought)(?! you)",
        r"(?:should|ought|would|could) (?:we|i|the \w+|a \w+|our \w+) (?:\w+ ){0,6}?(?:worry"
        r"|concerned|have to|be able|be better|still|rather|sign|accept|stop|risk|refuse|appeal)",
        r"risks?|strengths? (?:and|of the argument)|weakness(?:es)?|flaws?|hold(?:s)? up"
        r"|stand(?:s)? up|speaks? (?:for|against)|loopholes?|arguments? (?:for|against)|case"
        r" (?:for|against)|drawbacks? of",
        r"what (?:does|do|did) …\bmean for|mean(?:s)? for (?:us|our|me)|affect(?:s)? (?:us|our|my)",
        r"(?:is|are|was|were) …\benough|does (?:that|this|it) (?:mean|suffice|count)|comply"
        r"|complies",
        r"can we (?:still|conclude|rely|get away|be held)|conclusions? …\bdraw|infer",
        r"overstates?|understates?|justify|justifies|undermines?|contributed? to|responsible for"
        r" the",
        r"purpose (?:of|behind)|significance of|importance of|point of|recommend\w*|advis(?:e"
        r"|able)",
    ),
    hint=(
        r"^(?:is|are|does|do|can|may|must|will|has|have) (?:our|my)",
        r"what happens if|what happens when|depends|likely|problem(?:s|atic)?|critical",
        r"(?:we|our \w+|i|my \w+) (?:\w+ ){0,8}?(?:does|do|is|are|must|can) (?:that|this|we|it|i)",
        r"(?:are|is|do|does|can|may|must|will) (?:we|our \w+) (?:\w+ ){0,3}?(?:have|liable|need"
        r"|obliged|required|covered|allowed|exempt)",
    ),
)
_EXPLORATORY = TypePatterns(
    decisive=(
        r"anything (?:new|interesting|important|about|on)|what(?:'s| is) new",
        r"(?:need|want|would like|trying) to (?:understand|get to know|learn)",
        r"get (?:me |us )?started|introduce|essentials?|most important (?:points?|things?|parts?)",
        r"overviews?|summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|in a nutshell|outline|sum up|recap|gist",
        r"tell me (?:more )?about|everything (?:about|on|there is)|all about|know about",
        r"(?:what|which) (?:are |is |were )?(?:the )?(?:main|key|central|major|most important)"
        r" (?:themes?|topics?|points?|ideas?|issues?|messages?|takeaways?|findings?|aspects?"
        r"|subjects?|contents?|results?|lessons?|features?|concepts?|areas?|duties|obligations)",
        r"(?:main|key|central) (?:themes?|topics?|points?|takeaways?|messages?|ideas?|findings?)",
        r"what (?:is|are|was|were) …\b(?:about|all about)$",
        r"what (?:do|does|did) …\b(?:say|tell us|cover|deal with|discuss|contain|have to say"
        r"|address)",
        r"introduc(?:e|tion)|primer|crash course|basics|fundamentals|essentials|landscape of",
        r"(?:what|anything) (?:should|do|must|ought) (?:i|we|one) (?:to )?(?:need to )?know",
        r"big picture|bird's[- ]eye|state of (?:the art|play|research|knowledge)|bring me up to"
        r" (?:speed|date)|get (?:me |us )?(?:up to speed|acquainted)|familiari[sz]e|brief me"
        r"|briefing",
        r"(?:topics?|themes?|subjects?|issues|areas) …\b(?:covered|come up|addressed|discussed"
        r"|dealt|raised|recur\w*)|what (?:kind|kinds|sort|sorts) of (?:topics?|things|issues)",
    ),
    clear=(
        r"(?:what|which) (?:topics?|themes?|subjects?)|what (?:do )?we have on|show me what",
        r"^(?:please )?(?:explain|describe|present|explore|discuss|sketch|characteri[sz]e)",
        r"(?:rough|general|broad) (?:idea|picture|understanding|sense)|an idea of|feel for",
        r"background (?:on|to|of)|survey of|round-?up|highlights|new here|i(?:'d| would) like to"
        r" (?:understand|learn|get)|learn about|get into|what's in|what is (?:there )?in (?:the|my"
        r"|our)",
        r"what (?:information|material) (?:is there|do (?:we|i) have|exists)|context of|history of",
        r"how (?:does|do|is|are) …\b(?:work|regulated|organi[sz]ed|structured|treated|dealt with)",
    ),
    hint=(r"about|themes?|topics?|generally|in general|roughly|broadly|important",),
)
_FACTUAL = TypePatterns(
    decisive=(),
    clear=(
        r"allow(?:s|ed)?|permit(?:s|ted)?|prohibit(?:s|ed)?|forbidden",
        r"^(?:give|state|quote|provide) (?:me )?(?:the|a)",
        r"^(?:the )?(?:\w+ ){0,2}(?:half-life|representative|owner|location|place|activity|height"
        r"|width|length|employer|beneficiary|contact|insurer|landlord|tenant|manufacturer|serial"
        r" number|password|iban)",
        r"^(?:please )?tell me (?:the|which|who|when|where|what|how (?:many|much))",
        r"^(?:the )?(?:\w+ ){0,3}(?:date|deadline|period|amount|number|name|address|limit|maximum"
        r"|minimum|price|cost|fee|temperature|value|threshold|term|duration|size|weight|frequency"
        r"|rate|phone|e-?mail|author|version|title|salary|rent|deposit|capacity)",
        r"how (?:many|much|long|often|high|low|old|large|big|far|fast|deep|thick|heavy|hot|soon"
        r"|late|frequently|wide|tall|small|warm|cold|strong)",
        r"^(?:since |until |by |from |as of )?when|^(?:at |on |by |in |from )?(?:what|which)"
        r" (?:date|day|year|month|time|point|age|temperature|address|page|section|value|dose"
        r"|level)",
        r"^who(?:se|m)?|^where|what(?:'s| is) (?:the|his|her|its) (?:name|title|number|date"
        r"|address|deadline|limit|maximum|minimum|value|amount|price|cost|definition|term|period"
        r"|unit|status)",
        r"(?:know|tell me|check|confirm) (?:whether|if|which|what|who|when|where)|defin(?:e|ed|es"
        r"|ition)|what (?:does|do) …\bmean|meaning of|what is meant|stands? for",
        r"(?:above|below|beyond|over|under|from|at|up to) (?:what|which)",
        r"^(?:please )?(?:list|name|find|locate|quote|state|give me (?:the|all|every)|enumerate)",
        r"mention(?:s|ed|ing)?|appears?|occurs?|spell(?:s|ed) out",
    ),
    hint=(
        r"(?:maximum|minimum|deadline|notice period|expiry|expir(?:es?|ation)|in force)",
        r"allowed|permitted|prohibited|forbidden|required|mandatory|compulsory|whether",
        r"(?:do you have|is there|are there|which (?:page|sheet|table|form|section|article)s?)",
    ),
)

TYPES: Final[dict[QueryType, TypePatterns]] = {
    "comparative": _COMPARATIVE,
    "relational": _RELATIONAL,
    "procedural": _PROCEDURAL,
    "analytical": _ANALYTICAL,
    "exploratory": _EXPLORATORY,
    "factual": _FACTUAL,
}
