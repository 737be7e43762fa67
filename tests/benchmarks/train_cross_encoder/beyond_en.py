"""Edits of one English sentence that say more than it, or another thing."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.english import (
    NEGATION,
    is_plural,
    main_clause,
)
from tests.benchmarks.train_cross_encoder.lexicon import upper_first

HEDGES = re.compile(
    r" (?:usually|generally|often|typically|normally|commonly|sometimes|mostly|occasionally|"
    r"primarily|largely|partly|partially|frequently|probably|possibly|presumably|likely|perhaps|"
    r"(?:almost|nearly)(?= (?:all|always|every)))(?= [a-z])"
)


MODALS = {
    "may": "must",
    "can": "must",
    "must": "may",
    "shall": "may",
    "should": "must",
    "MAY": "MUST",
    "MUST": "MAY",
    "SHALL": "MAY",
    "SHOULD": "MUST",
    "could": "must",
}


def condition_dropped(sentence: str, rng: Random) -> str | None:
    found = re.fullmatch(
        r"([^,;:]{25,}?),? (?:if|unless|provided that|as long as|only if|only when|except "
        r"when|in the event that|subject to) [^;:]+\.",
        sentence,
    )
    if found and not re.search(
        r"\b(that|whether|only|even|as|which|or|know|ask\w*|determine|see|and|not|is|are|"
        r"page|site|are not|be)$|\b(know|whether|ask|when|wonder|check|than)\b",
        found[1],
    ):
        return found[1] + "."
    found = re.fullmatch(
        r"(If|Unless|In the event that|Provided that|As long as) ([^,;:]+), ([^;:]+\.)", sentence
    )
    if not found or re.search(
        r"\b(want|wish|like|prefer|questions|possible|necessary|applicable|appropriate|"
        r"trouble|wondering|interested)\b",
        found[2],
    ):
        return None
    if (
        not main_clause(upper_first(found[3]))
        or re.match(
            r"(there|you can|you should be|you may want|and|or|which|including|such|then|"
            r"as|in which|for example|e\.g|please|where|but|do not)\b",
            found[3],
        )
        or re.search(r", (and|or) ", found[3])
    ):
        return None
    return upper_first(found[3])


def case_dropped(sentence: str, rng: Random) -> str | None:
    """Upon request, the party shall … -> The party shall …"""
    found = re.fullmatch(
        r"((?:With|Upon|Under|In (?:the )?cases?|For|During|Before|At the request|Within|"
        r"Except|Without|In rare|In some|In certain|Subject to|Outside|On request)\b "
        r"[^,;:]{3,80}), ([^;:]+\.)",
        sentence,
    )
    if not found or re.match(
        r"(For example|For instance|For this|For more|For the avoidance|At first|At the "
        r"same|For these|Under the hood|With this|With that|After that|After this|Before "
        r"that)",
        found[1],
    ):
        return None
    main = upper_first(found[2])
    parts = main_clause(main)
    if (
        not parts
        or parts[1] in {"was", "were", "had", "could", "would", "has", "have"}
        or re.match(r"(and|or|which|including)\b", found[2])
    ):
        return None
    return main


def modality(sentence: str, rng: Random) -> str | None:
    parts = main_clause(sentence)
    if not parts or parts[1] not in MODALS or NEGATION.search(sentence):
        return None
    subject, aux, rest = parts
    plural = is_plural(subject)
    if MODALS[aux] == "must" and plural is not None and rng.random() < 0.4:
        return f"{subject} {'are' if plural else 'is'} required to {rest}"
    return f"{subject} {MODALS[aux]} {rest}"


def possible_certain(sentence: str, rng: Random) -> str | None:
    """may do -> will do; may be -> is."""
    parts = main_clause(sentence)
    if not parts or parts[1] not in {"may", "could", "can", "should"} or NEGATION.search(sentence):
        return None
    subject, _, rest = parts
    if (
        rest.startswith("be ")
        and re.match(r"(The|A|An|This|It|Each)\b", subject)
        and not subject.endswith("s")
    ):
        return f"{subject} is {rest[3:]}"
    return f"{subject} will {rest}"


def hedge_dropped(sentence: str, rng: Random) -> str | None:
    found = list(HEDGES.finditer(sentence))
    if not found or (
        re.search(
            r"\b(not|very|how|as|more|most|so|and|less|be|are|is)$", sentence[: found[0].start()]
        )
        and found[0][0].strip() in {"likely", "often"}
    ):
        return None
    if re.search(r"\b(not|more|most|less|how|as|and|or)$", sentence[: found[0].start()]):
        return None
    return sentence[: found[0].start()] + sentence[found[0].end() :]


def some_all(sentence: str, rng: Random) -> str | None:
    for old in ("Some ", "Many ", "Most ", "Several ", "Certain "):
        if (
            sentence.startswith(old)
            and not NEGATION.search(sentence)
            and not re.match(
                r"\w+ (of the time|days|years|months|times|hours|notably|importantly|recently)",
                sentence,
            )
        ):
            return "All " + sentence[len(old) :]
    return None


def restriction_dropped(sentence: str, rng: Random) -> str | None:
    """Users who do X must -> Users must."""
    found = re.match(
        r"^((?:(?:An?|Any|All|Each|Every) (?:[a-z-]+ )?(?:[A-Za-z-]+ )?[A-Za-z-]+)|(?!The |"
        r"No )(?:[A-Z][a-z]+ )?[A-Za-z]+s) (?:who|that) (?:[a-z]+) [^,;:]+? (must|shall|"
        r"should|may|will|can|MUST|SHALL|SHOULD|MAY) ([^;:]+\.)$",
        sentence,
    )
    if not found or re.search(
        r"\b(is|are|was|were|agree|agrees|ensure|means?|says?|know|states?|provide|wish|"
        r"fact|idea|so|note|Note|way|likely|recommends?|believes?|suggests?)\b",
        found[1],
    ):
        return None
    if re.search(
        r"\b(you|we|it|they)$|\b(that|which)\b", sentence[len(found[1]) + 5 : found.start(2) - 1]
    ):
        return None
    return f"{found[1]} {found[2]} {found[3]}"


NOT = {
    "condition dropped": condition_dropped,
    "case dropped": case_dropped,
    "modality": modality,
    "possible certain": possible_certain,
    "hedge dropped": hedge_dropped,
    "some all": some_all,
    "restriction dropped": restriction_dropped,
}


RULES_ONLY: set[str] = set()
