"""German duties and permissions in other words, active or passive."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct.german import (
    NEGATION,
    PERSONS,
    PLURAL,
    is_subject,
    verb_second,
)
from tests.benchmarks.train_cross_encoder.construct.lexicon import LEXICONS, upper_first

SEPARABLE = (
    r"(?:auf|ab|an|aus|bei|ein|mit|nach|vor|zurück|fest|her|hin|dar|weiter|sicher|"
    r"bereit|unter|offen|bekannt|statt|teil|zusammen|wieder|entgegen|über|um|durch|"
    r"heraus|hinzu|vorweg|frei)"
)


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
