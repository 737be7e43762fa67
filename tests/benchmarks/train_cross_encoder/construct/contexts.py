"""Claims that need more than one sentence of the text: joins, pronouns, headings, neighbours."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct import english, german, numbers
from tests.benchmarks.train_cross_encoder.construct.lexicon import lower_first
from tests.benchmarks.train_cross_encoder.construct.lists import (
    later_item,
    list_item,
    one_of_conditions,
    section_named,
    wrong_section,
)
from tests.benchmarks.train_cross_encoder.construct.passages import Passage
from tests.benchmarks.train_cross_encoder.construct.places import (
    PLURAL,
    Context,
    Made,
    anaphoric,
    base,
    fit,
    pair,
    shared,
    subject_of,
)
from tests.benchmarks.train_cross_encoder.construct.words import words

SMALL = {"der", "die", "das", "ein", "eine", "the", "a", "an", "of", "and", "und"}


# -- says -----------------------------------------------------------------------------------


def joined(passage: Passage, index: int, rng: Random) -> Made | None:
    """Two sentences of the quote as one."""
    reach = rng.choice([1, 2])
    found = pair(passage, index, reach)
    if not found:
        return None
    one, two = found if rng.random() < 0.6 else found[::-1]
    and_, while_ = ("und", "wobei") if passage.lang == "de" else ("and", "and")
    parts = german.verb_second(two) if passage.lang == "de" else None
    last = german.verb_last(*parts) if parts else None
    if last and rng.random() < 0.5:
        return Made(f"{one[:-1]}, {while_} {last}.", index, index + reach)
    link = rng.choice([f", {and_}", f", {and_}", ";"])
    return Made(f"{one[:-1]}{link} {lower_first(two, passage.lang)}", index, index + reach)


def resolved(passage: Passage, index: int, rng: Random) -> Made | None:
    """The pronoun at the head replaced by the subject of the sentence before."""
    if passage.lang != "de" or index + 1 >= len(passage.sentences):
        return None
    before, after = base(passage, index), base(passage, index + 1)
    subject, pronoun = subject_of(before, passage.lang), after.split(" ")[0]
    if not subject or not fit(after) or not agrees(subject, pronoun, after):
        return None
    name = re.sub(r" \(.*?\)", "", subject[0])
    return Made(name + after[len(pronoun) :], index, index + 1)


def agrees(subject: tuple[str, str], pronoun: str, after: str) -> bool:
    """Whether the pronoun can only mean that subject; in German gender and number tell."""
    name, verb = subject
    words = after.split(" ")
    if len(words) < 2 or words[1] not in german.FINITE or len(name.split(" ")) > 3:
        return False
    fitting = (pronoun, name.split(" ")[0]) in {("Er", "Der"), ("Es", "Das"), ("Sie", "Die")}
    return fitting and (words[1] in PLURAL) == (verb in PLURAL)


# -- against the quote ------------------------------------------------------------------------


def number_borrowed(passage: Passage, index: int, rng: Random) -> Made | None:
    """A number that stands elsewhere in the quote put in the place of this one."""
    for reach in (1, -1):
        if 0 <= index + reach < len(passage.sentences) and fit(base(passage, index)):
            claim = numbers.borrow(
                base(passage, index), base(passage, index + reach), passage.lang, rng
            )
            if claim:
                return Made(claim, min(index, index + reach), max(index, index + reach))
    return None


# -- beyond the quote -------------------------------------------------------------------------


def cause(passage: Passage, index: int, rng: Random) -> Made | None:
    """Two sentences of the quote that do not follow one another, one made the other's cause."""
    found = pair(passage, index, 2)
    if not found:
        return None
    two, one = found if rng.random() < 0.7 else found[::-1]
    if passage.lang == "en":
        small = lower_first(two, "en")
        after = f"{one[:-1]} because {small}"
        return Made(
            rng.choice([after, f"Because {small[:-1]}, {lower_first(one, 'en')}"]), index, index + 1
        )
    parts = german.verb_second(two)
    last = german.verb_last(*parts) if parts else None
    if not last or rng.random() < 0.3:
        return Made(f"{one[:-1]}, denn {lower_first(two, 'de')}", index, index + 2)
    return Made(f"{one[:-1]}, weil {last}.", index, index + 2)


def other_subject(passage: Passage, index: int, rng: Random) -> Made | None:
    """The subject of another sentence of the quote with this predicate; only of rules."""
    reach = rng.choice([-2, -1, 1, 2])
    rule = passage.src in {"law", "contractnli"} or (passage.lang == "en" and passage.src == "md")
    if not rule or not 0 <= index + reach < len(passage.sentences):
        return None
    one, two = base(passage, index), base(passage, index + reach)
    mine, its = subject_of(one, passage.lang), subject_of(two, passage.lang)
    if (
        not fit(one)
        or not fit(two)
        or not mine
        or not its
        or not exchangeable(mine, its, passage.lang)
    ):
        return None
    claim = its[0] + one[len(mine[0]) :]
    return Made(claim, min(index, index + reach), max(index, index + reach))


def exchangeable(mine: tuple[str, str], its: tuple[str, str], lang: str) -> bool:
    """Both of one number, neither a part of the other, and each a thing of its own."""
    one, two = set(mine[0].lower().split()), set(its[0].lower().split())
    if (one - SMALL) & (two - SMALL) or (mine[1] in PLURAL) != (its[1] in PLURAL):
        return False
    if lang == "de":
        return all(re.match(r"(Der|Die|Das|Ein|Eine) ", name) for name in (mine[0], its[0]))
    modal = {"must", "shall", "may", "should"}
    plain = all(
        re.match(r"(The|An?|Each|Every|All|[A-Z]\w+)\b", name) for name in (mine[0], its[0])
    )
    same = english.is_plural(mine[0]) == english.is_plural(its[0])
    return plain and same and mine[1].lower() in modal and its[1].lower() in modal


def next_sentence(passage: Passage, index: int, rng: Random) -> Made | None:
    """A sentence that follows or precedes the quote, the one nearest to it in words."""
    near = [
        n for n in range(index - 3, index + 4) if n != index and 0 <= n < len(passage.sentences)
    ]
    good = [
        n for n in near if fit(base(passage, n)) and not anaphoric(base(passage, n), passage.lang)
    ]
    if not good or not fit(base(passage, index)):
        return None
    nearest = max(good, key=lambda n: shared(base(passage, n), base(passage, index)))
    if not 0.35 < shared(base(passage, nearest), base(passage, index)) < 0.85:
        return None
    return Made(base(passage, nearest), index, index, passage.sentences[index])


def detail_added(passage: Passage, index: int, rng: Random) -> Made | None:
    """A time, place or case from a sentence outside the quote put at the head."""
    sentence = base(passage, index)
    subject = subject_of(sentence, passage.lang)
    others = [base(passage, n) for n in range(len(passage.sentences)) if n != index]
    phrases = [p for p in (leading_phrase(other, passage.lang) for other in others) if p]
    if not fit(sentence) or not subject or not phrases:
        return None
    phrase = rng.choice(phrases)
    heavy = [word for word in re.findall(r"\w+", phrase) if len(word) > 4]
    if any(word.lower() in sentence.lower() for word in heavy) or (
        re.search(r"\b(18|19|20)\d\d\b", phrase) and re.search(r"\b(18|19|20)\d\d\b", sentence)
    ):
        return None
    rest = sentence[len(subject[0]) + len(subject[1]) + 2 :]
    claim = f"{phrase}, {lower_first(sentence, 'en')}"
    if passage.lang == "de":
        claim = f"{phrase} {subject[1]} {lower_first(subject[0], 'de')} {rest}"
    return Made(claim, index, index, passage.sentences[index])


def leading_phrase(sentence: str, lang: str) -> str | None:
    """A phrase of time, place or case at the head of a sentence."""
    if lang == "en":
        found = re.match(
            r"((?:In|On|During|At|Since|After|Before|By|For|From|Within|Under|Until) "
            r"(?:[\w'-]+ ?){1,6}), (?:the|a|an|it|he|she|they|we|you)\b",
            sentence,
        )
        vague = found and re.search(
            r"\b(example|instance|addition|particular|this|that|these|those|fact|order|"
            r"turn|general|contrast|first|same|such|its|their|his|her|both|default|other|"
            r"most|some|many)\b",
            found[1],
        )
        return found[1] if found and not vague else None
    parts = german.verb_second(sentence)
    if not parts or not 2 <= len(parts[0].split(" ")) <= 6:
        return None
    first = parts[0].split(" ")[0]
    vague = re.search(
        r"\b(diese\w*|Absatz|Absatzes|Satz|ihr\w*|sein\w*|anderem|Beispiel|Teil|Gegensatz|"
        r"Regel|Allgemeinen|Folge|Ganzen)\b",
        parts[0],
    )
    good = first in words("contexts.leading_phrase")
    return parts[0] if good and not vague else None


SAYS: dict[str, Context] = {
    "joined": joined,
    "pronoun resolved": resolved,
    "list item": list_item,
    "section named": section_named,
}
CONTRADICTS: dict[str, Context] = {"number borrowed": number_borrowed}
NOT: dict[str, Context] = {
    "one of conditions": one_of_conditions,
    "later item": later_item,
    "cause": cause,
    "other subject": other_subject,
    "next sentence": next_sentence,
    "detail added": detail_added,
    "wrong section": wrong_section,
}
