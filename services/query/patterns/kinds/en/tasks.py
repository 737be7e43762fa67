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
ANALYTICAL: Final = TypePatterns(
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
