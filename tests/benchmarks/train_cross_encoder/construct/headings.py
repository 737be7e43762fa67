"""Claims that name the section they are from, rightly or wrongly."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct.lexicon import lower_first
from tests.benchmarks.train_cross_encoder.construct.passages import Passage
from tests.benchmarks.train_cross_encoder.construct.places import (
    Made,
    base,
    fit,
    subject_of,
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
