"""Quick answers, votes on them, and their review: ``engine.answers`` and ``engine.reviews``."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from agent.ask.models import Answer, AskOptions
from agent.engine.connection import Connection, EnginePart, with_parameters
from agent.engine.reports import ResearchReport, answers_of, cited_by, read_answer
from agent.engine.threads import ThreadsPart
from services.domain import Principal, Value
from services.domain.answers import CitedSentence, Decision, Review, apply_review, parse_sentence
from services.domain.errors import AlreadyAnswered, InvalidInput
from services.domain.runs import ACTIVE, RunInfo
from services.export.neighbourhood import Neighbourhood
from services.library.thresholds import Thresholds, Vote, VoteInfo

LONGEST_QUESTION = 4000
OF_RESEARCH: Final = {"by_score": "agent", "depth": "agent", "complexity": {"score": 1.0}}
"""The routing of a turn, for a report of a research, which was not routed."""
DEPTHS = ("auto", "fast", "enhanced", "structured", "agent")


class StartedTurn(Value):
    """A turn that is under way; ``after`` is the last event of the thread before it.

    Once the thread has ended, the turn is ``turns(thread_id)[turn - 1]``.
    """

    thread_id: str
    turn: int
    after: int


class AnswersPart(EnginePart):
    """Conversations of quick answers: threads of kind ``ask``."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        feedback = self._services.feedback
        self.votes = partial(feedback.votes, principal)
        self.lock_thresholds = partial(feedback.lock, principal)
        self.reset_thresholds = partial(feedback.reset, principal)

    def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        collections: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        depth: str = "auto",
        k: int | None = None,
        profile: str | None = None,
        follows: str | None = None,
    ) -> StartedTurn:
        """Ask a question in a conversation, or in a new one; return when it is under way.

        A thread keeps its collections and documents. If it waits for an answer to a question of its
        own, this is the answer, and the turn goes on.

        Args:
            question: of up to 4000 characters; a follow-up may refer to earlier turns.
            thread_id: of a conversation to continue, or an id for a new one.
            collections: names or ids; None for the profile's, or all that the person may read.
            documents: file names or ids within the collections, to search only these.
            depth: one of ``DEPTHS``.
            k: passages to search for; None for the value of profile or settings.
            profile: name of a profile of the person.
            follows: a research that a new conversation continues from.

        Raises InvalidInput if the question is empty or too long, a value is out of range, there is
        nothing to search, the thread is a research, or has other collections or documents; NotFound
        if a collection, a document or the profile is unknown or may not be read; AlreadyAnswered if
        the turn before is under way.
        """
        question = question.strip()
        if not 0 < len(question) <= LONGEST_QUESTION:
            raise InvalidInput(
                "A question must have 1 to {most} characters.", most=LONGEST_QUESTION
            )
        options, names = self._options(depth, k, profile, collections)
        threads = ThreadsPart(self._connection, self._principal)
        run = threads.named(thread_id) if thread_id else None
        follows = run.options.get("follows") if run else follows  # type: ignore[assignment]
        chosen = run.documents if run else tuple(documents or ())
        options = options.model_copy(update={"follows": follows, "documents": chosen})
        if run is None:
            after = 0
            run = self._create("ask", question, options, names, thread_id, asked=question)
        else:
            self._check(run, collections, documents)
            after = threads.last_event(run.thread_id)
        if run.pending is not None:
            turn = len(self.turns(run.thread_id)) + 1
            threads.answer(run.thread_id, run.pending.interrupt_id, question)
        else:
            turn = self._connection.ask(self._principal, run, question, options)
        return StartedTurn(thread_id=run.thread_id, turn=turn, after=after)

    def classify(self, question: str, collections: Sequence[str] | None = None) -> dict[str, Any]:
        """Return type, confidence, entities, language and complexity of a question by rules.

        Raises InvalidInput for an empty question, NotFound for an unreadable collection.
        """
        from agent.offline import described

        scope = self._catalog.collections.scope(self._principal, collections or None)
        return described(question, self._services.reader, (self._catalog, scope))

    def _check(
        self, run: RunInfo, collections: Sequence[str] | None, documents: Sequence[str] | None
    ) -> None:
        name = run.thread_id
        if run.kind != "ask":
            raise InvalidInput(
                "Thread {thread} is a research run. Ask without --thread.", thread=name
            )
        by_name_or_id = run.collections, run.collection_ids
        searched = (collections, by_name_or_id), (documents, (run.documents,))
        for names, of_run in searched:
            if names and set(names) not in map(set, of_run):
                raise InvalidInput(
                    "Thread {thread} uses {collections}. Start a new thread for other collections.",
                    thread=name,
                    collections=", ".join(run.documents or run.collections),
                )
        self._catalog.scope_of(self._principal, run)
        if run.pending is None and run.status in ACTIVE:
            raise AlreadyAnswered(
                "Thread {thread} is already answering a question. Wait until it has finished.",
                thread=name,
            )

    def turns(self, thread_id: str) -> list[dict[str, Any]]:
        """Return the answered turns of a conversation, oldest first, as ``ask --json`` prints."""
        report = ThreadsPart(self._connection, self._principal).report(thread_id)
        return list(report["turns"]) if report else []

    def conversation(self, thread_id: str) -> list[Answer]:
        """Return ``turns`` as typed values."""
        return [read_answer(turn) for turn in self.turns(thread_id)]

    def neighbourhood(self, thread_id: str, turn: int) -> Neighbourhood:
        """Return the sections to which those cited by an answer refer, and that refer to them.

        Needs no graph; empty if there is no such answer. Raises NotFound if there is no such
        thread, or its collections may not be read any more.
        """
        from services.library.relations import neighbourhood_of

        run = self._catalog.runs.get(self._principal, thread_id)
        answers = (answer for answer in self.turns(thread_id) if answer["turn"] == turn)
        scope = self._catalog.scope_of(self._principal, run)
        return neighbourhood_of(cited_by(answers), self._catalog, scope)

    def vote(
        self, thread_id: str, up: bool, text: str = "", *, turn: int | None = None
    ) -> VoteInfo:
        """Vote on an answer or report, in place of an earlier vote.

        A vote on a report moves no threshold, since a research is not routed. ``turn`` is the
        number of the answer, from 1; None for the last one. Raises NotFound if there is no such
        thread, InvalidInput if it has no such answer, or the text is too long.
        """
        run = self._catalog.runs.get(self._principal, thread_id)
        report = self._catalog.runs.report(self._principal, thread_id)
        answers = answers_of(report) if report else []
        number = len(answers) if turn is None else turn
        if not 1 <= number <= len(answers):
            raise InvalidInput(
                "Thread {thread} has no answer with that number to rate.", thread=thread_id
            )
        answer = {**OF_RESEARCH, **answers[number - 1]}
        vote = Vote(
            up=up,
            route=answer["by_score"],
            depth=answer["depth"],
            score=answer["complexity"]["score"],
        )
        scope = self._catalog.scope_of(self._principal, run)
        routed = scope.collections if run.kind == "ask" else ()
        return self._services.feedback.vote(
            self._principal, thread_id, number, vote, collections=routed, text=text
        )

    def thresholds(self, collections: Sequence[str] | None = None) -> Thresholds:
        """Return the scores from which questions over these collections (None: all) go deeper."""
        scope = self._catalog.collections.scope(self._principal, collections or None)
        return self._services.feedback.thresholds(self._principal, scope)

    def _options(
        self, depth: str, k: int | None, profile: str | None, collections: Sequence[str] | None
    ) -> tuple[AskOptions, tuple[str, ...] | None]:
        effective = self._effective(profile)
        hits = effective.hits(k)
        if depth not in DEPTHS or not 1 <= hits <= 100:
            raise InvalidInput(
                "The depth must be one of {depths}, and k must be between 1 and 100.",
                depths=", ".join(DEPTHS),
            )
        options = AskOptions.model_validate({"depth": depth, "k": hits, "profile": profile})
        return with_parameters(options, effective), effective.collections(collections)


class ReviewsPart(EnginePart):
    """Decisions about sentences of an answer, and signatures."""

    def get(self, thread_id: str, turn: int = 1) -> Review:
        """Return the review of an answer; raises NotFound, and InvalidInput without an answer."""
        return self._read(thread_id, turn)[1]

    def decide(
        self, thread_id: str, sentence: int, decision: Decision, text: str = "", turn: int = 1
    ) -> Review:
        """Keep a decision about a sentence, by its index; ``open`` withdraws it, as does an empty
        note.

        Raises InvalidInput if there is no such sentence, it has no quote to be replaced by, or its
        new text is missing.
        """
        sentences, _ = self._read(thread_id, turn)
        if sentence not in range(len(sentences)):
            raise InvalidInput("The answer has no sentence {number}.", number=sentence)
        original = sentences[sentence].text
        decided = _decided_text(sentences[sentence], decision, text)
        self._catalog.reviews.put(
            thread_id, turn, self._principal.user, sentence, decision, original, decided
        )
        return self.get(thread_id, turn)

    def sign(self, thread_id: str, turn: int = 1, *, name: str = "") -> Review:
        """Sign an answer, without a login also under another name than that of the user.

        Raises InvalidInput if doubtful sentences are undecided.
        """
        sentences, review = self._read(thread_id, turn)
        if review.open:
            raise InvalidInput(
                "Sentences still to be reviewed: {count}. Decide on each one, then sign.",
                count=len(review.open),
            )
        self._catalog.reviews.sign(thread_id, turn, name.strip() or self._principal.user, sentences)
        return self.get(thread_id, turn)

    def listed(self, thread_id: str, turn: int = 1) -> dict[str, Any]:
        """Return the doubtful and decided sentences as written, the decisions, and who signed."""
        sentences, review = self._read(thread_id, turn)
        return {
            "thread_id": thread_id,
            "sentences": [
                {"n": n, **sentences[n].model_dump(mode="json"), "review": review.decisions.get(n)}
                for n in review.listed
            ],
            "notes": list(review.notes.values()),
            "open": review.open,
            "signed": review.signed,
        }

    def apply(self, report: ResearchReport, review: Review) -> ResearchReport:
        """Return a report with the decisions of its review applied."""
        fields = apply_review({"answer": report.answer, "sentences": report.sentences}, review)
        sentences = tuple(map(parse_sentence, fields["sentences"]))
        return report.model_copy(update={"answer": fields["answer"], "sentences": sentences})

    def _read(self, thread_id: str, turn: int) -> tuple[list[CitedSentence], Review]:
        report = self._catalog.runs.report(self._principal, thread_id)
        answers = answers_of(report) if report else []
        if not 0 < turn <= len(answers) or "sentences" not in answers[turn - 1]:
            raise InvalidInput("Thread {thread} has no answer to review yet.", thread=thread_id)
        sentences = list(map(parse_sentence, answers[turn - 1]["sentences"]))
        return sentences, self._catalog.reviews.of(thread_id, turn, sentences)


def _decided_text(sentence: CitedSentence, decision: Decision, text: str) -> str:
    match decision:
        case "quote":
            verified = (citation for citation in sentence.citations if citation.verified)
            quote = next((citation.quote for citation in verified), None)
            if quote is None:
                raise InvalidInput("This sentence has no verified quote that could replace it.")
            return quote
        case "edit":
            if not (edited := " ".join(text.split())):
                raise InvalidInput("Enter the new wording, or remove the sentence.")
            return edited
        case "remove":
            return ""
        case "note":
            return text.strip()
    return sentence.text
