"""Claims about lists and sections: one item, one left out, one condition of several."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct.lexicon import lower_first
from tests.benchmarks.train_cross_encoder.construct.passages import Listing, Passage
from tests.benchmarks.train_cross_encoder.construct.places import (
    MARKER,
    Made,
    base,
    fit,
    subject_of,
)
from tests.benchmarks.train_cross_encoder.construct.words import pattern

UNFIT_LEAD = re.compile(pattern("lists.unfit_lead"), re.I)
GERMAN_ENDS = (":", "wenn", "soweit", "sofern", ",", "durch", "auf", "für", "über", "von")


def listing(passage: Passage, index: int) -> Listing | None:
    """The list at this place, if its lead and any item make one sentence."""
    found = next((one for one in passage.lists if one.index == index), None)
    return found if found and usable(found.lead, found.items, passage.lang) else None


def usable(lead: str, items: tuple[str, ...], lang: str) -> bool:
    if (
        len(items) < 2
        or UNFIT_LEAD.search(lead)
        or len(lead) > 220
        or (not lead[:1].isupper() and lead[:1] != "(")
    ):
        return False
    if lang == "en" and not re.search(
        r"\b(must|shall|may|can|should|to|includes?|will|if|when):$", lead, re.I
    ):
        return False
    bad_item = re.compile(r"; |\. |:$|:\.$|aufgehoben|weggefallen|\\|\d\. ")
    clean = all(3 < len(item) < 220 and not bad_item.search(item) for item in items)
    return lead.endswith(":" if lang == "en" else GERMAN_ENDS) and clean


def conditional(lead: str) -> bool:
    return bool(
        re.search(
            r"\b(wenn|soweit|sofern|falls|if|when|where|unless|provided that)\b[^,]*:?$", lead
        )
    )


def with_item(lead: str, item: str, lang: str) -> str:
    """The lead and the item as one sentence."""
    item = re.sub(r"[,;.]*$", "", re.sub(r"[,;]?\s+(?:und|oder|sowie|and|or)[,;.]?$", "", item))
    lead = MARKER.sub("", lead).strip()
    if lang == "en":
        lead, item = lead.rstrip(":"), lower_first(item, "en")
    if lead.split(" ")[-1] == item.split(" ")[0]:
        item = item.partition(" ")[2]
    return f"{lead} {item}."


def list_item(passage: Passage, index: int, rng: Random) -> Made | None:
    """The lead of a list with one of its items, where each item holds by itself."""
    found = listing(passage, index)
    if not found or (
        conditional(found.lead) and not re.search(r"\b(oder|or)[,;]?$", found.items[-2])
    ):
        return None
    return Made(with_item(found.lead, rng.choice(found.items), passage.lang), index, index)


def one_of_conditions(passage: Passage, index: int, rng: Random) -> Made | None:
    """One of several conditions that must all hold, taken as enough."""
    found = listing(passage, index)
    if (
        not found
        or not conditional(found.lead)
        or not re.search(r"\b(und|and)[,;]?$", found.items[-2])
    ):
        return None
    return Made(with_item(found.lead, rng.choice(found.items), passage.lang), index, index)


def later_item(passage: Passage, index: int, rng: Random) -> Made | None:
    """An item of the list that the quote breaks off before."""
    found = listing(passage, index)
    if not found or len(found.items) < 3:
        return None
    cut = rng.randrange(1, len(found.items))
    quote = f"{found.lead} " + " ".join(
        f"{n}. {item}" for n, item in enumerate(found.items[:cut], 1)
    )
    return Made(
        with_item(found.lead, rng.choice(found.items[cut:]), passage.lang), index, index, quote
    )


def cited(passage: Passage, index: int, section: str) -> Made | None:
    """The claim said of a section, over a quote that begins with the section's heading."""
    subject, sentence = subject_of(base(passage, index), "de"), base(passage, index)
    if not subject or not fit(sentence) or re.search(r"\bnach §|dieses Paragraphen", sentence):
        return None
    rest = sentence[len(subject[0]) + len(subject[1]) + 2 :]
    quote = f"{passage.heading.rstrip('.')}. {passage.sentences[index]}"
    return Made(
        f"Nach {section} {subject[1]} {lower_first(subject[0], 'de')} {rest}", index, index, quote
    )


def section_named(passage: Passage, index: int, rng: Random) -> Made | None:
    found = re.match(r"§ \d+[a-z]?", passage.heading)
    return cited(passage, index, found[0]) if found else None


def wrong_section(passage: Passage, index: int, rng: Random) -> Made | None:
    """The rule said of another section than the quote's heading names."""
    found = re.match(r"§ (\d+)", passage.heading)
    step = rng.choice([-4, -2, -1, 1, 2, 3, 5])
    return (
        cited(passage, index, f"§ {int(found[1]) + step}")
        if found and int(found[1]) + step > 0
        else None
    )
