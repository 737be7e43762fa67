"""Edits of one German sentence that leave its truth as it is."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct import numbers
from tests.benchmarks.train_cross_encoder.construct.german import (
    ANAPHOR,
    CONNECTIVE,
    NEGATION,
    PREPOSITIONS,
    duty_words,
    inverted,
    leading_condition,
    modal_words,
    must_be_done,
    passive,
    verb_second,
)
from tests.benchmarks.train_cross_encoder.construct.lexicon import lower_first, upper_first
from tests.benchmarks.train_cross_encoder.construct.words import SAME_DE, pattern

ADVERBS = re.compile(pattern("says_de.adverbs"))
ITEM = r"(?:[a-zäöüß]+(?:en|er|e|es) )?[A-ZÄÖÜ][a-zäöüß\-]{3,}"
SERIES = re.compile(rf"({ITEM}), ({ITEM})((?:, {ITEM})*) und ({ITEM})(?=[ .,])")
NOT_A_SERIES = re.compile(pattern("says_de.not_a_series"))


def replace_word(sentence: str, old: str, new: str) -> str | None:
    """One word exchanged where it stands as a word; None where it does not."""
    if old not in sentence:
        return None
    changed, count = re.subn(
        rf"(?<![\wäöüß-]){re.escape(old)}(?![\wäöüß-])", new, sentence, count=1
    )
    return changed if count and changed != sentence else None


def drop_parenthesis(sentence: str, rng: Random) -> str | None:
    found = re.search(r" \((?![\d\w]{1,2}\))[^()]{3,150}\)", sentence)
    return sentence[: found.start()] + sentence[found.end() :] if found else None


def drop_adverb(sentence: str, rng: Random) -> str | None:
    found = [
        m
        for m in ADVERBS.finditer(sentence)
        if not re.search(r"(nicht|sondern|als|so|wie|und|oder|,)$", sentence[: m.start()])
    ]
    if not found or NEGATION.search(ADVERBS.sub("", sentence)):
        return None
    chosen = rng.choice(found)
    return sentence[: chosen.start()] + sentence[chosen.end() :]


def drop_conjunct(sentence: str, rng: Random) -> str | None:
    """One member of a series of three or more nouns less."""
    found = SERIES.search(sentence)
    if not found or NEGATION.search(sentence) or NOT_A_SERIES.search(sentence[: found.start()]):
        return None
    first, second, more, last = found.groups()
    members = [first, second, *(m for m in more.split(", ") if m)]
    del members[rng.randrange(1, len(members))]
    joined = ", ".join(members) + " und " + last
    return sentence[: found.start()] + joined + sentence[found.end() :]


def synonym(sentence: str, rng: Random) -> str | None:
    """One or two words for others; "kann" only of authorities and the like, as a permission."""
    done, changed = 0, sentence
    present = [pair for pair in SAME_DE if pair[0] in sentence]
    for old, new in rng.sample(present, len(present)):
        if old == "kann" and not re.match(
            r"(Die|Der) [^,]{0,30}([Bb]ehörde|[Mm]inisterium|amt|anstalt|regierung) kann ", sentence
        ):
            continue
        if old in {"mindestens", "höchstens", "zulässig", "erforderlich"} and re.search(
            rf"nicht {old}", changed
        ):
            continue
        if done < 2 and (found := replace_word(changed, old, new)):
            done, changed = done + 1, found
    return changed if done else None


def condition_first(sentence: str, rng: Random) -> str | None:
    """B, wenn A. -> Wenn A, B."""
    found = re.fullmatch(
        r"([^,;:]+), (wenn|soweit|sofern|solange|falls|sobald|weil|da) ([^;:]+)\.", sentence
    )
    parts = verb_second(found[1] + ".") if found else None
    if (
        not found
        or not parts
        or re.search(
            r"\bund\b.*\b(?:kann|muss|ist|wird)\b|\b(auch|dann|nur|erst)\b|\b(denen|der|"
            r"die|das)\b[^,]*$",
            found[1] if "," in found[3] else "",
        )
        or re.search(r"\b(auch|dann|nur|erst)\b", found[1])
    ):
        return None
    front, verb, rest = parts
    return f"{upper_first(found[2])} {found[3]}, {verb} {lower_first(front, 'de')} {rest}."


def condition_last(sentence: str, rng: Random) -> str | None:
    """Wenn A, V S R. -> S V R, wenn A."""
    parts = leading_condition(sentence)
    return f"{parts[1][:-1]}, {lower_first(parts[0], 'de')}." if parts else None


def phrase_inside(sentence: str, rng: Random) -> str | None:
    """Im Jahr 1990 wurde sie gegründet. -> Sie wurde im Jahr 1990 gegründet."""
    parts = verb_second(sentence)
    if not parts or parts[0].split(" ")[0].lower() not in PREPOSITIONS or "," in parts[2]:
        return None
    turned = inverted(f"{parts[1]} {parts[2]}.")
    if not turned or len(parts[0].split(" ")) > 7:
        return None
    return f"{upper_first(turned[0])} {turned[1]} {lower_first(parts[0], 'de')} {turned[2]}"


def number_format(sentence: str, rng: Random) -> str | None:
    return numbers.rewrite(sentence, "de", rng)


def anaphoric(sentence: str) -> bool:
    return bool(ANAPHOR.match(sentence) or CONNECTIVE.search(sentence))


SAYS = {
    "parenthesis dropped": drop_parenthesis,
    "adverb dropped": drop_adverb,
    "conjunct dropped": drop_conjunct,
    "synonym": synonym,
    "duty in other words": duty_words,
    "modal in other words": modal_words,
    "must be done": must_be_done,
    "passive": passive,
    "condition first": condition_first,
    "condition last": condition_last,
    "phrase inside": phrase_inside,
    "number format": number_format,
}
