"""Edits of one German sentence that turn it against its truth."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct import numbers
from tests.benchmarks.train_cross_encoder.construct.german import (
    NEGATION,
    PERSONS,
    QUANTIFIED,
    duty_words,
    final_cluster,
    is_subject,
    verb_second,
)
from tests.benchmarks.train_cross_encoder.construct.lexicon import LEXICONS
from tests.benchmarks.train_cross_encoder.construct.says_de import replace_word
from tests.benchmarks.train_cross_encoder.construct.words import OPPOSITE_DE, pairs, pattern

EVENT = pattern("against_de.event")


BANS = dict(pairs("against_de.bans"))


def number(sentence: str, rng: Random) -> str | None:
    return numbers.exchange(sentence, "de", rng)


def negation_in(sentence: str, rng: Random) -> str | None:
    parts = verb_second(sentence)
    if not parts or NEGATION.search(sentence) or QUANTIFIED.match(parts[0]):
        return None
    front, verb, rest = parts
    article = re.match(r"(ein|eine|einen|einem|einer)\b(?= )", rest)
    if verb in {"ist", "sind", "war", "waren", "hat", "haben"} and article and is_subject(front):
        return f"{front} {verb} k{rest}."
    at = final_cluster(verb, rest)
    if at is None or re.search(
        r"\b(sehr|besonders|so|weit|mehr|weniger|zum|ein|eine|einen|und|oder)$", rest[:at].strip()
    ):
        return None
    return f"{front} {verb} {rest[:at]}nicht {rest[at:]}."


def negation_out(sentence: str, rng: Random) -> str | None:
    """The one "nicht" or "kein" of a main clause taken out."""
    parts = verb_second(sentence)
    if not parts or len(NEGATION.findall(sentence)) != 1 or "," in sentence:
        return None
    if re.search(
        r"\b(d\w\w|eine\w?|oder|und) nicht|nicht (nur|mehr|weniger|immer|alle|jede\w*|zu|"
        r"über|unter|länger)\b|noch nicht|gar nicht|überhaupt|unberührt",
        sentence,
    ) or re.search(
        r"\bnicht (?:[a-zäöüß]+ )*[a-zäöüß]+[tn]e[nrsm]? [A-ZÄÖÜ]|keine? (dies|der)", sentence
    ):
        return None
    changed = re.sub(r" nicht(?= )", "", sentence, count=1)
    if changed == sentence:
        changed = re.sub(
            r"\bk(ein(?:e|en|em|er|es)?) (?=[\wäöüß-]+(?:ung|heit|keit|t|r|l)\b)",
            r"\1 ",
            sentence,
            count=1,
        )
        changed = re.sub(r"^[Kk]ein", "Ein", changed)
    return changed if changed != sentence else None


def opposite(sentence: str, rng: Random) -> str | None:
    if re.match(r"(Wenn|Soweit|Sofern|Falls|Ist|Hat|Wird|Sind) ", sentence) or re.search(
        r"\bnicht\b|\bkein|\bohne\b|\bwenn\b|\bsoweit\b", sentence
    ):
        return None
    pairs = OPPOSITE_DE + [
        (two, one) for one, two in OPPOSITE_DE if " " not in two and one != "maximal"
    ]
    found = [
        changed
        for old, new in pairs
        if old in sentence
        and not replace_word(sentence, new, "")
        and (changed := replace_word(sentence, old, new))
    ]
    for old, new in (("vor", "nach"), ("nach", "vor")):
        found += (
            [re.sub(rf"\b{old} {EVENT}", f"{new} ", sentence, count=1)]
            if re.search(rf"(?<!benannt )\b{old} {EVENT}(?=de[mnr] )", sentence)
            else []
        )
    return rng.choice(found) if found else None


def duty_as_must(sentence: str) -> str | None:
    for seed in range(4):
        changed = duty_words(sentence, Random(seed))
        if changed and " verpflichtet, " not in changed:
            return changed
    return None


def ban(sentence: str, rng: Random) -> str | None:
    """A duty or a permission made a prohibition."""
    parts = verb_second(duty_as_must(sentence) or sentence)
    if not parts or parts[1] not in BANS or NEGATION.search(sentence) or not is_subject(parts[0]):
        return None
    front, verb, rest = parts
    words = rest.split(" ")
    if (
        "," in rest
        or not re.fullmatch(r"[a-zäöüß]{3,}n", words[-1])
        or QUANTIFIED.match(front)
        or words[-1] == "sein"
    ):
        return None
    at = -2 if words[-1] in {"werden", "haben", "lassen"} and len(words) > 1 else -1
    body = [*words[:at], "nicht", *words[at:]]
    return f"{front} {BANS[verb]} {' '.join(body)}."


def all_none(sentence: str, rng: Random) -> str | None:
    if NEGATION.search(sentence) or re.search(r",|\b(und|oder) jede", sentence):
        return None
    for old, new in (
        ("Alle ", "Keine "),
        ("Jeder ", "Kein "),
        ("Jede ", "Keine "),
        ("Jedes ", "Kein "),
    ):
        if (
            sentence.startswith(old)
            and not re.match(
                r"\w+ (sein|ihr|dies|der|die|weiteren|übrigen|anderen|\d|zwei|drei|vier)", sentence
            )
            and verb_second(sentence)
        ):
            if old == "Alle " or old == "Jede ":
                return new + sentence[len(old) :]
            ending = "es" if old == "Jedes " else "er"
            return new + re.sub(r"^(\w+t|[a-zäöüß]+)e(?= )", rf"\1{ending}", sentence[len(old) :])
    return None


def sides(sentence: str, rng: Random) -> str | None:
    """Der A hat dem B … -> Der B hat dem A …; both singular, of known gender."""
    found = re.match(
        r"(Der|Die|Das)((?: [a-zäöüß]+e)?) ([A-ZÄÖÜ][\wäöüß-]+) (hat|kann|muss|darf|soll|"
        r"teilt|übermittelt|erteilt|informiert|unterrichtet) (dem|der|den|die)((?: "
        r"[a-zäöüß]+en?)?) ([A-ZÄÖÜ][\wäöüß-]+)(?= (?!des |der |und |oder |von |nach |für |"
        r"in |im )[\w§]|\.)(.*)$",
        sentence,
    )
    if not found:
        return None
    article, quality, one, verb, its, its_quality, two, rest = found.groups()
    known = LEXICONS["de"].nominative(two)
    fits = {"dem": ("Der", "Das"), "der": ("Die",), "den": ("Der",), "die": ("Die",)}[its]
    if (
        known not in fits
        or not known
        or one == two
        or not re.search(PERSONS, one)
        or not re.search(PERSONS, two)
    ):
        return None
    accusative = its in {"den", "die"}
    lower = {
        "Der": "den" if accusative else "dem",
        "Die": "die" if accusative else "der",
        "Das": "das" if accusative else "dem",
    }[article]
    new_quality = quality + ("n" if quality and lower in {"den", "dem", "der"} else "")
    nominative_quality = its_quality[:-1] if its_quality.endswith("en") else its_quality
    return f"{known}{nominative_quality} {two} {verb} {lower}{new_quality} {one}{rest}"


CONTRADICTS = {
    "number": number,
    "negation in": negation_in,
    "negation out": negation_out,
    "opposite": opposite,
    "ban": ban,
    "all none": all_none,
    "sides exchanged": sides,
}
