"""The answers of a conversation, one after the other: their parts, and what stands behind them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.domain import Citation
from services.domain.events import total_seconds
from services.export.blocks import Block, cost, coverage
from services.export.clean import one_line
from services.export.layout import Layout, Part, lay_out, said
from services.export.words import Words

Turn = Mapping[str, Any]


def laid_out(turns: Sequence[Turn], words: Words) -> Layout:
    """All answers, each under its question where there are several; a place has one number."""
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
    parts = [Part(heading, (*said(before), *first.lines)), *rest]
    parts[-1] = replace(parts[-1], lines=(*parts[-1].lines, *said(after)))
    return [part for part in parts if part.heading or part.lines]


def _places(turn: Turn, layout: Layout) -> Part:
    """Of an answer that lists places: their names; the words stand among the passages."""
    names = {(each["document_id"], each["start"]): each["place"] for each in turn["citations"]}
    lines = [line for part in layout.parts for line in part.lines]
    listed = []
    for line, note in zip(lines, turn["notes"], strict=True):
        place = layout.places[line.numbers[0] - 1]
        name = names.get((place.document_id, place.start)) or f"{place.document} {place.section}"
        text = one_line(f"{name} ({note})" if note else name)
        listed.append(replace(line, text=text, form="item", cells=(), case=""))
    return Part("", tuple(listed))


def behind_the_answers(turns: Sequence[Turn], words: Words) -> Iterator[Block]:
    """The coverage of each, and what all took together."""
    yield from by_turn(turns, words, lambda turn: coverage(turn, words))
    yield from _cost(turns, words)


def by_turn(
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
