"""How English asks for what stands written: overviews and facts."""

from typing import Final

from services.query.patterns.base import TypePatterns

EXPLORATORY: Final = TypePatterns(
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
        # where to begin reading
        r"where …\b(?:begin|start) (?:reading|learning|with)",
        # short accounts
        r"(?:a few|a couple of|two|three) (?:sentences|words|lines|paragraphs)|run-?down|ins "
        r"and outs|lay of the land|where (?:do|does) …\bstand",
        # help to understand
        r"help me (?:to )?(?:understand|get)|new to|teach me|what(?:'s| is) (?:known|out "
        r"there)|(?:quick|short|brief|little|gentle) (?:intro|tour|account|look)|give me (?:a"
        r"|an|some) (?:idea|sense|tour|feel|flavou?r|impression|context)",
        # what a text is about
        r"what(?:'s| is) …\babout|what(?:'s| is) (?:in|inside) (?:the|this|these|my|our)",
        # the view of a body of texts
        r"how (?:does|do) …\b(?:literature|documents|papers|sources|folder|collection) "
        r"…\b(?:see|view|treat|regard|describe|present|approach)",
    ),
    clear=(
        r"(?:what|which) (?:topics?|themes?|subjects?)|what (?:do )?we have on|show me what",
        r"^(?:please )?(?:explain|describe|present|explore|discuss|sketch|characteri[sz]e)",
        r"(?:rough|general|broad) (?:idea|picture|understanding|sense)|an idea of|feel for",
        r"background (?:on|to|of)|survey of|round-?up|highlights|new here|i(?:'d| would) like to"
        r" (?:understand|learn|get)|learn about|get into|what's in|what is (?:there )?in (?:the|my"
        r"|our)",
        r"what (?:information|material) (?:is there|do (?:we|i) have|exists)|context of"
        r"|history of",
        r"how (?:does|do|is|are) …\b(?:work|regulated|organi[sz]ed|structured|treated|dealt with)",
        # a subject's looks
        r"what (?:does|do) …\blook like|on the whole|by and large|in short|in brief|current "
        r"state",
    ),
    hint=(r"about|themes?|topics?|generally|in general|roughly|broadly|important",),
)
FACTUAL: Final = TypePatterns(
    decisive=(
        r"how (?:is|are) …\b(?:defined|called|named|abbreviated|spelled)$",
        # a summary as a thing, not as what is wanted
        r"^(?:who|when|where|by when|until when) …\b(?:summar(?:y|ies)|overviews?|outlines?)",
    ),
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
        # what one clause says
        r"(?:as per|per|under|according to|pursuant to) (?:clause|section|article|paragraph"
        r"|annex|§) ?\d+",
        # all places of a kind
        r"^(?:all|every|any) (?:the )?\w+ (?:that|where|in which|which|with|mentioning"
        r"|containing)",
        # bare names of values
        r"^(?:the )?(?:[\w-]+ ){0,3}(?:level|cap|ceiling|dose|pressure|power|voltage|thickness"
        r"|distance|wage|allowance|premium|penalty|tolerance|code|id)",
        # the store
        r"(?:documents?|files?|pdfs?) …\b(?:uploaded|added|imported|stored|indexed)|^do we "
        r"have",
        # names
        r"how (?:is|are) …\b(?:called|named|defined|spelled|abbreviated)",
        # bare names of values, more than one
        r"^(?:the )?(?:serial )?(?:numbers|names|dates|values|amounts|limits|addresses|prices"
        r"|costs|rates|deadlines|activities|dimensions|versions)",
    ),
    hint=(
        r"(?:maximum|minimum|deadline|notice period|expiry|expir(?:es?|ation)|in force)",
        r"allowed|permitted|prohibited|forbidden|required|mandatory|compulsory|whether",
        r"(?:do you have|is there|are there|which (?:page|sheet|table|form|section|article)s?)",
    ),
)
