"""Edits of one German sentence that say more than it, or another thing."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct.against_de import duty_as_must
from tests.benchmarks.train_cross_encoder.construct.german import (
    CONDITION,
    NEGATION,
    inverted,
    leading_condition,
    verb_second,
)
from tests.benchmarks.train_cross_encoder.construct.lexicon import upper_first
from tests.benchmarks.train_cross_encoder.construct.says_de import replace_word
from tests.benchmarks.train_cross_encoder.construct.words import pairs, pattern, words

HEDGES = re.compile(pattern("beyond_de.hedges"))
RAISED = pairs("beyond_de.raised")


MODALS = dict(pairs("beyond_de.modals"))


TIMES = pattern("beyond_de.times")


def condition_dropped(sentence: str, rng: Random) -> str | None:
    found = re.fullmatch(rf"([^,;:]{{20,}}), (?:{CONDITION}),? [^;:]+\.", sentence)
    if (
        found
        and verb_second(found[1] + ".")
        and not re.search(r"\b(nur|erst|so|auch|dann|oder|ob|darauf|dafür|davon)\b", found[1])
    ):
        return found[1] + "."
    parts = leading_condition(sentence) if not re.match(r"(Weil|Da)\b", sentence) else None
    return parts[1] if parts else None


def case_dropped(sentence: str, rng: Random) -> str | None:
    """In den Fällen des § 3 kann die Behörde … -> Die Behörde kann …"""
    parts = verb_second(sentence)
    if not parts or not re.match(
        r"(In den Fällen|Im Fall|Im Falle|Bei (?!de[mr] )|Auf Antrag|Auf Verlangen|"
        r"Mit Zustimmung|Nach Ablauf|Mit Einwilligung|In besonderen|In begründeten|"
        r"In Ausnahmefällen|In dringenden)",
        parts[0],
    ):
        return None
    turned = inverted(f"{parts[1]} {parts[2]}.")
    if not turned or parts[1] in words("beyond_de.case_dropped"):
        return None
    return f"{upper_first(turned[0])} {turned[1]} {turned[2]}"


def modality(sentence: str, rng: Random) -> str | None:
    parts = verb_second(duty_as_must(sentence) or sentence)
    if (
        not parts
        or parts[1] not in MODALS
        or NEGATION.search(sentence)
        or not parts[2].endswith("n")
    ):
        return None
    front, verb, rest = parts
    return f"{front} {MODALS[verb]} {rest}."


def hedge_dropped(sentence: str, rng: Random) -> str | None:
    found = list(HEDGES.finditer(sentence))
    if not found or re.search(r"\b(nicht|sehr|wie|so|am)$", sentence[: found[0].start()]):
        return None
    return sentence[: found[0].start()] + sentence[found[0].end() :]


def hedge_raised(sentence: str, rng: Random) -> str | None:
    """oft -> immer."""
    found = [changed for old, new in RAISED if (changed := replace_word(sentence, old, new))]
    unfit = re.search(r"\b(nicht|sehr|wie|so|am|zu|recht|ganz)\b|\bzum Teil\b.*\bTeil\b", sentence)
    return rng.choice(found) if found and not unfit else None


def some_all(sentence: str, rng: Random) -> str | None:
    for old in ("Einige ", "Manche ", "Viele ", "Die meisten ", "Zahlreiche "):
        if (
            sentence.startswith(old)
            and not re.match(old + "(?:wenige|Sekunden|" + TIMES[1:], sentence)
            and verb_second(sentence)
        ):
            noun = re.sub(r"^([a-zäöüß]+e) (?=[A-ZÄÖÜ])", r"\1n ", sentence[len(old) :])
            return "Alle " + noun
    return None


def restriction_dropped(sentence: str, rng: Random) -> str | None:
    """Personen, die …, müssen -> Personen müssen; of rules, where such clauses restrict."""
    found = re.fullmatch(
        r"((?:Die |Der |Das |Eine? |Jeder? )?(?:[a-zäöüß]+ )?[A-ZÄÖÜ][a-zäöüß]+), (?:die|"
        r"der|das|denen|dem|deren|dessen|bei \w+|für \w+|auf \w+|in \w+) [^,;]+, (\w+) "
        r"([^;]+\.)",
        sentence,
    )
    if not found or found[2] not in words("beyond_de.restriction_dropped"):
        return None
    return f"{found[1]} {found[2]} {found[3]}"


NOT = {
    "condition dropped": condition_dropped,
    "case dropped": case_dropped,
    "modality": modality,
    "hedge dropped": hedge_dropped,
    "hedge raised": hedge_raised,
    "some all": some_all,
    "restriction dropped": restriction_dropped,
}


RULES_ONLY = {"restriction dropped", "case dropped"}
