"""How English asks."""

from typing import Final

from services.query.patterns.base import Asking, Splitting, Table, TypePatterns

_THING: Final = r"(?:the |an? |our |my )?(?P<{}>[^,;:?\n]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_FILES: Final = r"(?:documents?|docs?|files?|pdfs?|uploads?)"
_STORE: Final = (
    r"(?:database|collections?|library|corpus|index|knowledge base|catalogu?e|archive|store)"
)
_PERSON: Final = r"(?:i|we|you|one|they|somebody|someone|an? \w+|the \w+)"

_COMPARATIVE = TypePatterns(
    decisive=(
        r"compar(?:e|es|ed|ing|isons?)",
        r"differences?|differ|differs|differed|differing|differently|diverges?|divergences?",
        r"distinguish(?:es)?|sets? …apart|tell …apart|distinctions? between",
        r"vs\.?|versus|as opposed to|side by side|head to head|measured against",
        r"similarit(?:y|ies)|in common|parallels between|overlap between",
        r"which (?:one )?of (?:the |these |those )?(?:two|three|both|\w+ (?:two|three))\b",
        r"pros and cons of …(?:two|both|over|versus)",
        r"(?:advantages?|benefits?|drawbacks?) …\b(?:over|compared|than)",
        r"(?:go|goes|went) (?:further|beyond) …than|(?:gone|go) beyond",
        r"what(?:'s| is| has| have)? (?:new|changed) (?:in|between|since|from|with)"
        r" …\b(?:version|edition|draft|revision|amendment)\w*",
        r"changed? …\b(?:between|from …to)",
    ),
    clear=(
        r"(?!(?:other|rather|more|less|later|earlier|longer|older|no \w+) than)"
        r"(?:\w+er|worse|better|(?:more|less|fewer) \w+(?: \w+)?) (?:\w+ ){0,8}?than"
        r"(?! (?:\d|one |two |three |ten |a month|a year))",
        r"(?:more|less) (?:\w+ ){1,4}than(?! \d)",
        r"as \w+ as",
        r"different (?:from|to|than)|unlike|in contrast(?: to| with)?|contrasts?",
        r"similar to|alike|identical|equivalent to|the same (?:as|in|for)|match up|correspond with",
        r"(?:better|best|worse|worst|stricter|cheaper|safer|faster|larger|smaller|\w+ier)"
        r" …,? \w+(?: \w+)? or ",
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
        r"procedures?|process(?:es)? (?:for|of|to)|the process|workflow|protocols? for",
        r"how (?:is|are|does|do|should|must|can|will) …\b(?:done|made|performed|carried|carry"
        r"|conducted|prepared|handled|submitted|registered|calculated|calibrated|measured|reported"
        r"|recorded|stored|disposed|tested|checked|cleaned|set up|applied|obtained|requested"
        r"|filed|documented|managed|determined|chosen|assigned|renewed|processed|organi[sz]ed"
        r"|approved|appointed|notified|replaced|installed|removed|verified|implemented|labell?ed)",
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
        r"(?:analy[sz]e|evaluate|assess|judge|critici[sz]e|critique|appraise|interpret"
        r"|scrutini[sz]e)",
        r"to what extent|how (?:likely|serious|reliable|convincing|realistic|plausible|robust|sound"
        r"|credible|risky|critical|significant|well|solid|effective|justified)",
        r"make(?:s)? sense|is it (?:wise|worth|sensible|reasonable|worthwhile)|worth (?:it|\w+ing)",
    ),
    clear=(
        r"(?:consequences?|implications?|repercussions?|ramifications?|impacts?|effects?) "
        r"(?:of|for|on|would|could|will|does|do|follow|if)",
        r"what (?:would|could|might) (?:happen|follow|change|go wrong)|what if|suppose|supposing",
        r"(?:enforceable|valid|lawful|legal|justified|justifiable|plausible|convincing|reasonable"
        r"|sufficient|adequate|defensible|appropriate|realistic|sound|compliant|admissible|tenable"
        r"|feasible|safe|fair|proportionate|consistent)\b(?! (?:than|from|until|for|version))",
        r"^(?:would|could|should|might|ought)",
        r"(?:should|ought|would|could) (?:we|i|the \w+|a \w+|our \w+) (?:\w+ ){0,6}?(?:worry"
        r"|concerned"
        r"|have to|be able|be better|still|rather|sign|accept|stop|risk|refuse|appeal)",
        r"risks?|strengths? (?:and|of the argument)|weakness(?:es)?|flaws?|hold(?:s)? up"
        r"|stand(?:s)? up|speaks? (?:for|against)"
        r"|loopholes?|arguments? (?:for|against)|case (?:for|against)|drawbacks? of",
        r"what (?:does|do|did) …\bmean for|mean(?:s)? for (?:us|our|me)|affect(?:s)? (?:us|our|my)",
        r"(?:is|are|was|were) …\benough|does (?:that|this|it) (?:mean|suffice|count)|comply"
        r"|complies",
        r"can we (?:still|conclude|rely|get away|be held)|conclusions? …\bdraw|infer",
        r"overstates?|understates?|justify|justifies|undermines?|contributed? to|responsible"
        r" for the",
        r"purpose (?:of|behind)|significance of|importance of|point of|recommend\w*|advis(?:e"
        r"|able)",
    ),
    hint=(
        r"what happens if|what happens when|depends|likely|problem(?:s|atic)?|critical",
        r"(?:we|our \w+|i|my \w+) (?:\w+ ){0,8}?(?:does|do|is|are|must|can) (?:that|this|we|it|i)",
        r"(?:are|is|do|does|can|may|must|will) (?:we|our \w+) (?:\w+ ){0,3}?(?:have|liable|need"
        r"|obliged|required|covered|allowed|exempt)",
    ),
)
_EXPLORATORY = TypePatterns(
    decisive=(
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
        r"^(?:please )?(?:explain|describe|present|explore|discuss|sketch|characteri[sz]e)",
        r"(?:rough|general|broad) (?:idea|picture|understanding|sense)|an idea of|feel for",
        r"background (?:on|to|of)|survey of|round-?up|highlights|new here|i(?:'d| would) like to"
        r" (?:understand|learn|get)|learn about|get into|what's in|what is (?:there )?in (?:the"
        r"|my|our)",
        r"what (?:information|material) (?:is there|do (?:we|i) have|exists)|context of|history of",
        r"how (?:does|do|is|are) …\b(?:work|regulated|organi[sz]ed|structured|treated|dealt with)",
    ),
    hint=(r"about|themes?|topics?|generally|in general|roughly|broadly|important",),
)
_FACTUAL = TypePatterns(
    decisive=(),
    clear=(
        r"^(?:the )?(?:\w+ ){0,3}(?:date|deadline|period|amount|number|name|address|limit|maximum"
        r"|minimum|price|cost|fee|temperature|value|threshold|term|duration|size|weight|frequency"
        r"|rate|phone|e-?mail|author|version|title|salary|rent|deposit|capacity)",
        r"how (?:many|much|long|often|high|low|old|large|big|far|fast|deep|thick|heavy|hot|soon"
        r"|late"
        r"|frequently|wide|tall|small|warm|cold|strong)",
        r"^(?:since |until |by |from |as of )?when|^(?:at |on |by |in |from )?(?:what|which)"
        r" (?:date|day|year|month|time|point|age|temperature|address|page|section|value|dose"
        r"|level)",
        r"^who(?:se|m)?|^where|what(?:'s| is) (?:the|his|her|its) (?:name|title|number|date|address"
        r"|deadline|limit|maximum|minimum|value|amount|price|cost|definition|term|period|unit"
        r"|status)",
        r"(?:know|tell me|check|confirm) (?:whether|if|which|what|who|when|where)|defin(?:e|ed"
        r"|es|ition)|what (?:does|do) …\bmean|meaning of|what is meant|stands? for",
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

TABLE: Final = Table(
    types={
        "comparative": _COMPARATIVE,
        "relational": _RELATIONAL,
        "procedural": _PROCEDURAL,
        "analytical": _ANALYTICAL,
        "exploratory": _EXPLORATORY,
        "factual": _FACTUAL,
    },
    facts=(
        r"^(?:what|which|who|whom|whose|where|when)|(?:what|which|who|where|when)$",
        r"^(?:is|are|was|were|do|does|did|has|have|had|can|may|must|will|shall)",
        r"(?:what|which|who|where|when) (?:is|are|was|were|does|do|did|has|have)",
    ),
    reasons=(r"^(?:why|how)", r"how (?:is|are|does|do|did)"),
    fragments=(
        r"(?:ok(?:ay)?|yes|no|thanks?|thank you|please|hello|hi|hey|good (?:morning|evening|day)"
        r"|great|fine|sure|right|cool|perfect|bye)(?:[ ,.!]+\w+){0,3}",
        r"(?:and |but |so )?(?:the )?(?:other|first|second|third|last|next|same)(?: \w+)?"
        r"(?: again| please)?",
        r"(?:and |but )?(?:what about |how about )?(?:it|that|this|those|them|him|her|these|you)",
        r"(?:can|could) you (?:repeat|say|explain) (?:that|it|this)?(?: again)?|say (?:it|that)"
        r" again",
        r"(?:is |was )?(?:that|this|it) (?:true|right|correct|so|ok(?:ay)?)|really|go on|more"
        r"|continue",
        r"(?:the|that) (?:usual|thing|one)(?: \w+){0,4}|as (?:before|usual)|you know …",
    ),
    keywords={
        "causal": (
            r"why|how come",
            r"caus(?:e|es|ed|al|ing)|reasons?|due to|led to",
            r"consequences?|impacts?|implications?|effects? of",
        ),
        "analysis": (
            r"analy[sz]e\w*|analys[ei]s|evaluat\w+|assess\w*|examine\w*",
            r"explain|justif\w+|interpret\w*",
        ),
        "comparison": (
            r"compar\w+|versus|vs",
            r"differen(?:ces?|t from|tly)|differs?|similarit\w+",
            r"advantages?|benefits?|pros",
            r"disadvantages?|drawbacks?|cons",
        ),
        "steps": (r"steps?|stages?", r"process(?:es)?|procedures?|workflow"),
        "synthesis": (r"summar\w+|overview|outline|synthes\w+",),
    },
    pairs=(
        rf"(?:between|both) {_A} and {_B}(?=$|[,;:?]| (?:in|on|for|with|when|under|differ)\b)",
        rf"^(?:please )?compare {_A} (?:and|with|to|against) {_B}(?=$|[,;:?.]| (?:in|on|for)\b)",
        rf"^how (?:do|does|are|is|did) {_A} (?:and|from|to) {_B} (?:differ|relate|diverge|connect"
        rf"|compare|interact|fit)\w*",
        rf"how (?:does|do|is|are) {_A} (?:differ(?:ent)?|distinguished|diverge|related|linked"
        rf"|connected) (?:from|to|with) {_B}(?=$|[,;:?])",
        rf"^(?:is |are )?{_A} (?:vs\.?|versus|as opposed to|compared (?:to|with)) {_B}(?=$"
        rf"|[,;:?.])",
        rf"what (?:sets|distinguishes) {_A} (?:apart )?from {_B}(?=$|[,;:?])",
        rf"what links {_A} (?:to|and|with) {_B}(?=$|[,;:?])",
        rf"^what do {_A} and {_B} have in common",
    ),
    asking=Asking(
        database=(
            rf"how many {_FILES} (?:are (?:there|stored|loaded|indexed|available|in|on file"
            rf"|here)|do"
            rf" (?:you|we|i) have|have (?:been|i|we|you)|in|(?:is|are) (?:in|on))\b",
            rf"how many {_FILES}$",
            rf"(?:list|show(?: me)?|name|enumerate) (?:me )?(?:all |every |the )?(?:of )?(?:the |my"
            rf" |our |available |stored )*(?:documents?|docs?|files?|pdfs?|collections?|uploads?)"
            rf"(?: (?:in|of|from) (?:the |this |my |our )?{_STORE})?$",
            rf"(?:what|which) {_FILES} (?:are (?:there|stored|available|loaded|indexed|in)|do"
            rf" (?:you"
            rf"|we|i) have|have (?:been|i|you|we)|did (?:i|we|you) (?:upload|load|add|import))",
            r"(?:loaded|imported|ingested|indexed|uploaded|stored|added)(?: (?:already|yet|to"
            r"|into|in"
            r"|on|last|this|correctly|completely))*(?: (?:the|this|my|our|it|week|month))*$",
            r"(?:has|have|is|are|was|were) …\b(?:been )?(?:loaded|imported|ingested|indexed"
            r"|uploaded"
            rf"|added to (?:the|my|this) {_STORE})",
            r"(?:stored|loaded|indexed|uploaded|imported|ingested) (?:documents?|files?|pdfs?)",
            rf"(?:size|contents?|state|statistics) of (?:the|this|my|our) {_STORE}",
            rf"how (?:big|large|many \w+) (?:is|are) (?:\w+ )?(?:in )?(?:the|this|my|our) {_STORE}",
            r"(?:latest|newest|oldest|most recent|last) (?:document|file|upload)\b …\b(?:added"
            r"|stored"
            rf"|uploaded|loaded|{_STORE})",
            r"how many collections|(?:what|which) collections|(?:what|which) (?:file types?"
            r"|formats?)"
            rf" (?:are|does|do) …\b(?:stored|documents|files|{_STORE})",
        ),
        content=(
            r"mention\w*|refer\w*|talk\w* about|deal\w* with|discuss\w*|about|concern\w*"
            r"|regarding|containing|say\w*",
        ),
        threshold=(
            r"(?:above|below|beyond|over|under|from|at|up to|after) (?:what|which|how (?:many|much"
            r"|high))",
            r"(?<!no-)thresholds?(?! models?)|trigger(?:s|ed)? (?:value|level|point)|cut-?off"
            r"|action levels?",
            r"(?:what|which) …\bmust …\b(?:be )?(?:exceeded|reached)",
            r"(?:gone|goes?|went|going|rises?|is|are|was|been) (?:over|above|beyond|below|under)"
            r" (?:the |its |a )?(?:\w+ )?(?:limit|threshold|level|value|maximum|minimum)",
            r"(?:exceed(?:s|ed|ing)?|surpass(?:es|ed)?|overstep\w*|falls? below|drops? below)",
            r"how (?:much|high|large|long) (?:\w+ )?(?:does|do|must|has|have) …\b(?:be|have to"
            r" be|get)"
            r" …\b(?:before|for|to)",
            r"at which point|as soon as",
        ),
        count=(
            r"how (?:many|often)",
            r"(?:the )?(?:total )?number of|count (?:the|all|of|how)",
        ),
        listing=(
            r"^(?:please )?(?:list|enumerate|find|show(?: me)?|give me|name|collect|search for"
            r"|locate"
            r"|identify|extract)(?: me)? (?:all|every|each|any|the full|a complete)",
            r"(?:all|every|each|any) (?:the )?(?:\w+ )?(?:sections?|paragraphs?|articles?|clauses?"
            r"|passages?|places?|documents?|files?|contracts?|instances?|mentions?|references?"
            r"|occurrences?|provisions?|chapters?|reports?|minutes)",
            r"(?:complete|full|exhaustive) list|wherever|everywhere|without exception",
            r"(?:which|what|in which|in what) (?:of (?:the|our|my) )?(?:sections?|paragraphs?"
            r"|articles?"
            r"|clauses?|documents?|files?|contracts?|reports?|chapters?|passages?|provisions?"
            r"|minutes"
            r"|e-?mails?|letters?|companies|parties|suppliers|people|persons)",
            r"^where (?:is|are|does|do) …\b(?:mentioned|appear|occur|used|cited|referred)",
        ),
        mentions=(
            r"(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|speak(?:s)? of|talk(?:s)? about"
            r"|use(?:s|d)?"
            r"|name(?:s|d)?|include(?:s|d)?) (?:the )?(?:word|term|phrase|expression|string|name)s?"
            r" (?P<term>.+)",
            r"(?:the )?(?:word|term|phrase|expression|string|name) (?P<term>.+?) (?:appears?"
            r"|occurs?"
            r"|is (?:used|mentioned|found|contained)|comes? up|crops? up|turns? up|shows? up|used"
            r"|mentioned|occurring|appear(?:ing)?)",
            r"(?:mention(?:s|ed|ing)?|speaks? of|talks? about) (?P<term>.+)",
            r"mentions? of (?P<term>.+)|(?:occurrences?|instances?|appearances?) of (?P<term_b>.+)",
            r"(?:is|are|does|do|has|have) (?P<term>[^?]+?) (?:been )?(?:mentioned|appear|occur"
            r"|named"
            r"|come up|crop up|turn up|show up|cited)",
        ),
        section_words=(r"sections?|paragraphs?|articles?|clauses?|provisions?|chapters?|annex\w*",),
        document_words=(
            r"documents?|files?|pdfs?|contracts?|reports?|papers?|studies|study|letters?|minutes"
            r"|e-?mails?|agreements?|invoices?|protocols?|laws?|ordinances?|standards?",
        ),
        occurrence_words=(r"times|often|occurrences?|instances?|mentions? of|frequency",),
        settled=(r"^(?:to|on|under|from|by) (?:which|what)",),
        passage_words=(r"places?|passages?|spots|sentences?|mentions?|quotes?|lines|points where",),
    ),
    splitting=Splitting(
        conjunctions=(r"and(?: also)?", r"or", r"but", r"as well as", r"plus"),
        interrogatives=(
            r"(?:in|under|for|from|by|with|at|to|on|until|since) (?:what|which|when|whom)",
            r"what(?: about)?|which|who|whom|whose|when|where|why|how|whether",
            r"(?:is|are|does|do|did|may|must|can|should|will|has|have) (?:the|a|an|i|we|you|it|they"
            r"|there|he|she|this|that|these)",
        ),
        listed=(
            r"(?:what|how|why)(?! (?:is|are) called)",
            r"(?:who|when|where|which)(?=\s*(?:,|\?|and\b|or\b))",
        ),
        imperatives=(
            r"(?:please )?(?:compare|list|explain|describe|summari[sz]e|name|find|show|give|tell"
            r"|analy[sz]e|evaluate|assess|discuss|outline|state|define)",
        ),
        between=(r"between", r"both"),
        either="or",
    ),
)
