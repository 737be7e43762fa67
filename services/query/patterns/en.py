"""How English asks."""

from typing import Final

from services.query.patterns.base import Asking, Splitting, Table
from services.query.patterns.kinds.en import TYPES

_THING: Final = r"(?:the |an? |our |my )?(?P<{}>[^,;:?\n]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_FILES: Final = r"(?:documents?|docs?|files?|pdfs?|uploads?)"
_STORE: Final = (
    r"(?:database|collections?|library|corpus|index|knowledge base|catalogu?e|archive|store)"
)

TABLE: Final = Table(
    types=TYPES,
    openers=(
        r"(?:hi|hello|hey|sorry|please|just wondering|quick question|well|so|and|but|also"
        r"|ok)[,:]?",
        r"(?:(?:can|could|would) (?:you|anyone|someone) (?:please |quickly )*(?:tell|say|remind"
        r"|check|clarify|find out|look up|confirm|see)(?: to)?(?: me| us)?|do you (?:happen to "
        r")?know|(?:i|we)(?:'d| would)? (?:like|love|want|need) to know|i(?:'m| am) (?:wondering"
        r"|trying to find out)|i wonder|any idea|let me know|tell me)(?=,? (?:what|which|who"
        r"|whom|whose|where|when|how|why|on|in|under|to|by)\b),?",
    ),
    asked=(
        r"(?:(?:on|in|under|to|by|from|at|for|with) )?(?:what|which|who|whom|whose|where|when|why"
        r"|how)",
    ),
    facts=(
        r"^(?:what|which|who|whom|whose|where|when)|(?:what|which|who|where|when)$",
        r"^(?:is|are|was|were|do|does|did|has|have|had|can|may|must|will|shall)",
        r"(?:what|which|who|where|when) (?:is|are|was|were|does|do|did|has|have)",
    ),
    reasons=(r"^(?:why|how)", r"how (?:is|are|does|do|did)"),
    fragments=(
        r"(?:and |but )?(?:what|how) about (?:the |that |those )?(?:\w+ )?(?:ones?|first|second"
        r"|third|last|others?)",
        r"(?:and |so )?then(?: what)?|never ?mind|forget it|what else|(?:can|could|would) you"
        r" (?:please )?\w+ (?:it|that|this)(?: again| please| more)?",
        r"(?:page|chapter|section|annex|table|p\.) \d+",
        r"(?:ok(?:ay)?|yes|no|thanks?|thank you|please|hello|hi|hey|good (?:morning|evening|day)"
        r"|great|fine|sure|right|cool|perfect|bye)(?:[ ,.!]+\w+){0,3}",
        r"(?:and |but |so )?(?:the )?(?:other|first|second|third|last|next|same)(?: \w+)?(?: again"
        r"| please)?",
        r"(?:and |but )?(?:what about |how about )?(?:it|that|this|those|them|him|her|these|you)",
        r"(?:can|could) you (?:repeat|say|explain) (?:that|it|this)?(?: again)?|say (?:it|that)"
        r" again",
        r"(?:is |was )?(?:that|this|it) (?:true|right|correct|so|ok(?:ay)?)|really|go on|more"
        r"|continue",
        r"(?:can|could) you help(?: me)?|what can you do|help|test(?:ing)?|who made you|again",
        r"(?:a bit |much )?(?:shorter|longer|simpler)(?: please)?|(?:now )?in (?:english"
        r"|german|french)",
        r"(?:and|but) (?:the|those|that|his|her|in|under|for|on|at) (?:[\w-]+ ?){1,3}",
        r"why not",
        r"are you (?:an? )?(?:\w+ )?(?:person|human|bot|robot|ai|machine|there|ok|sure|real)"
        r"|(?:who|what|how) are you(?: \w+)?",
        r"(?:and |but |also )+(?:for|with|in|at|on|after|under) (?:the )?\w+(?: too| as well)?"
        r"|for (?:the )?\w+ (?:too|as well)",
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
            rf"how many {_FILES} (?:are (?:there|stored|loaded|indexed|available|in|on file|here)"
            rf"|do (?:you|we|i) have|have (?:been|i|we|you)|in|(?:is|are) (?:in|on))\b",
            rf"how many {_FILES}$",
            rf"what(?: is|'s|’s) in (?:the|my|this|these|our) (?:{_STORE}|{_FILES})$",
            rf"(?:list|show(?: me)?|name|enumerate) (?:me )?(?:all |every |the )?(?:of )?(?:the "
            rf"|my |our |available |stored )*(?:documents?|docs?|files?|pdfs?|collections?"
            rf"|uploads?)(?: (?:in|of|from) (?:the |this |my |our )?{_STORE})?$",
            rf"(?:what|which) {_FILES} (?:are (?:there|stored|available|loaded|indexed|in)|do"
            rf" (?:you|we|i) have|have (?:been|i|you|we)|did (?:i|we|you) (?:upload|load|add"
            rf"|import))",
            rf"(?:already|yet|(?:did|have) (?:you|we|i)|{_STORE}) …\b(?:loaded|imported"
            r"|ingested|indexed|uploaded|stored|added)"
            r"(?: (?:to|into|in|on|last|this|correctly|completely))*"
            r"(?: (?:the|this|my|our|it|week|month))*$",
            r"(?:loaded|imported|ingested|indexed|uploaded|stored|added) (?:already|yet)$",
            rf"(?:indexed|uploaded)$|{_FILES} (?:loaded|uploaded|indexed)\b|added to"
            rf" (?:the|my|this) {_STORE}",
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
            r"mention\w*|refer\w*|talk\w* about|deal\w* with|discuss\w*|about|concern\w*|regarding"
            r"|containing|say\w*",
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
            r"how (?:much|high|large|long) (?:\w+ )?(?:does|do|must|has|have) …\b(?:be|have to be"
            r"|get) …\b(?:before|for|to)",
            r"at which point|as soon as",
        ),
        count=(
            r"how (?:many|often)",
            r"(?:the )?(?:total )?number of|count (?:the|all|of|how)",
        ),
        listing=(
            r"^(?:please )?(?:list|enumerate|find|show(?: me)?|give me|name|collect|search for"
            r"|locate|identify|extract)(?: me)? (?:all|every|each|any|the full|a complete)",
            r"(?:all|every|each|any) (?:the )?(?:\w+ )?(?:sections?|paragraphs?|articles?|clauses?"
            r"|passages?|places?|documents?|files?|contracts?|instances?|mentions?|references?"
            r"|occurrences?|provisions?|chapters?|reports?|minutes)",
            r"(?:complete|full|exhaustive) list|wherever|everywhere|without exception",
            r"(?:which|what|in which|in what) (?:of (?:the|our|my) )?(?:sections?|paragraphs?"
            r"|articles?|clauses?|documents?|files?|contracts?|reports?|chapters?|passages?"
            r"|provisions?|minutes|e-?mails?|letters?|companies|parties|suppliers|people|persons)",
            r"^where (?:is|are|does|do) …\b(?:mentioned|appear|occur|used|cited|referred)",
        ),
        mentions=(
            r"(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|speak(?:s)? of|talk(?:s)? about|use(?:s"
            r"|d)?|name(?:s|d)?|include(?:s|d)?) (?:the )?(?:word|term|phrase|expression|string"
            r"|name)s? (?P<term>.+)",
            r"(?:the )?(?:word|term|phrase|expression|string|name) (?P<term>.+?) (?:appears?"
            r"|occurs?|is (?:used|mentioned|found|contained)|comes? up|crops? up|turns? up|shows?"
            r" up|used|mentioned|occurring|appear(?:ing)?)",
            r"(?:mention(?:s|ed|ing)?|speaks? of|talks? about) (?:of )?(?P<term>.+)",
            r"mentions? of (?P<term>.+)|(?:occurrences?|instances?|appearances?) of (?P<term_b>.+)",
            r"(?:is|are|does|do|has|have) (?P<term>[^?]+?) (?:been )?(?:mentioned|appear|occur"
            r"|named|come up|crop up|turn up|show up|cited)",
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
            r"(?:is|are|does|do|did|may|must|can|should|will|has|have) (?:the|a|an|i|we|you|it"
            r"|they|there|he|she|this|that|these)",
        ),
        verbs_first=(
            r"is|are|was|were|does|do|did|may|might|must|can|could|shall|should|will|would|has|have",
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
