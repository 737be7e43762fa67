"""How English asks for work: procedures and judgements."""

from typing import Final

from services.query.patterns.base import TypePatterns

PROCEDURAL: Final = TypePatterns(
    decisive=(
        r"(?:explain|describe|show|tell)(?: \w+){0,2} how to|explain(?: \w+){0,3} how",
        r"what (?:is|are|do (?:i|we|you)) need(?:ed)? (?:to|for|in order)",
        r"(?:guide|lead|run|step)(?: me| us) through|what(?:'s| is) next|what then",
        r"how to|how (?:do|can|should|must|would|shall|may|could) (?:i|we|you|one)",
        r"steps? (?:for|to|in|of|are|do|must|needed|involved)|step by step|what are the steps",
        r"walk (?:me|us) through|talk (?:me|us) through|take (?:me|us) through|show me how",
        r"order of operations|in (?:what|which) (?:order|sequence)|checklist|instructions? "
        r"(?:for|on|to)",
        r"(?:correct|right|proper|best|usual|quickest) (?:way|procedure|manner|method) (?:to|of"
        r"|for)",
        r"(?:what|which) (?:do|must|should|shall|can) (?:i|we|you|one) (?:have to |need to )?do",
        r"what(?:'s| is| are) the (?:\w+ )?(?:process|procedures?|workflow|routine|protocol)",
        r"what (?:has|have|needs?|must|is|are|should|ought) (?:to )?(?:be )?done",
        r"next steps?|what (?:comes|happens|do (?:i|we) do) next|what now|how does one",
        r"explain …\bhow (?:to|\w+ (?:is|are))",
        # what to do, put as a duty
        r"what (?:am|are) (?:i|we|you|they) (?:supposed|meant|expected|obliged|required) to",
        # a course of work described
        r"(?:describe|explain|detail|outline) …\b(?:sampling|preparation|calibration|assembly"
        r"|cleaning|set-?up|installation|removal|replacement|disposal|extraction|commissioning"
        r"|shut-?down|start-?up)",
        # what comes now
        r"(?:now what|what now)$|^now$",
        # going about it
        r"(?:go|going|goes|went|set|setting) about|what(?:'s| is) involved in|what does it "
        r"take|methodology",
        # how a study was made
        r"how (?:did|do|have|had) …\b(?:prepared?|analy[sz]ed?|measured?|collect\w*|determined?"
        r"|calculated?|select\w*|recruit\w*|obtain\w*|derived?|estimated?|test\w*|validated?"
        r"|gather\w*|sampled?)",
        # what somebody has to do
        r"what (?:must|should|does|do|has|have|is|are|can) …\b(?:do|to do)(?: now| next| first"
        r"| then| when …| if …)?$|what next|(?:can|could) you help (?:me|us) (?:to "
        r")?(?!understand|see|find|know)\w+",
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
        # what has to be handed in
        r"(?:what|which) …\b(?:must|ha(?:s|ve) to|needs? to|should) be (?:handed|submitted"
        r"|filed|enclosed|attached|provided|presented|sent|filled|completed|taken|followed"
        r"|signed)",
        # ways of doing
        r"ways? (?:of \w+ing|to \w+)",
        # whom to turn to
        r"who(?:m)? (?:do|must|should|can|would) (?:i|we|one) \w+|to whom (?:do|must|should"
        r"|can) (?:i|we|one)",
        # a wish to do something
        r"^(?:i|we)(?:'d| would)? (?:want|need|wish|like|am trying|are trying|plan"
        r"|intend) to (?!know|understand|see|learn|get an|read|hear|find|be)\w+",
        # in an event, what or who
        r"(?:in case of|in the event of|if|when|once|after|before) [^?\n]{3,80}, (?:what|who"
        r"|whom|how|where) (?:do|does|should|must|has|have|is|are|can|to)",
        # things to have and to mind
        r"what (?:documents|evidence|precautions|checks|measures|preparations|arrangements"
        r"|formalities) |(?:what|which) (?:precautions|checks|measures|controls|formalities"
        r"|steps)|requirements (?:for|to) \w+ing",
        # duties in an event
        r"what (?:must|should|do|can) (?:i|we|you|one) (?:\w+ ){1,4}(?:before|after|if|when"
        r"|to)|how (?:does|do) …\bget \w+ed",
    ),
    hint=(
        r"^(?:get|getting|apply|applying|request|requesting|register|registering|submit|submitting"
        r"|report|reporting|dispos\w+|terminat\w+|cancel\w*|renew\w*|chang\w+|replac\w+|instal\w+"
        r"|calibrat\w+|prepar\w+|setting|set|order\w*|book\w*|transport\w*|clean\w*|appoint\w*)",
        r"apply for|application for|steps?|how (?:is|are)|method for|what to do",
        # manner with a participle
        r"how (?:is|are|was|were|has|have) …\b\w{2,}ed",
    ),
)
ANALYTICAL: Final = TypePatterns(
    decisive=(
        r"why|how come|what(?:'s| is| was) behind|what (?:explains?|caused|causes|led to|drives)",
        r"reasons? (?:for|why|behind|that|does|do|is)|rationale|root causes?|what for",
        r"(?:what|which) (?:\w+ ){0,4}(?:consequences|implications|repercussions|ramifications)",
        r"^(?:(?:can|could|would) you |please )*(?:analy[sz]e|evaluate|assess|judge|critici[sz]e"
        r"|critique|appraise|interpret|scrutini[sz]e)",
        r"to what extent|how (?:likely|serious|reliable|convincing|realistic|plausible|robust"
        r"|sound|credible|risky|critical|significant|well|solid|effective|justified)",
        r"make(?:s)? sense|is it (?:wise|worth|sensible|reasonable|worthwhile)|worth (?:it"
        r"|\w+ing)",
        # a case told, then a question about it
        r"(?<=\n)(?:is|are|does|do|must|may|can|should|will|has|have|did|was|were) (?:he|she"
        r"|they|it|we|i|that|this|our|my)",
        # an opinion asked for
        r"what do you (?:think|make)|(?:your|a second) (?:view|opinion|take|judg\w+)|how can "
        r"it be",
        # grades of trust
        r"how (?:trustworthy|good|dangerous|valid|fair|safe|sensible|persuasive"
        r"|meaningful|much weight)",
    ),
    clear=(
        r"(?:what|which) effects?|downsides?|upsides?|pitfalls?|how (?:did|does|will) …\baffect"
        r"|\w+ enough (?:to|for)",
        r"too (?-i:[a-z])\w+$|supports? (?:the|this|that)|backs? up|(?:could|might|may|would)"
        r" explain",
        r"(?<=\n)(?:is|are|does|do|must|may|can|should|will|has|have|did)",
        r"violat\w+|infring\w+|(?:in|a) breach|for (?:what|which) reasons?",
        r"what (?:happens|becomes) (?:to|of|with) …\bif",
        r"^(?:can|may|must|should|could|will) …\b(?:although|even though|despite|in spite of)",
        r"(?:can|may|must|could|should) …\bstill|go(?:es)? wrong|went wrong|fail(?:s|ed|ure"
        r"|ures)?(?: to)?|explain why",
        r"(?:consequences?|implications?|repercussions?|ramifications?|impacts?|effects?) (?:of"
        r"|for|on|would|could|will|does|do|follow|if)",
        r"what (?:would|could|might) (?:it mean|happen|follow|change|go wrong)|what if|suppose"
        r"|supposing",
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
        r"what (?:does|do|did) …\bmean for|mean(?:s)? for (?:us|our|me)|affect(?:s)? (?:us|our"
        r"|my)",
        r"(?:is|are|was|were) …\benough|does (?:that|this|it) (?:mean|suffice|count)|comply"
        r"|complies",
        r"can we (?:still|conclude|rely|get away|be held)|conclusions? …\bdraw|infer",
        r"overstates?|understates?|justify|justifies|undermines?|contributed? to|responsible for"
        r" the",
        r"purpose (?:of|behind)|significance of|importance of|point of|recommend\w*|advis(?:e"
        r"|able)",
        # a case told in the same sentence
        r"\w+, (?:is|are|does|do|must|may|can|should|will|has|have|did) (?:he|she|they|it|we|i"
        r"|that|this)",
        # a judgement on given grounds
        r"^(?:judging|going) by|given (?:that|the|what|how)|in (?:the )?light of|considering",
        # blame and merit
        r"(?:the|to) blame|at fault|(?:whose|the) fault|to be held",
        # what findings carry over to
        r"(?:carr(?:y|ied) over|transferable|generali[sz]\w+|extrapolat\w+)",
        # what follows from something
        r"(?:does|do|would|can) …\b(?:imply|prove|suffice|qualify|justify|constitute|breach"
        r"|entitle|exempt|release|prevent|suggest|mean (?:that|we|i))|what (?:does|do) "
        r"…\b(?:imply|suggest)|(?:can|could) (?:be )?conclude",
        # what is wise
        r"good idea|better off|in our (?:interest|favou?r)|should (?:i|we)|(?:is|are) there "
        r"(?:any |a )?(?:contradiction|conflict|chance|reason|evidence)s?",
        # doubts
        r"bias(?:ed)?|limitations? of|credib\w+|be trusted|to worry",
        # reasons, also of a difference
        r"why|how come|what explains|explain why",
        # how it came about
        r"how did (?:it|this|that) (?:come|happen|get)|(?:is|are|was|were) …\b(?:right|wrong"
        r"|mistaken) (?:to|in|that|when|about)",
        # an outcome that is imagined
        r"what would …\b(?:if|mean|happen)|imagine|on (?:what|which) grounds|what made",
        # a case imagined and its outcome
        r"^(?:would|could|might) (?:a|an|the|our|my|we|i|it) …\b(?:our|my|we|us|if|be)",
    ),
    hint=(
        r"^(?:is|are|does|do|can|may|must|will|has|have) (?:our|my)",
        r"what happens if|what happens when|depends|likely|problem(?:s|atic)?|critical",
        r"(?:we|our \w+|i|my \w+) (?:\w+ ){0,8}?(?:does|do|is|are|must|can) (?:that|this|we|it|i)",
        r"(?:are|is|do|does|can|may|must|will) (?:we|our \w+) (?:\w+ ){0,3}?(?:have|liable|need"
        r"|obliged|required|covered|allowed|exempt)",
    ),
)
