"""What a text says that it does to other texts: it replaces, amends or repeals them.

Only sentences of a clear form count: "This policy supersedes the …", "Clause 4.2 of the … is
replaced by …", "In § 5 Absatz 2 wird … ersetzt".
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from services.domain import DetectedReference, RelationKind
from services.domain.value import Span
from services.language.text.sentences import sentences_between
from services.language.vocabulary import FUNCTION_WORDS

_DONE: Final[dict[RelationKind, str]] = {
    "replaces": r"ersetzt|abgelöst|gefasst|Fassung|replaced|superseded|as follows",
    "amends": r"geändert|eingefügt|angefügt|ergänzt|amended|changed|inserted|added",
    "repeals": r"aufgehoben|gestrichen|außer Kraft|repealed|revoked|deleted",
}
"""What is done to a text: stands behind ``wird`` or ``is``."""
_DOES: Final[dict[RelationKind, str]] = {
    "replaces": r"ersetz(?:t|en)|replaces?|supersedes?|obsoletes?",
    "amends": r"ändert|ändern|ergänz(?:t|en)|amends?|updates?",
    "repeals": r"repeals?|revokes?",
}
_BE: Final = (
    r"(?:wird|werden|tritt|treten|erhält|erhalten|lautet|lauten|is|are|shall be|shall read|reads?)"
)
_OURSELVES: Final = r"(?:dies\w*|this|(?:the present|d(?:er|ie|as) vorliegende)\b|wir|we|it)\b"


def _one_of(words: dict[RelationKind, str]) -> str:
    return "|".join(rf"(?P<{kind}>{forms})" for kind, forms in words.items())


_MARK: Final = "\uffff"
"""Stands for a reference in a sentence; those of a list have one together."""
_ARTICLE: Final = r"(?:(?i:der|die|das|dem|den|des|the)\s+)?"
_OF: Final = r"(?:of|to|in|under|der|des|dem|zum|zur|von|vom)\s+"
_NAME: Final = r"[A-ZÄÖÜ](?:[^.;:!?\n„“”\"\uffff]|(?<=\d|[ro])\.(?=\s?\w)){1,90}"
_TARGET: Final = re.compile(
    rf"{_ARTICLE}(?P<marks>{_MARK}(?:\W+(?:(?:und|and|sowie)\s+)?{_ARTICLE}{_MARK})*)"
    rf"(?:\s+(?:{_OF})?{_ARTICLE}(?P<name>{_NAME}))?|{_ARTICLE}(?P<alone>{_NAME})"
)
_PASSIVE: Final = re.compile(
    rf"(?P<before>.{{0,200}}?)\b{_BE}\s(?P<rest>(?:„[^“]*“|\"[^\"]*\"|[^,„]){{0,400}}?)(?<!\w)(?:{_one_of(_DONE)})(?!\w)",
    re.S,
)
_BEGINNING: Final = re.compile(
    rf"(?:[(\"„“]?\w{{1,4}}[.)]\s+)*(?:[^,{_MARK}]{{1,80}},\s+)?(?P<inside>(?:In|in|To|Dem)\s+)?"
)
_INVERTED: Final = re.compile(rf"(?:hiermit\s+)?(?P<inside>in\s+)?(?={_ARTICLE}{_MARK})")
_ACTIVE: Final = re.compile(
    rf"\W*(?:(?i:{_OURSELVES})(?P<between>[^,{_MARK}]{{0,80}})\s|(?=\w+:))(?i:{_one_of(_DOES)})\b:?\s+"
    rf"(?P<adverbs>(?:(?!(?:der|die|das|den|the)\s)[a-zäöüß]+\s+){{0,2}}){_ARTICLE}(?:[a-zäöüß]+\s+)?"
)
MOST_BETWEEN: Final = 3
"""Words between ``this`` and its verb."""
_BEHIND: Final = re.compile(rf"\s+{_OF}{_ARTICLE}(?=[A-ZÄÖÜ])")
_TITLE: Final = re.compile(
    r"^[#* \t]*+(?:Art(?:ikel|icle)\s+\d+\W+)?(?:[A-ZÄÖÜ]\w+\s+){0,3}(?:zur\s+)?"
    r"(?:Änderung|Ergänzung|Nachtrag|Amendment|Addendum)(?:\s+(?:N[ro]\.\s*)?\d+)?\s+"
    rf"{_OF}{_ARTICLE}(?P<name>{_NAME})$",
    re.M,
)
"""The title of a text, or of one of its articles, that amends another text."""
_WORDS: Final = re.compile(rf"(?<!\w)(?i:{'|'.join([*_DONE.values(), *_DOES.values()])})(?!\w)")
_CURRENT: Final = re.compile(r"(?<!\w)jeweils?(?!\w)")
"""The wording of the day is none that replaces another: ``in seiner jeweils geltenden Fassung``."""
_NOT: Final = re.compile(r"(?<!\w)(?:nicht|kein\w*|not|never|no)(?!\w)")
_CLAUSE_END: Final = re.compile(rf"[,;:.{_MARK}]|\b(?:und|oder|aber|and|or|but)\b")
_BY: Final = re.compile(rf"(?:durch|by)\s+{_ARTICLE}{_MARK}")


def name_behind(text: str, end: int) -> str:
    """Return the text from the name of a document on that follows a section: ``of the Lease``."""
    match = _BEHIND.match(text, end)
    return text[match.end() : match.end() + 100] if match else ""


def with_relations(text: str, references: Sequence[DetectedReference]) -> list[DetectedReference]:
    """Return references with what the text says that it does to their targets.

    Names of other texts that are replaced, amended or repealed become references as well. A section
    without a document is one of the text that was last named so.
    """
    stated = [*_titles(text, references), *_statements(text, references)]
    related = {
        (reference.start, reference.label): reference
        for reference in sorted(stated, key=lambda reference: reference.start)
    }
    named: str | None = None
    for key, reference in related.items():
        if reference.label is None:
            named = reference.document
        elif reference.document is None and named is not None:
            related[key] = reference.model_copy(update={"document": named})
    others = {(reference.start, reference.label): reference for reference in references}
    return sorted((others | related).values(), key=lambda reference: reference.start)


def _titles(text: str, references: Sequence[DetectedReference]) -> Iterator[DetectedReference]:
    for match in _TITLE.finditer(text):
        start, end = match.span("name")
        inside = [
            reference
            for reference in references
            if start <= reference.start < end and reference.document
        ]
        yield (
            inside[0].model_copy(update={"relation": "amends"})
            if inside
            else _named(text, start, end, "amends")
        )


def _statements(text: str, references: Sequence[DetectedReference]) -> Iterator[DetectedReference]:
    ordered = sorted(references, key=lambda reference: reference.start)
    starts = [reference.start for reference in ordered]
    for start, end in _sentences(text):
        within = ordered[bisect_left(starts, start) : bisect_right(starts, end)]
        inside = [reference for reference in within if reference.end <= end]
        yield from _read_sentence(text, start, end, inside)


def _sentences(text: str) -> Iterator[Span]:
    """Yield the sentences that have a word of a relation, each once."""
    done = first = last = 0
    spans: Iterator[Span] = iter(())
    for match in _WORDS.finditer(text):
        if match.start() < done:
            continue
        if match.start() >= last:  # in another paragraph
            blank = text.rfind("\n\n", last, match.start())
            first = last if blank < 0 else blank + 2
            last = text.find("\n\n", match.end())
            last = len(text) if last < 0 else last
            spans = iter(sentences_between(text, first, last))
        sentence = next((span for span in spans if span[1] > match.start()), (first, last))
        done = sentence[1]
        yield sentence


def _read_sentence(
    text: str, start: int, end: int, references: Sequence[DetectedReference]
) -> Iterator[DetectedReference]:
    """Yield the references of a sentence to what it replaces, amends or repeals."""
    masked, offsets = _mask(text, start, end, references)
    for reference in references:  # a header: the reference has its word
        if match := _ACTIVE.match(reference.text):
            yield reference.model_copy(update={"relation": _kind(match)})
    change = _passive(masked) or _active(masked)
    if change is None:
        return
    kind, target, position = change
    name, alone = target["name"], target["alone"]
    if alone:
        first = offsets[position + target.start("alone")]
        yield _named(text, first, first + len(alone.rstrip()), kind)
        return
    marks = target.span("marks")
    spans = {
        offsets[n] for n in range(position + marks[0], position + marks[1]) if masked[n] == _MARK
    }
    for reference in references:
        if reference.start in spans and reference.type != "external":
            document = reference.document or (name.strip() if name and reference.label else None)
            yield reference.model_copy(update={"relation": kind, "document": document})


def _passive(sentence: str) -> tuple[RelationKind, re.Match[str], int] | None:
    """Find "Clause 4.2 of the … is replaced", "wird § 4 aufgehoben"."""
    match = _PASSIVE.match(sentence)
    if match is None or any(no.search(match["rest"]) for no in (_BY, _NOT, _CURRENT)):
        return None
    beginning = _BEGINNING.match(match["before"])
    assert beginning is not None
    subject = match["before"][beginning.end() :].rstrip()
    if inverted := _INVERTED.match(match["rest"]):
        target, position = _TARGET.match(match["rest"], inverted.end()), match.start("rest")
        inside = inverted["inside"]
    else:
        target, position = _TARGET.fullmatch(subject), beginning.end()
        inside = beginning["inside"]
    if target is None or _first_word(target["alone"]) in FUNCTION_WORDS:
        return None
    return "amends" if inside else _kind(match), target, position


def _first_word(name: str | None) -> str:
    return name.split(maxsplit=1)[0].casefold() if name else ""


def _active(sentence: str) -> tuple[RelationKind, re.Match[str], int] | None:
    """Find "This policy supersedes the …"."""
    match = _ACTIVE.match(sentence)
    if match is None:
        return None
    between = (match["between"] or "").casefold().split()
    if len(between) > MOST_BETWEEN or FUNCTION_WORDS & {*between, *match["adverbs"].split()}:
        return None
    target = _TARGET.match(sentence, match.end())
    return (_kind(match), target, 0) if target and not _is_denied(sentence, target) else None


def _is_denied(sentence: str, target: re.Match[str]) -> bool:
    """Return whether ``nicht`` stands behind a target; inside a name it is a word of the name."""
    name = target["name"] or target["alone"]
    words = _CLAUSE_END.split(name or sentence[target.end() :], maxsplit=1)[0].split()
    return any(_NOT.fullmatch(word) for word in (words[-1:] if name else words))


def _kind(match: re.Match[str]) -> RelationKind:
    return next(kind for kind in _DONE if match[kind])


def _mask(
    text: str, start: int, end: int, references: Sequence[DetectedReference]
) -> tuple[str, list[int]]:
    """Put a mark in the place of each reference; return also where each character comes from."""
    masked, offsets, done = "", list[int](), start
    for first, last in sorted({(reference.start, reference.end) for reference in references}):
        if first >= done:
            masked += text[done:first] + _MARK
            offsets += [*range(done, first), first]
            done = last
    return masked + text[done:end], [*offsets, *range(done, end)]


def _named(text: str, start: int, end: int, relation: RelationKind) -> DetectedReference:
    name = " ".join(text[start:end].split())
    return DetectedReference(
        text=text[start:end], start=start, end=end, type="document", label=None,
        subdivision=None, document=name, target=name, relation=relation,
    )  # fmt: skip
