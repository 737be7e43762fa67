"""What the edits know of German: verb, first constituent, subject, duties in other words."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct.lexicon import (
    LEXICONS,
    lower_first,
    upper_first,
)
from tests.benchmarks.train_cross_encoder.construct.words import (
    AUXILIARIES_DE,
    FINITE_DE,
    PLURAL_DE,
    PREPOSITIONS_DE,
    pattern,
    words,
)

FINITE = frozenset(FINITE_DE)
AUXILIARIES = frozenset(AUXILIARIES_DE)
PLURAL = frozenset(PLURAL_DE)
PREPOSITIONS = frozenset(PREPOSITIONS_DE)
CONDITION = r"wenn|soweit|sofern|solange|falls|es sei denn|vorausgesetzt|sobald"
CONNECTIVE = re.compile(pattern("german.connective"), re.I)
NEGATION = re.compile(pattern("german.negation"), re.I)
ANAPHOR = re.compile(pattern("german.anaphor"))
NO_NOUN = re.compile(pattern("german.no_noun"))
# Ends of nouns for those who can have duties.
PERSONS = pattern("german.persons")
QUANTIFIED = re.compile(pattern("german.quantified"))


def verb_second(sentence: str) -> tuple[str, str, str] | None:
    """(what stands before the finite verb, the verb, the rest without full stop)."""
    if not sentence.endswith("."):
        return None
    words = sentence[:-1].split(" ")
    for place, word in enumerate(words[:13]):
        if word.endswith((",", ";", ":")):
            return None
        if place and word in FINITE:
            front, rest = " ".join(words[:place]), " ".join(words[place + 1 :])
            return (front, word, rest) if rest and one_constituent(words[:place]) else None
    return None


def one_constituent(front: list[str]) -> bool:
    """No clause of its own before the verb, such as an unknown verb with its pronoun."""
    inner = {"er", "sie", "es", "sich", "man", "dass", "wer"}
    opening = front[0].lower() in words("german.one_constituent")
    return not opening and not inner & set(front)


def is_subject(front: str) -> bool:
    """A noun phrase that is likely the subject: an article in the nominative or a bare noun."""
    first = front.split(" ")[0]
    if first.lower() in PREPOSITIONS or ANAPHOR.match(front) or NO_NOUN.match(first):
        return False
    return first[:1].isupper() and len(front.split(" ")) <= 9


def verb_last(front: str, verb: str, rest: str) -> str | None:
    """The clause as it reads after "weil"; only of verbs that lose no prefix that way."""
    if (
        verb not in AUXILIARIES
        or "," in rest
        or re.search(r"\b(und|oder|sowie)\b.*\b(ist|sind|hat|wird|gehört|kann|war|wurde)\b", rest)
    ):
        return None
    if re.search(r" und [a-zäöü]+t ", f"{rest} "):
        return None
    return f"{lower_first(front, 'de')} {rest} {verb}"


def final_cluster(verb: str, rest: str) -> int | None:
    """Where the closing verbs or the predicate begin in the rest: the place for "nicht"."""
    words = rest.split(" ")
    if "," in rest or len(words) < 2 or not re.fullmatch(r"[a-zäöüß]{4,}", words[-1]):
        return None
    at = len(words) - 1
    if words[-1] in {"werden", "sein", "haben", "worden", "lassen"}:
        at -= 1
        if at and words[at] in {"worden", "werden"}:
            at -= 1
    if at and words[at - 1] == "zu":
        at -= 1
    if at < 1 or not re.fullmatch(r"zu|[a-zäöüß]{4,}", words[at]):
        return None
    closing = AUXILIARIES - {"hat", "haben", "hatte", "hatten"}
    return len(" ".join(words[:at])) + 1 if verb in closing else None


NOUN_PHRASE = pattern("german.noun_phrase")
NO_TAIL = pattern("german.no_tail")


def inverted(clause: str) -> tuple[str, str, str] | None:
    """(subject, verb, rest) of "hat der Arbeitgeber … zu tun.": first the verb."""
    found = re.match(rf"(\w+) (er|sie|{NOUN_PHRASE}) {NO_TAIL}(.+)$", clause)
    if not found or found[1] not in FINITE:
        return None
    return found[2], found[1], found[3]


def leading_condition(sentence: str) -> tuple[str, str] | None:
    """The condition at the head of a sentence, and the main clause with its subject first."""
    found = re.fullmatch(
        r"((?:Wenn|Soweit|Sofern|Solange|Falls|Sobald|Weil|Da) [^,;]+), (\w+ [^,;]+\.)", sentence
    )
    main = inverted(found[2]) if found else None
    if not found or not main:
        return None
    subject, verb, rest = main
    return found[1], f"{subject[:1].upper()}{subject[1:]} {verb} {rest}"


SEPARABLE = pattern("duties_de.separable")


def duty_words(sentence: str, rng: Random) -> str | None:
    """hat … zu tun -> muss … tun, ist verpflichtet, … zu tun."""
    parts = verb_second(sentence)
    if not parts or parts[1] not in {"hat", "haben"} or "," in parts[2] or not is_subject(parts[0]):
        return None
    front, verb, rest = parts
    bare = re.sub(rf"\b({SEPARABLE})zu([a-zäöüß]+n)$", r"\1\2", rest)
    bare = bare if bare != rest else re.sub(r" zu ([a-zäöüß]+n)$", r" \1", rest)
    if bare == rest or re.search(r"\bnicht\b|\bzu\b", bare):
        return None
    plural = verb == "haben"
    if not re.search(PERSONS, front):
        return f"{front} {'müssen' if plural else 'muss'} {bare}."
    return rng.choice(
        [
            f"{front} {'müssen' if plural else 'muss'} {bare}.",
            f"{front} {'sind' if plural else 'ist'} verpflichtet, {rest}.",
        ]
    )


def modal_words(sentence: str, rng: Random) -> str | None:
    """muss tun -> hat zu tun; darf tun, darf nicht tun -> ist (nicht) berechtigt, zu tun."""
    parts = verb_second(sentence)
    if not parts or "," in parts[2] or not is_subject(parts[0]):
        return None
    front, verb, rest = parts
    body, _, infinitive = rest.rpartition(" ")
    if (
        not body
        or infinitive in {"werden", "sein", "haben", "lassen"}
        or re.search(r" (und|oder) [a-zäöü]+en\b", rest)
    ):
        return None
    form = (
        LEXICONS["de"].to_infinitive(infinitive)
        if re.fullmatch(r"[a-zäöüß]{4,}n", infinitive)
        else None
    )
    plural = verb in PLURAL
    if not form or re.search(r"\bzu\b", body):
        return None
    if verb in {"muss", "müssen"} and not NEGATION.search(body):
        return f"{front} {'haben' if plural else 'hat'} {body} {form}."
    if not re.search(PERSONS, front):
        return None
    if (
        verb in {"darf", "dürfen"}
        and re.search(r"\bnicht\b", body)
        and len(NEGATION.findall(body)) == 1
    ):
        body = re.sub(r" ?\bnicht\b", "", body).strip()
        return (
            f"{front} {'sind' if plural else 'ist'} nicht berechtigt, {body} {form}."
            if body
            else None
        )
    if verb in {"darf", "dürfen"} and not NEGATION.search(body):
        return f"{front} {'sind' if plural else 'ist'} berechtigt, {body} {form}."
    return None


def must_be_done(sentence: str, rng: Random) -> str | None:
    """ist … zu tun -> muss … getan werden."""
    parts = verb_second(sentence)
    if not parts or parts[1] not in {"ist", "sind"} or "," in parts[2] or NEGATION.search(sentence):
        return None
    front, verb, rest = parts
    found = re.search(rf"^(.*?)(?: zu ([a-zäöüß]+n)| ({SEPARABLE})zu([a-zäöüß]+n))$", " " + rest)
    if not found or re.search(r"\b(und|oder|zu|berechtigt|verpflichtet)\b", found[1]):
        return None
    past = LEXICONS["de"].participle(found[2] or found[3] + found[4])
    return (
        f"{front} {'müssen' if verb == 'sind' else 'muss'}{found[1]} {past} werden."
        if past
        else None
    )


def passive(sentence: str, rng: Random) -> str | None:
    """Die Behörde kann den Antrag ablehnen. -> Der Antrag kann von ihr abgelehnt werden."""
    found = re.fullmatch(
        r"(Der|Die|Das) ([a-zäöüß]+e )?([A-ZÄÖÜ][\wäöüß-]+) (kann|muss|darf|soll) (den|das|"
        r"die|einen|eine|ein)( [a-zäöüß]+(?:en|e|es))? ([A-ZÄÖÜ][\wäöüß-]+)( [^,;]*?)? "
        r"([a-zäöüß]{4,}n)\.",
        sentence,
    )
    if (
        not found
        or NEGATION.search(sentence)
        or re.search(r"\bsich\b| und | oder |\bzu\b", found[8] or "")
    ):
        return None
    article, adjective, noun, modal, its, quality, thing, rest, infinitive = found.groups()
    past = LEXICONS["de"].participle(infinitive)
    singular = its != "die" or (
        re.search(r"(ung|heit|keit|ion|schaft|tät|nis|e)$", thing) and not thing.endswith("nisse")
    )
    if (
        not past
        or not singular
        or (its in {"den", "einen"} and LEXICONS["de"].nominative(thing) != "Der")
        or (its == "die" and thing.endswith("e") and not LEXICONS["de"].nominative(thing))
    ):
        return None
    nominative = {"den": "Der", "einen": "Ein"}.get(its, upper_first(its))
    if quality:
        quality = {
            "den": " " + quality.strip()[:-1],
            "einen": " " + quality.strip()[:-1] + "r",
        }.get(its, quality)
    dative = {"Der": "dem", "Das": "dem", "Die": "der"}[article]
    agent = f"von {dative} {adjective.strip() + 'n ' if adjective else ''}{noun}".replace(
        "von dem ", "vom " if rng.random() < 0.5 else "von dem "
    )
    return f"{nominative}{quality or ''} {thing} {modal} {agent}{rest or ''} {past} werden."
