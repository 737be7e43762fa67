"""How English asks for things held together: comparisons and relations."""

from typing import Final

from services.query.patterns.base import TypePatterns

COMPARATIVE: Final = TypePatterns(
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
        r"which (?:one )?of (?:the |these |those |our |my )?(?:two|three|both|\w+ (?:two"
        r"|three))\b",
        r"pros and cons of …(?:two|both|over|versus)",
        r"(?:advantages?|benefits?|drawbacks?) …\b(?:over|compared|than)",
        r"(?:go|goes|went) (?:further|beyond) …than|(?:gone|go) beyond",
        r"what(?:'s| is| has| have)? (?:new|changed) (?:in|between|since|from|with) …\b(?:version"
        r"|edition|draft|revision|amendment)\w*",
        r"changed? …\b(?:between|from …to)",
        # a choice named first: of A and B, which
        r"^(?:out )?of [^?\n]{3,80}, (?:which|who|what)",
        # the same outcome reached by several
        r"(?:come|came|arrive|arrived|lead|point) (?:to|at) the same|(?:reach|give|set|need) "
        r"the same",
        # gaps and rank
        r"discrepanc\w+|mismatch\w*|outperform\w*|outweigh\w*|surpass\w*|on a par|(?:twice"
        r"|half|equally) as \w+|by how much (?:more|less|\w+er)|(?:superior|inferior"
        r"|preferable) to",
        # what changed over versions
        r"(?:changed?|evolved?|differs?) (?:between|since|over|across)|from one (?:version"
        r"|edition|draft|year) to",
        # a choice named first: A or B: which
        r"or [^?\n,]{1,40}(?:[,:] ?|\n)(?:which|who|what)|treated (?:like|as|the same"
        r"|differently)",
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
        r"similar to|alike|identical|equivalent to|the same (?:as|in|for)|match up|correspond "
        r"with",
        r"(?:better|best|worse|worst|stricter|cheaper|safer|faster|larger|smaller|\w+ier) …,?"
        r" \w+(?: \w+)? or",
        r"which …\b(?:better|worse|stricter|cheaper|safer|more \w+|less \w+|\w+ier|\w+er)\b"
        r" …\bor\b",
        r"rank|ranking|relative to|weigh …against|both …agree|disagree|contradict(?:s|ory)?",
        # agreement of several
        r"\w+ and …\b(?:match|agree|tally|coincide|clash|conflict)",
        # a choice at the end: which is higher, A or B
        r"(?:which|who|what|where) …\b(?:more|less|fewer|most|least|\w{2,}er|\w{2,}est)\b …, "
        r"[^?\n]{1,60} or",
        # a course from one state to another
        r"(?:risen?|rose|fallen|fell|grown?|grew|gone|increased?|decreased?|dropped|evolved?) "
        r"…\bfrom …\bto",
        # the first of several
        r"among (?:the|our|all) …\b(?:most|least|\w+est)|(?:rather|sooner) …\bor",
        # one and the other, judged alike
        r"\w+ and \w+ …\b(?:alike|equal|equally|same|different|contradictory|consistent)$",
        # ranking
        r"(?:which|who|where) …\b(?:highest|lowest|largest|smallest|longest|shortest|strictest"
        r"|cheapest|safest|most|least|best|worst|fewest|greatest)",
    ),
    hint=(
        r"pros and cons|advantages? and disadvantages?|trade-?offs?|alternatives?",
        r"both|two versions|respectively",
    ),
)
RELATIONAL: Final = TypePatterns(
    decisive=(
        r"superiors?|line manager|points? to|(?:is|are|was|were) …\b(?:connected|linked|related"
        r"|based)$|^on (?:what|which) …\bbased",
        r"oversees?|overseen|supervis\w+|who (?:appointed|employs|supervises)",
        r"relationships?|interrelat\w+|relate[sd]? to each other|relations? (?:between|of|to"
        r"|with)",
        r"connections?|connected (?:to|with)|connects?|links? (?:between|to|with|together)|linked",
        r"what links|tied to|ties (?:between|to)|associat(?:ed|ion) with|have to do with",
        r"reports? to|reporting (?:line|chain)s?|supervis(?:es|ed by)|superior of|subordinate\w*",
        r"(?:refer|refers|referring|referred) (?:back )?to|cross-?references?|cross-?refers?",
        r"(?:cite|cites|cited|citing)(?: by)?|interplay|interact(?:s|ion)?",
        # a basis asked for
        r"^on (?:what|which) …\b(?:rests?|rel(?:y|ies)|founded|grounded|built|depends?)",
        # one text acting on another
        r"(?:does|do|did|will) …\b(?:modify|amend|replace|supersede|repeal|override|transpose"
        r"|supplement|prevail over)",
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
        # standing alone or under something
        r"stands? (?:by itself|alone|on its own)|(?:stand|sit|rank)s? (?:above|below|under)"
        r"|(?:in charge of|heads?) (?:whom|which)",
        # origins
        r"stems? from|draws? on|(?:goes|go|went|dates?) back to|traced? (?:back )?to"
        r"|originat\w+|arises? from|prompted by|triggered by",
        # standing in
        r"deput(?:y|ies|i[sz]es?) (?:for|of)|stands? in for|successor (?:to|of)|predecessor\w*"
        r"|on behalf of|counterparts?",
        # falling under
        r"(?:falls?|comes?|made|passed|set up) under|governs?|attached to|feeds? into|subject "
        r"to (?:which|what|whose)",
        # who stands over whom
        r"who(?:m)? (?:does|do|did) …\b(?:work for|belong|report|answer)|who is …\b(?:boss"
        r"|superior) of|which …\b(?:belong|appl(?:y|ies)|refer|relate|come)s? (?:to|under"
        r"|from)",
        # a tie with its end in front
        r"^(?:under|to|within|from) (?:which|what|whose|whom) …\b(?:falls?|belongs?|comes?"
        r"|reports?|answers?|stems?)|invoked|part of …\b(?:series|family|group)",
    ),
    hint=(r"network|chain of command|involved (?:in|with)|affects?|influences?",),
)
