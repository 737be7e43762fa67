"""Which words of a question are the term: those that the documents have."""

from services.scan.scanner import Scanner
from services.scan.values import ScanRequest
from services.text import is_stop_word
from services.types import Scope, SearchFilter


def decided_term(scanner: Scanner, request: ScanRequest, *, scope: Scope) -> str | None:
    """The longest run of a term's words that stands in the documents, None if none does.

    Of runs of one length the one that stands there most often. Documents and kinds of section to
    which the request is narrowed do not count: whether a word exists is asked of all.
    """
    words = request.term.split()
    everywhere = request.model_copy(update={"only": SearchFilter(), "labels": "", "most_places": 0})

    def times(term: str) -> int:
        wanted = everywhere.model_copy(update={"term": term})
        return scanner.scan(wanted, scope=scope).occurrences.any

    for length in range(len(words), 0, -1):
        counted = {run: times(run) for run in _runs(words, length, request)}
        best = max(counted, key=counted.__getitem__, default="")
        if best and counted[best]:
            return best
    return None


def _runs(words: list[str], length: int, request: ScanRequest) -> list[str]:
    """The whole, or runs of so many words that neither begin nor end with a word of grammar."""
    runs = [words[start : start + length] for start in range(len(words) - length + 1)]
    return [
        " ".join(run)
        for run in runs
        if run == words
        or (
            any(map(str.isalnum, "".join(run)))
            and not any(is_stop_word(run[at], each) for at in (0, -1) for each in request.languages)
        )
    ]
