"""Edits of one English sentence that leave its truth as it is."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct import numbers
from tests.benchmarks.train_cross_encoder.construct.english import (
    ANAPHOR,
    CONNECTIVE,
    NEGATION,
    is_plural,
    is_subject,
    main_clause,
    participle,
    replace_word,
)
from tests.benchmarks.train_cross_encoder.construct.lexicon import lower_first, upper_first
from tests.benchmarks.train_cross_encoder.construct.words import SAME_EN, pattern

ADVERBS = re.compile(pattern("says_en.adverbs"))
OPENERS = re.compile(pattern("says_en.openers"))
ITEM = r"(?:[a-z\-]+ )?[a-z\-]{4,}"
SERIES = re.compile(rf"((?:{ITEM}, ){{2,}})and ({ITEM})(?=[ .,;])")
NOT_A_SERIES = re.compile(pattern("says_en.not_a_series"))


def drop_parenthesis(sentence: str, rng: Random) -> str | None:
    found = re.search(r" \((?![\w]{1,3}\))[^()]{3,150}\)", sentence)
    return sentence[: found.start()] + sentence[found.end() :] if found else None


def drop_adverb(sentence: str, rng: Random) -> str | None:
    opened = OPENERS.sub("", sentence)
    if opened != sentence:
        return upper_first(opened)
    found = list(ADVERBS.finditer(sentence))
    if not found or re.search(r"\b(not|never|but|only|or)\b", sentence):
        return None
    chosen = rng.choice(found)
    return sentence[: chosen.start()] + sentence[chosen.end() :]


def drop_conjunct(sentence: str, rng: Random) -> str | None:
    """One member of a series of three or more less."""
    found = SERIES.search(sentence)
    before = sentence[: found.start()] if found else ""
    if not found or NEGATION.search(sentence) or NOT_A_SERIES.search(before):
        return None
    members = found[1].rstrip(", ").split(", ")
    if len(members) < 3:
        return None
    del members[rng.randrange(1, len(members))]
    return before + ", ".join(members) + ", and " + found[2] + sentence[found.end() :]


def synonym(sentence: str, rng: Random) -> str | None:
    """One or two words for others of the same meaning."""
    done, changed = 0, sentence
    present = [pair for pair in SAME_EN if pair[0] in sentence]
    for old, new in rng.sample(present, len(present)):
        if old == "required" and not re.search(r"\b(is|are) required\.", changed):
            continue
        if old in {"users", "known as"} and rng.random() < 0.8:
            continue
        if old == "users" and not re.search(r"\busers (must|can|may|should|will)\b", changed):
            continue
        if (old == "permitted" and "not permitted" in changed) or (
            old == "at least"
            and not re.search(r"at least (\d|two|three|four|five|six|ten)", changed)
        ):
            continue
        if done < 2 and (found := replace_word(changed, old, new)):
            done, changed = done + 1, found
    return changed if done else None


def modal_words(sentence: str, rng: Random) -> str | None:
    """must -> is required to; must not -> is not allowed to; may, of persons -> is allowed to."""
    parts = main_clause(sentence)
    if not parts or (not is_subject(parts[0]) and parts[0] not in {"You", "We"}):
        return None
    subject, aux, rest = parts
    plural = is_plural(subject)
    if plural is None or (
        re.match(r"(be|have|also|only|always|never|either|at) ", rest)
        and not rest.startswith("be ")
    ):
        return None
    be, have = ("are", "have") if plural else ("is", "has")
    negated = re.match(r"(?:not|NOT) (.*)$", rest)
    if aux.lower() in {"must", "shall"}:
        if negated:
            return (
                f"{subject} {be} {rng.choice(['not allowed to', 'not permitted to'])} {negated[1]}"
            )
        duty = rng.choice([f"{be} required to", f"{have} to", f"{be} obliged to"])
        return f"{subject} {duty} {rest}"
    if (
        aux == "may"
        and not negated
        and re.search(
            r"(You|Party|Recipient|Discloser|Users?|Employees?|Customers?|CSP|RP|verifier|"
            r"subscriber)$",
            subject,
        )
    ):
        return f"{subject} {be} {rng.choice(['allowed to', 'permitted to'])} {rest}"
    return None


def passive(sentence: str, rng: Random) -> str | None:
    """The SDK must return the value. -> The value must be returned by the SDK."""
    found = re.fullmatch(
        r"((?:The|Each|An?|Every) (?:[A-Za-z-]+ ){0,2}[A-Za-z-]+) (must|shall|may|should|"
        r"can|will|MUST|SHALL|SHOULD|MAY) ([a-z]{4,}) ((?:the|an?|all|its|each) "
        r"(?:[A-Za-z-]+ ){0,2}[A-Za-z-]+?)((?: (?:to|in|on|for|within|before|after|with|at|"
        r"from|upon|using|as) [^,;]+)?)\.",
        sentence,
    )
    if (
        not found
        or NEGATION.search(sentence)
        or re.match(
            r"(have|need|want|help|make|ensure|also|become|remain|then|provide|begin|"
            r"contain|include|take|consist|depend|result|allow|enable|cause)$",
            found[3],
        )
    ):
        return None
    subject, aux, verb, thing, tail = found.groups()
    if re.search(r"\b(to|of|and|or|the|a|is|be|are)$", thing) or re.search(
        r"(ly|with|into)$", verb
    ):
        return None
    return (
        f"{upper_first(thing)} {aux} be {participle(verb)} by {lower_first(subject, 'en')}{tail}."
    )


def condition_first(sentence: str, rng: Random) -> str | None:
    """B if A. -> If A, B."""
    found = re.fullmatch(r"([^,;:]{15,}?),? (if|unless|when|until|because) ([^,;:]+)\.", sentence)
    if not found or re.search(
        r"\b(that|whether|only|even|as|which|or|determine|know|ask\w*|and|not|who|what|see|"
        r"is|are|just|simply|partly|times|occurs?|happens?|case|methods|process)$|^\S+ \S+ \S+$|"
        r"^There\b|\b(that|which|know|whether|because|to|and|until)\b",
        found[1],
    ):
        return None
    if not main_clause(found[1] + ".") and not re.match(r"(You|We|They|It) [a-z]+ ", found[1]):
        return None
    return f"{upper_first(found[2])} {found[3]}, {lower_first(found[1], 'en')}."


def condition_last(sentence: str, rng: Random) -> str | None:
    found = re.fullmatch(
        r"((?:If|When|Unless|While|Before|After|Until|Because|Since) [^,;:]+), ([^,;:]+)\.",
        sentence,
    )
    if not found or re.match(r"(and|or|which|including|then|such|until) ", found[2]):
        return None
    return f"{upper_first(found[2])} {lower_first(found[1], 'en')}."


def phrase_last(sentence: str, rng: Random) -> str | None:
    """In 1990, it was founded. -> It was founded in 1990."""
    found = re.fullmatch(
        r"((?:In|On|During|At|From|Since|By|Under|For) [^,;:]{2,50}), ([^,;:]+)\.", sentence
    )
    if not found or not re.match(
        r"(the|a|an|it|he|she|they|we|you|this|these|[A-Z]\w+|\w+s)\b", found[2]
    ):
        return None
    if re.match(
        r"(For example|For instance|For this|In addition|In particular|In fact|In turn|At "
        r"first|In this|In contrast|On the other|In other|In general|By default|For more|"
        r"In short|In order|At this|By the way)",
        found[1],
    ):
        return None
    return f"{upper_first(found[2])} {lower_first(found[1], 'en')}."


def contraction(sentence: str, rng: Random) -> str | None:
    """does not -> doesn't, and the reverse: a change that says nothing."""
    for old, new in (
        ("do not", "don't"),
        ("does not", "doesn't"),
        ("is not", "isn't"),
        ("will not", "won't"),
        ("are not", "aren't"),
        ("did not", "didn't"),
        ("was not", "wasn't"),
        ("cannot", "can't"),
    ):
        if changed := replace_word(sentence, old, new) or replace_word(sentence, new, old):
            return changed
    return None


def number_format(sentence: str, rng: Random) -> str | None:
    return numbers.rewrite(sentence, "en", rng)


def anaphoric(sentence: str) -> bool:
    return bool(ANAPHOR.match(sentence) or CONNECTIVE.search(sentence))


SAYS = {
    "parenthesis dropped": drop_parenthesis,
    "adverb dropped": drop_adverb,
    "conjunct dropped": drop_conjunct,
    "synonym": synonym,
    "modal in other words": modal_words,
    "passive": passive,
    "condition first": condition_first,
    "condition last": condition_last,
    "phrase last": phrase_last,
    "contraction": contraction,
    "number format": number_format,
}
