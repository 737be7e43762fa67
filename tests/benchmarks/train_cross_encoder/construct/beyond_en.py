"""Edits of one English sentence that say more than it, or another thing."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct.english import (
    NEGATION,
    is_plural,
    main_clause,
    replace_word,
)
from tests.benchmarks.train_cross_encoder.construct.lexicon import upper_first
from tests.benchmarks.train_cross_encoder.construct.words import pairs, pattern

HEDGES = re.compile(pattern("beyond_en.hedges"))
RAISED = pairs("beyond_en.raised")


RULES = {"must", "shall", "should"}
MODALS = dict(pairs("beyond_en.modals"))


def condition_dropped(sentence: str, rng: Random) -> str | None:
    found = re.fullmatch(
        r"([^,;:]{25,}?),? (?:if|unless|provided that|as long as|only if|only when|except "
        r"when|in the event that|subject to) [^;:]+\.",
        sentence,
    )
    if found and not re.search(
        r"\b(that|whether|only|even|as|which|or|know|ask\w*|determine|see|and|not|is|are|"
        r"page|site|are not|be)$|\b(knows?|knew|whether|ask|when|wonder|check|than|"
        r"tell)\b|^There\b",
        found[1],
    ):
        unfit = re.search(r" (if|unless) \w+\.$|\b(wish|want|like|have not|questions)\b", sentence)
        return found[1] + "." if main_clause(found[1] + ".") and not unfit else None
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
        r"Except|Without|Subject to|Outside|On request)\b "
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
        or re.match(r"(and|or|which|including|it)\b", found[2])
        or (re.match(r"For|With|During", found[1]) and parts[1].lower() not in RULES)
    ):
        return None
    return main


def modality(sentence: str, rng: Random) -> str | None:
    parts = main_clause(sentence)
    if not parts or parts[1] not in MODALS or NEGATION.search(sentence):
        return None
    subject, aux, rest = parts
    plural = None if subject == "There" else is_plural(subject)
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
    if not found:
        return None
    before = sentence[: found[0].start()]
    if re.search(r"\b(not|very|more|most|less|how|as|and|or)$", before):
        return None
    if found[0][0] == " likely" and re.search(r"\b(be|are|is|was|were)$", before):
        return None
    return before + sentence[found[0].end() :]


def hedge_raised(sentence: str, rng: Random) -> str | None:
    """often -> always."""
    found = [changed for old, new in RAISED if (changed := replace_word(sentence, old, new))]
    unfit = re.search(
        r"n't\b|\b(not|most|more|very|as|how|so|too|almost|nearly|always|never)\b", sentence
    )
    return rng.choice(found) if found and not unfit else None


def some_all(sentence: str, rng: Random) -> str | None:
    for old in ("Some ", "Many ", "Most ", "Several ", "Certain "):
        if (
            sentence.startswith(old)
            and not NEGATION.search(sentence)
            and not re.match(
                r"\w+ (of the time|days|years|months|times|hours|notably|importantly|"
                r"important|likely|recently)",
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
        r"fact|idea|so|note|Note|way|likely|recommends?|believes?|suggests?|acknowledges?|ensures?|"
        r"requires?|represents?|warrants?|confirms?|indicates?|implies|shows?|recognizes?|"
        r"understands?|specifies|guarantees?|us|party|This|It)\b",
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
    "hedge raised": hedge_raised,
    "some all": some_all,
    "restriction dropped": restriction_dropped,
}


RULES_ONLY: set[str] = set()
