"""Titles and other fragments, which say nothing by themselves."""

import re
from typing import Final

_LONGEST: Final = 14
_COMPLETE = re.compile(r"[.!?:;,…][\"'“”’»)\]`*]*\s*$")
_VERB = re.compile(
    r"\b(?:ist|sind|war|wird|werden|hat|haben|gilt|gelten|beträgt|darf|dürfen|muss|müssen|kann|können"
    r"|soll|sollen|is|are|was|were|has|have|does|do|must|may|can|cannot|should|will|shall)\b"
)


def is_heading(sentence: str) -> bool:
    """Whether a sentence span is a title, a cell or the like: short, open-ended, without a verb."""
    if len(sentence.split()) > _LONGEST or _COMPLETE.search(sentence):
        return False
    return not _VERB.search(sentence)
