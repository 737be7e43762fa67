"""A conversation of quick answers as the value that every format writes down."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.domain import Citation
from services.domain.events import total_seconds
from services.domain.metadata import DocumentMetadata
from services.export.blocks import Block, cost, coverage, items_of
from services.export.clean import one_line
from services.export.document import (
    Cut,
    Document,
    checksums,
    no_cut,
    passages_of,
    review_of,
    signed,
    sources_of,
)
from services.export.layout import Layout, Line, Part, lay_out, standings_of
from services.export.neighbourhood import Neighbourhood, sentences
from services.export.words import Words, counted, words_for

Turn = Mapping[str, Any]


def make_conversation(
    conversation: Mapping[str, Any],
    *,
    date: str = "",
    metadata: Mapping[str, DocumentMetadata] | None = None,
    around: Neighbourhood | None = None,
    cut: Cut = no_cut,
) -> Document:
    """The value of a conversation; a place has one number in all its answers.

    Args:
        conversation: the JSON object with ``turns``, of which there is at least one.
        date: the day on which it began, ISO 8601.
        metadata: what is known of the documents, by their id.
        around: what stands around all that is cited.
        cut: draws the cited places.
    """
    turns: Sequence[Turn] = conversation["turns"]
    words = words_for(turns[0]["language"])
    layout = _laid_out(turns, words)
    sources = _merged(turns)
    return Document(
        title=one_line(turns[0]["question"]),
        words=words,
        made_by=words.made_by_ask.format(one_line(conversation["thread_id"])),
        facts=tuple(filter(None, (*_facts(turns, words), date))),
        before=(),
        parts=layout.parts,
        after=tuple(block for turn in turns for block in review_of(turn, words)),
        passages=passages_of(layout, sources, cut),
        sources=(described := sources_of(sources, metadata or {})),
        behind=(
            *items_of(
                words.neighbourhood.title, sentences(around, words.language) if around else ()
            ),
            *_by_turn(turns, words, lambda turn: items_of(words.degraded, turn["degraded"])),
        ),
        appendix=(
            *checksums(described, words),
            *_by_turn(turns, words, lambda turn: coverage(turn, words)),
            *_cost(turns, words),
        ),
    )


def _facts(turns: Sequence[Turn], words: Words) -> Iterator[str]:
    for certainty in ("answered", "perhaps"):
        standings: Counter[str] = Counter()
        for turn in turns:
            if _certainty(turn) == certainty:
                standings.update(standings_of(turn["sentences"]))
        yield counted(standings, certainty, words.language) if standings else ""
    yield from dict.fromkeys(signed(turn, words) for turn in turns)
    yield from dict.fromkeys(words.model_name(one_line(turn["usage"]["model"])) for turn in turns)


def _certainty(turn: Turn) -> str:
    return str(turn.get("certainty", "refused" if turn["refused"] else "answered"))


def _laid_out(turns: Sequence[Turn], words: Words) -> Layout:
    parts: list[Part] = []
    places: tuple[Citation, ...] = ()
    for number, turn in enumerate(turns, 1):
        layout = lay_out(turn, places)
        places = layout.places
        several = len(turns) > 1
        heading = words.question.format(number, one_line(turn["question"])) if several else ""
        parts += _parts(turn, layout, heading, words)
    return Layout(tuple(parts), places)


def _parts(turn: Turn, layout: Layout, heading: str, words: Words) -> list[Part]:
    """An answer under its question: what is said before the sentences, these, and after them."""
    understood = turn["question_rewritten"]
    before = [
        *([words.understood.format(understood)] if understood else []),
        *turn["warnings"],
        *turn["opening"].splitlines(),
    ]
    coverage = turn["coverage"]
    sampled = "" if coverage["whole"] else coverage["statement"] or ""
    after = [*turn["closing"].splitlines(), sampled, coverage["warning"] or ""]
    own = [_places(turn, layout)] if turn["listed"] else list(layout.parts)
    first, *rest = own if own and not own[0].heading else [Part("", ()), *own]
    parts = [Part(heading, (*_said(before), *first.lines)), *rest]
    parts[-1] = replace(parts[-1], lines=(*parts[-1].lines, *_said(after)))
    return [part for part in parts if part.heading or part.lines]


def _said(texts: Iterable[str]) -> tuple[Line, ...]:
    """What is no sentence of the documents, each a paragraph of its own."""
    return tuple(Line(line, None, False, (), True) for line in map(one_line, texts) if line)


def _places(turn: Turn, layout: Layout) -> Part:
    """Of an answer that lists places: their names; the words stand among the passages."""
    names = {(each["document_id"], each["start"]): each["place"] for each in turn["citations"]}
    lines = [line for part in layout.parts for line in part.lines]
    listed = []
    for line, note in zip(lines, turn["notes"], strict=True):
        place = layout.places[line.numbers[0] - 1]
        name = names.get((place.document_id, place.start)) or f"{place.document} {place.section}"
        text = one_line(f"{name} ({note})" if note else name)
        listed.append(replace(line, text=text, quote=False, case="", begins=True))
    return Part("", tuple(listed))


def _merged(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """The sources of all answers, each once, in the order in which they were cited."""
    found: dict[str, dict[str, Any]] = {}
    for source in (source for turn in turns for source in turn["sources"]):
        known = found.setdefault(source["document_id"], {**source, "sections": [], "pages": []})
        known["sections"] = list(dict.fromkeys((*known["sections"], *source["sections"])))
        known["pages"] = sorted({*known["pages"], *source["pages"]})
    return list(found.values())


def _by_turn(
    turns: Sequence[Turn], words: Words, said: Callable[[Turn], Iterable[Block]]
) -> Iterator[Block]:
    """What is said of each answer, under the number of its question where there are several."""
    for number, turn in enumerate(turns, 1):
        for block in said(turn):
            title = words.question.format(number, block.title)
            yield replace(block, title=title) if len(turns) > 1 else block


def _cost(turns: Sequence[Turn], words: Words) -> tuple[Block, ...]:
    """What all answers took together."""
    usages = [turn["usage"] for turn in turns]
    counted = ("model_calls", "prompt_tokens", "completion_tokens")
    total = {name: sum(usage[name] for usage in usages) for name in counted}
    seconds = {"all": sum(total_seconds(usage["seconds"]) for usage in usages)}
    return cost({**total, "seconds": seconds}, words)
