"""Which of an e-mail's sentences comes first: what its author says, or what it quotes."""

from types import SimpleNamespace
from typing import Any

from agent.sentences import rank_sentences
from services.domain import EvidenceSentence

OWN, OLD = "The delivery is on 20 April.", "The delivery is on 6 April."


def sentence(quote: str, heading: str = "", document_id: str = "mail") -> EvidenceSentence:
    start = len(heading)
    return EvidenceSentence.model_validate(
        {
            **{"document_id": document_id, "document": document_id, "quote": quote},
            **{
                "start": start,
                "end": start + len(quote),
                "heading": heading,
                "context": "",
                "section": "",
                "page": None,
            },
        }
    )


def ranked(scores: dict[str, float], *sentences: EvidenceSentence) -> list[str]:
    judge = SimpleNamespace(scores=lambda _, found, *__: [scores[each.quote] for each in found])
    context: Any = SimpleNamespace(services=SimpleNamespace(judge=judge))
    pairs = [(0.5, each) for each in sentences]
    return [each.quote for _, each in rank_sentences("When?", pairs, "en", context)]


def test_the_author_comes_before_what_the_mail_quotes() -> None:
    quoted = sentence(OLD, "Quoted: Ben, 2 March 2026")
    assert ranked({OLD: 0.9, OWN: 0.7}, quoted, sentence(OWN)) == [OWN, OLD]


def test_a_quote_stays_first_where_the_author_says_nothing_of_it() -> None:
    quoted = sentence(OLD, "Quoted: Ben, 2 March 2026")
    assert ranked({OLD: 0.9, OWN: 0.1}, quoted, sentence(OWN)) == [OLD, OWN]
    other = sentence(OWN, document_id="other")
    assert ranked({OLD: 0.9, OWN: 0.7}, quoted, other) == [OLD, OWN]
