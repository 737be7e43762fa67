"""The part of an engine where people decide about doubtful sentences and sign answers.

A review is a layer: the answer stays as it was written, and is shown and exported with what was
decided about it. Answers of a conversation are told by their turn; a report is turn 1.
"""

from typing import Any

from agent.engine.part import Part
from agent.engine.reports import ResearchReport, answers_of
from services.domain.answers import CitedSentence
from services.domain.errors import InvalidInput
from services.domain.reviews import Decision, Review, read_sentence, reviewed


class ReviewsPart(Part):
    """Needs the catalog alone."""

    def get(self, thread_id: str, turn: int = 1) -> Review:
        """What was decided about an answer; raises NotFound, and InvalidInput without one."""
        return self._read(thread_id, turn)[1]

    def decide(
        self, thread_id: str, sentence: int, decision: Decision, text: str = "", turn: int = 1
    ) -> Review:
        """Keeps a decision about a doubtful sentence, by its place from 0; ``open`` takes it back.

        A note may be about any sentence; an empty one is taken back.

        Raises:
            InvalidInput: the sentence is proof, has no quote to be replaced by, or its new words
                are missing.
        """
        sentences, before = self._read(thread_id, turn)
        if sentence not in (range(len(sentences)) if decision == "note" else before.doubtful):
            raise InvalidInput("Sentence {number} is not among the doubtful ones.", number=sentence)
        original = sentences[sentence].text
        now = _worded(sentences[sentence], decision, text)
        self._catalog.reviews.put(
            thread_id, turn, self._principal.user, sentence, decision, original, now
        )
        return self.get(thread_id, turn)

    def sign(self, thread_id: str, turn: int = 1) -> Review:
        """Signs an answer off; raises InvalidInput while doubtful sentences are undecided."""
        sentences, before = self._read(thread_id, turn)
        if left := before.open:
            raise InvalidInput(
                "{count} sentences are still to be decided. Decide about them, then sign.",
                count=len(left),
            )
        self._catalog.reviews.sign(thread_id, turn, self._principal.user, sentences)
        return self.get(thread_id, turn)

    def listed(self, thread_id: str, turn: int = 1) -> dict[str, Any]:
        """The doubtful sentences as they were written, what was decided, and who signed."""
        sentences, review = self._read(thread_id, turn)
        return {
            "thread_id": thread_id,
            "sentences": [
                {"n": n, **sentences[n].model_dump(mode="json"), "review": review.decisions.get(n)}
                for n in review.doubtful
            ],
            "notes": list(review.notes.values()),
            "open": review.open,
            "signed": review.signed,
        }

    def shown(self, report: ResearchReport, review: Review) -> ResearchReport:
        """A report with what was decided about it."""
        layer = reviewed({"answer": report.answer, "sentences": report.sentences}, review)
        sentences = tuple(map(read_sentence, layer["sentences"]))
        return report.model_copy(update={"answer": layer["answer"], "sentences": sentences})

    def _read(self, thread_id: str, turn: int) -> tuple[list[CitedSentence], Review]:
        """The sentences of an answer, and what was decided about them."""
        report = self._catalog.runs.report(self._principal, thread_id)
        answers = answers_of(report) if report else []
        if not 0 < turn <= len(answers) or "sentences" not in answers[turn - 1]:
            raise InvalidInput("Thread {thread} has no answer to review yet.", thread=thread_id)
        sentences = [read_sentence(each) for each in answers[turn - 1]["sentences"]]
        return sentences, self._catalog.reviews.of(thread_id, turn, sentences)


def _worded(sentence: CitedSentence, decision: Decision, text: str) -> str:
    """What stands there after a decision."""
    match decision:
        case "quote":
            quote = next((each.quote for each in sentence.citations if each.verified), None)
            if quote is None:
                raise InvalidInput("This sentence has no checked quote to be replaced by.")
            return quote
        case "edit":
            if not (worded := " ".join(text.split())):
                raise InvalidInput("Write what the sentence is to say, or remove it.")
            return worded
        case "remove":
            return ""
        case "note":
            return text.strip()
    return sentence.text
