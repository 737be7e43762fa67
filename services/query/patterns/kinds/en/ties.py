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
RELATIONAL: Final = TypePatterns(
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
