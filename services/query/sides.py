"""The two sides that a question compares, each made to stand alone.

``Dosisgrenzwerte für Beschäftigte mit denen für die Bevölkerung`` has the sides ``Dosisgrenzwerte
für Beschäftigte`` and ``Dosisgrenzwerte für die Bevölkerung``: a side that leans on the other takes
its head along, and what is compared (``beim Betrieb …``, ``regarding …``) goes with both.
"""

import re
from functools import lru_cache
from typing import Final

_THING: Final = r"(?P<{}>[^;?\n]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_END: Final = r"\s*[?.!]*\s*$"
_GERMAN_MORE: Final = r"(?:andere[nrs]?|\w+ere[nrs]?|mehr|weniger|gleiche[nrs]?|dieselben?)"
_PATTERNS: Final = (
    rf"\bvergleiche?n?\s+(?:sie\s+)?(?:bitte\s+)?{_A}\s+(?:mit|und)\s+{_B}{_END}",
    rf"\bunterscheide[nt]\s+sich\s+{_A}\s+(?:vo[nm]|und)\s+{_B}{_END}",
    rf"\b(?:was|worin|wie)\s+unterscheide[nt]\s+{_A}\s+(?:vo[nm]|und)\s+{_B}{_END}",
    rf"\b(?:unterschiede?|abgrenzung|vergleich|verhältnis|gemeinsamkeiten)\s+(?:\w+\s+){{0,2}}?"
    rf"zwischen\s+{_A}\s+und\s+{_B}{_END}",
    rf"\b(?:gelten|gilt|haben|hat|bestehen)\s+für\s+(?P<x>[^;?\n]+?)\s+{_GERMAN_MORE}\s+"
    rf"(?P<head>[^;?\n]+?)\s+als\s+für\s+(?P<y>[^;?\n]+?){_END}",
    rf"^(?:ist|sind|liegt|liegen)\s+{_A}\s+(?:\w+er|anders|gleich)\s+(?:als|wie)\s+{_B}{_END}",
    rf"\bcompare\s+{_A}\s+(?:with|to|and)\s+{_B}{_END}",
    rf"\b(?:differences?|distinctions?|comparison|contrast)\s+between\s+{_A}\s+and\s+{_B}{_END}",
    rf"\bhow\s+(?:do|does|is|are|did)\s+{_A}\s+(?:differ(?:ent)?|distinguished)\s+from\s+{_B}{_END}",
    rf"\bhow\s+(?:do|does|did)\s+{_A}\s+and\s+{_B}\s+differ(?P<rest>(?:\s+[^?\n]+)?){_END}",
    rf"^(?:is|are)\s+{_A}\s+(?:\w+er|more\s+\w+|less\s+\w+)\s+than\s+{_B}{_END}",
    rf"\bcompare[rz]?\s+{_A}\s+(?:avec|et|à)\s+{_B}{_END}",
    rf"\bdifférences?\s+entre\s+{_A}\s+et\s+{_B}{_END}",
    rf"\bcompar[ae]r?\s+{_A}\s+(?:con|y)\s+{_B}{_END}",
    rf"\bdiferencias?\s+entre\s+{_A}\s+y\s+{_B}{_END}",
    rf"^{_A}\s+(?:vs\.?|versus|gegenüber|im\s+vergleich\s+(?:zu[mr]?|mit)|compared\s+(?:to|with))"
    rf"\s+{_B}{_END}",
)
_ARTICLE: Final = re.compile(
    r"^(?:der|die|das|den|dem|des|eine[mnrs]?|ein|the|an?|le|la|les|el|los|las)\s+(?=\S)", re.I
)
_PRONOUN: Final = re.compile(
    r"^(?:denen|denjenigen|diejenigen|derjenigen|jenen|dem|der|die|den|das|those|that|the\s+ones?"
    r"|ceux|celles|celui|celle|los|las|el|la)\s+"
    r"(?=(?:für|bei|beim|von|vom|in|im|an|am|nach|gegen|of|for|in|at|on|under|by|pour|de|des|du|para)\b)",
    re.I,
)
_PREPOSITION: Final = re.compile(
    r"^(?:für|bei|beim|von|vom|in|im|an|am|nach|gegen|auf|of|for|at|on|under|by|pour|para)\b", re.I
)
_ANY_PREPOSITION: Final = re.compile(
    r"\s(für|bei|beim|von|vom|nach|gegen|of|for|under|pour|para)\s", re.I
)
_ASPECT: Final = re.compile(
    r"\s+((?:hinsichtlich|bezüglich|in\s+bezug\s+auf|im\s+hinblick\s+auf|beim?|regarding|concerning"
    r"|with\s+(?:respect|regard)\s+to|in\s+terms\s+of|when|concernant|respecto)\s+.+)$",
    re.I,
)
_LABEL: Final = re.compile(
    r"(?:§+|art(?:ikel|icle|\.)?|anlage|anhang|annex|section|appendix|pep|rfc)\s*\d+\w*", re.I
)
_ADJECTIVE: Final = re.compile(
    r"[a-zäöüß]+(?:al|ic|ive|ous|ary|able|ible|liche[nrms]?|ige[nrms]?|ische[nrms]?|äre[nrms]?|elle[nrms]?|ierte[nrms]?)"
)
_SHORT_SIDE: Final = 4


def sides(question: str) -> tuple[str, str] | None:
    """Both sides of a comparison in the question's words, None where it names no two."""
    text = " ".join(question.split())
    for pattern in _compiled():
        match = pattern.search(text)
        if match is None:
            continue
        groups = match.groupdict()
        if groups.get("head"):
            head = groups["head"]
            return f"{head} für {groups['x']}", f"{head} für {groups['y']}"
        first, second = alone(match["a"], match["b"], (groups.get("rest") or "").strip())
        return (first, second) if first != second else None
    return None


def alone(first: str, second: str, rest: str = "") -> tuple[str, str]:
    """Sides that stand alone, with what both are compared in (``rest``, where it stands apart)."""
    aspect = rest
    found = _ASPECT.search(second)
    if found and not aspect and found[1].split()[0].casefold() not in first.casefold().split():
        aspect, second = found[1], second[: found.start()]
    second = _completed(first, second.strip(" ,"))
    first = _named(_bare(first.strip(" ,")), second)
    if _adjective(first) and len(second.split()) > 1:
        first = f"{first} {second.split()[-1]}"
    return f"{first} {aspect}".strip(), f"{second} {aspect}".strip()


def _completed(first: str, second: str) -> str:
    """The second side with the head of the first, where it has none of its own."""
    pronoun = _PRONOUN.match(second)
    leaning = second[pronoun.end() :] if pronoun else second
    if pronoun or _PREPOSITION.match(leaning):
        return f"{_head(first, leaning.split()[0])} {leaning}"
    of_first = _ANY_PREPOSITION.search(first)
    alone = not _ARTICLE.match(second) and not _ANY_PREPOSITION.search(f" {second} ")
    if of_first and alone and len(second.split()) < _SHORT_SIDE and not _LABEL.match(second):
        return f"{_bare(first[: of_first.end()].strip())} {second}"
    return _bare(second)


def _head(side: str, preposition: str) -> str:
    """What stands before a preposition, or before the first of any."""
    own = re.search(rf"\s{re.escape(preposition)}\s", side, re.IGNORECASE)
    border = own or _ANY_PREPOSITION.search(side)
    return _bare(side[: border.start()] if border else side)


def _named(first: str, second: str) -> str:
    """``§ 78`` of ``§ 78 und § 80 StrlSchG`` with the name that follows the other label."""
    label = _LABEL.match(second)
    if label and _LABEL.fullmatch(first):
        return f"{first}{second[label.end() :]}"
    return first


def _adjective(side: str) -> bool:
    """Whether a side is a lone adjective, whose noun stands with the other: ``nominal and …``."""
    return bool(_ADJECTIVE.fullmatch(side))


def _bare(side: str) -> str:
    return _ARTICLE.sub("", side).strip(" ,")


@lru_cache(maxsize=1)
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS)
