"""Decisions about the sentences of answers; none is ever changed, the last one counts."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from sqlalchemy import select

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.work_models import ReviewRow
from services.domain.answers import CitedSentence
from services.domain.reviews import Review, SentenceReview, SignOff, unproven_indexes

SIGN: Final = "sign"
WHOLE: Final = -1
"""The sentence of a sign-off."""


class Reviews(Repository):
    """Reads and writes decisions. Access to the thread has been checked by the caller."""

    def put(
        self, thread_id: str, turn: int, user: str, sentence: int, decision: str,
        original: str = "", text: str = "",
    ) -> None:  # fmt: skip
        """Keep a decision of somebody, as the last about its sentence."""
        with self._database.write() as session:
            session.add(
                ReviewRow(
                    thread_id=thread_id, turn=turn, user=user, sentence=sentence,
                    decision=decision, original=original, text=text, at=ids.now(),
                )
            )  # fmt: skip

    def of(self, thread_id: str, turn: int, sentences: Sequence[CitedSentence]) -> Review:
        """What counts of an answer that has these sentences.

        What was decided about another wording, before the answer was written again, does not.
        """
        row = ReviewRow
        wanted = select(row.sentence, row.decision, row.original, row.text, row.user, row.at)
        here = (row.thread_id == thread_id) & (row.turn == turn)
        decisions: dict[int, SentenceReview] = {}
        notes: dict[int, SentenceReview] = {}
        signed: SignOff | None = None
        for n, decision, original, text, user, at in self._database.rows(
            wanted.where(here).order_by(row.seq)
        ):
            if decision == SIGN:
                signed = SignOff(user=user, at=at) if original == _seal(sentences) else None
                continue
            noted = decision == "note"
            signed, kept = (signed, notes) if noted else (None, decisions)
            kept.pop(n, None)
            taken_back = not text if noted else decision == "open"
            if not taken_back and n < len(sentences):
                made = SentenceReview(
                    sentence=n, decision=decision, original=original, text=text, user=user, at=at
                )
                kept |= {n: made} if _is_about(made, sentences[n]) else {}
        about = unproven_indexes(sentences)
        return Review(doubtful=about, decisions=decisions, notes=notes, signed=signed)

    def sign(
        self, thread_id: str, turn: int, user: str, sentences: Sequence[CitedSentence]
    ) -> None:
        """Keep who takes responsibility for an answer of these sentences."""
        self.put(thread_id, turn, user, WHOLE, SIGN, original=_seal(sentences))


def _is_about(made: SentenceReview, sentence: CitedSentence) -> bool:
    """Whether this is the sentence decided about, which still cites a quote in its place."""
    quotes = (each.quote for each in sentence.citations)
    return sentence.text == made.original and (made.decision != "quote" or made.text in quotes)


def _seal(sentences: Sequence[CitedSentence]) -> str:
    """What is signed: another wording has another one."""
    return sha256("\n".join(each.text for each in sentences).encode()).hexdigest()
