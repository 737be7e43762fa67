"""Titles and other fragments, which say nothing by themselves."""

import re
from typing import Final

_LONGEST: Final = 14
_LONGEST_LABELLED: Final = 30
_LABELLED = re.compile(
    r"\s*(?i:§+|(?:art(?:ikel|icle|\.)|abschnitt|kapitel|teil|anlage|anhang|section|chapter|part"
    r"|annex|schedule)\b)\s*(?:\d+[a-z]?|[IVXLC]+|[A-Z])\s+(?!Abs|Satz|Nummer|Nr)[A-ZÄÖÜ]"
)
_ENTRY = re.compile(r"(?:\.\s?){4,}\d*\s*$|…+\s*\d+\s*$")
"""How a line of a table of contents ends."""
_COMPLETE = re.compile(r"[.!?:;,…][\"'“”’»)\]`*]*\s*$")
_VERB = re.compile(
    r"\b(?:ist|sind|war|wird|werden|hat|haben|gilt|gelten|beträgt|darf|dürfen|muss|müssen|kann|können"
    r"|soll|sollen|is|are|was|were|has|have|does|do|must|may|can|cannot|should|will|shall)\b"
)


def is_heading(sentence: str) -> bool:
    """Whether a sentence span is a title, a cell or the like: short, open-ended, without a verb.

    One that begins with a section label may be longer.
    """
    if _ENTRY.search(sentence):
        return True
    longest = _LONGEST_LABELLED if _LABELLED.match(sentence) else _LONGEST
    if len(sentence.split()) > longest or _COMPLETE.search(sentence):
        return False
    return not _VERB.search(sentence)
