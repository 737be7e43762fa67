"""What leads an answer: one or two sentences that were written and proven."""

import pytest

from agent.engine.layout import LEAD, LayoutLine, split_lead
from services.language.text.sentences import sentences

SHORT = "Die Frist beträgt drei Monate."
LONG = f"{SHORT} Sie beginnt mit dem Zugang der Kündigung. In Anlage 2 steht anderes für Räume."


def line(text: str, form: str = "prose", standing: str | None = "follows") -> LayoutLine:
    return LayoutLine(text, standing, form, (1,), True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "texts", [[SHORT], [SHORT, SHORT], [SHORT] * 3, [LONG], [LONG, SHORT], [f"{SHORT} {SHORT}"]]
)
def test_a_lead_has_one_or_two_sentences_and_nothing_is_lost(texts: list[str]) -> None:
    lines = tuple(map(line, texts))
    lead, others = split_lead(lines)
    assert 1 <= sum(len(sentences(part.text)) for part in lead) <= LEAD
    assert " ".join(part.text for part in (*lead, *others)) == " ".join(texts)
    marked = [part for part in (*lead, *others) if part.numbers]
    assert [part.text[-5:] for part in marked] == [text[-5:] for text in texts]


@pytest.mark.parametrize(
    "first",
    [
        line(SHORT, "quote", "quote"),
        line(SHORT, standing="loose"),
        line(SHORT, standing=None),
        line(SHORT, "item"),
    ],
)
def test_quotes_doubtful_sentences_and_remarks_lead_nothing(first: LayoutLine) -> None:
    assert split_lead((first,)) == ((), (first,))
