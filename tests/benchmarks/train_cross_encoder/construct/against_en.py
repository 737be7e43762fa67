"""Edits of one English sentence that turn it against its truth."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct import numbers
from tests.benchmarks.train_cross_encoder.construct.english import (
    NEGATION,
    is_plural,
    main_clause,
    replace_word,
)
from tests.benchmarks.train_cross_encoder.construct.lexicon import lower_first, upper_first
from tests.benchmarks.train_cross_encoder.construct.words import OPPOSITE_EN, pattern

ONE_WAY = {"prior to", "except", "other than", "with the"}


ACTORS = pattern("against_en.actors")


HELPERS = pattern("against_en.helpers")


def number(sentence: str, rng: Random) -> str | None:
    return numbers.exchange(sentence, "en", rng)


def negation_in(sentence: str, rng: Random) -> str | None:
    parts = main_clause(sentence)
    if NEGATION.search(sentence):
        return None
    if not parts:
        we = re.match(rf"^(We|You|I|They) {HELPERS} ", sentence)
        return f"{we[1]} do not {sentence[len(we[1]) + 1 :]}" if we else None
    subject, aux, rest = parts
    if aux.lower() == "may" or re.match(
        r"(Some|Many|Several|Most|A|An|One|Certain|Other|Parts?|You)\b", subject
    ):
        return None
    if re.match(
        r"(more|so|very|one|among|always|still|now|often|usually|generally|sometimes|hard|"
        r"difficult)\b",
        rest,
    ):
        return None
    negated = "cannot" if aux == "can" else aux + (" NOT" if aux.isupper() else " not")
    return f"{subject} {negated} {rest}"


def negation_out(sentence: str, rng: Random) -> str | None:
    """The one "not" of a main clause taken out."""
    if len(NEGATION.findall(sentence)) != 1 or re.search(
        r"[;:]|^(If|When|Where|While|As|Since|Although|Please)\b|\b(if|unless|because|that|"
        r"whether|when|who|which)\b",
        sentence,
    ):
        return None
    found = re.match(
        r"^([^,]*? (?:is|are|was|were|will|must|shall|should|can|could|would|MUST|SHALL|"
        r"SHOULD)) (?:not|NOT) (?!only|just|yet|all|every|necessarily)(.*)$",
        sentence,
    )
    if found:
        return f"{found[1]} {found[2]}"
    found = re.match(r"^([^,]*?) cannot (.*)$", sentence)
    if found:
        return f"{found[1]} can {found[2]}"
    found = re.match(r"^([^,]*?) (do|does) not (?!yet)([a-z]+)\b(.*)$", sentence)
    if not found or (found[2] == "does" and re.search(r", | or ", found[4])):
        return None
    third = found[3] + ("es" if re.search(r"(s|sh|ch|x|o)$", found[3]) else "s")
    verb = (
        found[3]
        if found[2] == "do"
        else {"have": "has", "apply": "applies", "specify": "specifies"}.get(found[3], third)
    )
    return f"{found[1]} {verb}{found[4]}"


def opposite(sentence: str, rng: Random) -> str | None:
    if re.match(r"(If|When|Where|Unless|Before|After|As)\b", sentence) or re.search(
        r"\b(not|no|never|neither|or after|and after|or before|whether|and below|or below|"
        r"or more|if|unless)\b",
        sentence,
    ):
        return None
    pairs = OPPOSITE_EN + [(two, one) for one, two in OPPOSITE_EN if one not in ONE_WAY]
    if re.search(
        r"\b(named|year|soon|shortly|even|day|long|look\w*|immediately) (after|before)", sentence
    ):
        return None
    found = [
        changed
        for old, new in pairs
        if old in sentence
        and not re.search(rf"\b{new}\b", sentence)
        and (changed := replace_word(sentence, old, new))
    ]
    return rng.choice(found) if found else None


def ban(sentence: str, rng: Random) -> str | None:
    parts = main_clause(sentence)
    if (
        not parts
        or parts[1].lower() not in {"must", "shall", "may", "should"}
        or NEGATION.search(sentence)
    ):
        return None
    subject, aux, rest = parts
    if aux == "may" and not re.search(rf"(You|Users?|Employees?|Customers?|{ACTORS})$", subject):
        return None
    words = {"may": "must not", "MAY": "MUST NOT"}
    plural = None if subject == "There" else is_plural(subject)
    if plural is not None and rng.random() < 0.4:
        be, allowed = "are" if plural else "is", rng.choice(["allowed", "permitted"])
        return f"{subject} {be} not {allowed} to {rest}"
    return f"{subject} {words.get(aux, aux + (' NOT' if aux.isupper() else ' not'))} {rest}"


def all_none(sentence: str, rng: Random) -> str | None:
    if NEGATION.search(sentence) or not main_clause(sentence):
        return None
    for old, new in (("All ", "No "), ("Every ", "No "), ("Each ", "No ")):
        if sentence.startswith(old) and not re.match(
            old + r"(of|the|these|those|our|your|other|time|in|rights|\d)\b", sentence
        ):
            return new + sentence[len(old) :]
    return None


def sides(sentence: str, rng: Random) -> str | None:
    """The A must notify the B -> The B must notify the A; actors only."""
    noun = rf"(?:[A-Za-z]+ ){{0,2}}{ACTORS}"
    found = re.match(
        rf"^(The {noun}) (must|shall|may|should|will|can|MUST|SHALL|SHOULD|MAY)( not| "
        rf"NOT)? ([a-z]+)( to| with)? (the {noun})(?=[ .,])(?! (?:or|and|whose|"
        rf"that)\b)(.*)$",
        sentence,
    )
    if not found or found[1].lower() == found[6].lower() or found[7].startswith(("'", "’", "-")):
        return None
    one, aux, no, verb, to, two, rest = found.groups()
    return f"{upper_first(two)} {aux}{no or ''} {verb}{to or ''} {lower_first(one, 'en')}{rest}"


CONTRADICTS = {
    "number": number,
    "negation in": negation_in,
    "negation out": negation_out,
    "opposite": opposite,
    "ban": ban,
    "all none": all_none,
    "sides exchanged": sides,
}
