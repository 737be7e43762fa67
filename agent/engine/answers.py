"""The parts of an engine that ask for quick answers, take votes on them, and sign them off."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from agent.ask.models import Answer, AskOptions
from agent.engine.connection import Connection, EnginePart, with_parameters
from agent.engine.jobs import AskQuestion
from agent.engine.reports import ResearchReport, answers_of, cited_by, read_answer
from agent.engine.threads import ThreadsPart
from services.domain import Principal, Value
from services.domain.answers import CitedSentence
from services.domain.errors import AlreadyAnswered, InvalidInput
from services.domain.reviews import Decision, Review, read_sentence, reviewed
from services.domain.runs import ACTIVE, RunInfo
from services.export.neighbourhood import Neighbourhood
from services.library.thresholds import Thresholds, Vote, VoteInfo

LONGEST_QUESTION = 4000
OF_RESEARCH: Final = {"by_score": "agent", "depth": "agent", "complexity": {"score": 1.0}}
"""What is written of a report where a turn has its routing."""
DEPTHS = ("auto", "fast", "enhanced", "structured", "agent")


class Asked(Value):
    """A turn that is under way.

    ``after`` is the last event of the thread before it: ``poll`` and ``follow`` take it. Once the
    thread has ended, the turn is ``turns(thread_id)[turn - 1]``.
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
    ) -> Asked:
        """Asks a question, in a conversation of before or a new one; returns when under way.

        A thread keeps the collections and documents that it began with. Where it waits for an
        answer to a question of its own, this is the answer, and the turn goes on.

        Args:
            question: of up to 4000 characters; a follow-up may lean on the turns before.
            thread_id: of a conversation to go on with, or an id for a new one.
            collections: names or ids; None for the profile's, or all that one may read.
            documents: file names or ids within the collections, to search nothing else.
            depth: one of ``DEPTHS``.
            k: passages to search for; None for what profile or settings say.
            profile: name of one's profile.
            follows: a research whose report a new conversation goes on from.

        Raises:
            InvalidInput: the question is empty or too long, a value is out of range, there is
                nothing to search, the thread is a research, or other collections or documents are
                wanted.
            NotFound: a collection, a document or the profile is unknown or may not be read.
            AlreadyAnswered: the turn before is under way.
        """
        question = question.strip()
        if not 0 < len(question) <= LONGEST_QUESTION:
            raise InvalidInput("A question needs 1 to {most} characters.", most=LONGEST_QUESTION)
        options, wanted = self._chosen(depth, k, profile, collections)
        threads = ThreadsPart(self._connection, self._principal)
        run = threads.named(thread_id) if thread_id else None
        follows = run.options.get("follows") if run else follows  # type: ignore[assignment]
        chosen = run.documents if run else tuple(documents or ())
        options = options.model_copy(update={"follows": follows, "documents": chosen})
        if run is None:
            after = 0
            run = self._create("ask", question, options, wanted, thread_id, asked=question)
        else:
            self._check(run, collections, documents)
            after = threads.last_event(run.thread_id)
        if run.pending is not None:
            turn = len(self.turns(run.thread_id)) + 1
            threads.answer(run.thread_id, run.pending.interrupt_id, question)
        else:
            job = AskQuestion(thread_id=run.thread_id, question=question, options=options)
            turn = self._do(job)
        return Asked(thread_id=run.thread_id, turn=turn, after=after)

    def classify(self, question: str, collections: Sequence[str] | None = None) -> dict[str, Any]:
        """Type, confidence, entities, language and complexity of a question, without a model.

        Raises:
            InvalidInput: the question is empty.
            NotFound: a collection is unknown or may not be read.
        """
        from agent.offline import described

        scope = self._catalog.collections.scope(self._principal, collections or None)
        return described(question, self._services.reader, (self._catalog, scope))

    def _check(
        self, run: RunInfo, collections: Sequence[str] | None, documents: Sequence[str] | None
    ) -> None:
        """Whether a conversation can be asked on."""
        name = run.thread_id
        if run.kind != "ask":
            raise InvalidInput("Thread {thread} is a research. Ask without --thread.", thread=name)
        for wanted, kept in ((collections, run.collections), (documents, run.documents)):
            if wanted and set(wanted) != set(kept):
                raise InvalidInput(
                    "Thread {thread} asks {collections}. Ask others in a new one.",
                    thread=name,
                    collections=", ".join(run.documents or run.collections),
                )
        self._catalog.scope_of(self._principal, run)
        if run.pending is None and run.status in ACTIVE:
            raise AlreadyAnswered("Thread {thread} is answering already. Wait for it.", thread=name)

    def turns(self, thread_id: str) -> list[dict[str, Any]]:
        """The answered turns of a conversation, oldest first, each as ``ask --json`` prints it."""
        report = self._catalog.runs.report(self._principal, thread_id)
        return list(report["turns"]) if report else []  # type: ignore[arg-type]

    def conversation(self, thread_id: str) -> list[Answer]:
        """``turns`` as their declared values."""
        return [read_answer(turn) for turn in self.turns(thread_id)]

    def neighbourhood(self, thread_id: str, turn: int) -> Neighbourhood:
        """What the sections that an answer cites refer to, and what refers to them.

        Needs the catalog alone, and no graph; empty where there is no such answer.

        Raises:
            NotFound: there is no such thread, or its collections may not be read any more.
        """
        from services.library.neighbours import neighbourhood_of

        run = self._catalog.runs.get(self._principal, thread_id)
        answers = (each for each in self.turns(thread_id) if each["turn"] == turn)
        scope = self._catalog.scope_of(self._principal, run)
        return neighbourhood_of(cited_by(answers), self._catalog, scope)

    def vote(
        self, thread_id: str, up: bool, text: str = "", *, turn: int | None = None
    ) -> VoteInfo:
        """Says whether an answer or report helped; a later vote on it counts instead.

        A vote on a report moves no threshold: nobody routed it.

        Args:
            thread_id: the conversation.
            up: whether it helped.
            text: a word on it.
            turn: which answer, from 1; None for the last one.

        Raises:
            NotFound: there is no such thread.
            InvalidInput: it has no such answer, or the text is too long.
        """
        run = self._catalog.runs.get(self._principal, thread_id)
        report = self._catalog.runs.report(self._principal, thread_id)
        answers = answers_of(report) if report else []
        number = len(answers) if turn is None else turn
        if not 1 <= number <= len(answers):
            raise InvalidInput(
                "Thread {thread} has no answer of that number to vote on.", thread=thread_id
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
        """The scores at which questions over these collections (None: all) get more depth."""
        scope = self._catalog.collections.scope(self._principal, collections or None)
        return self._services.feedback.thresholds(self._principal, scope)

    def _chosen(
        self, depth: str, k: int | None, profile: str | None, collections: Sequence[str] | None
    ) -> tuple[AskOptions, tuple[str, ...] | None]:
        effective = self._effective(profile)
        hits = effective.hits(k)
        if depth not in DEPTHS or not 1 <= hits <= 100:
            raise InvalidInput(
                "A depth is one of {depths}; k is 1 to 100.", depths=", ".join(DEPTHS)
            )
        options = AskOptions.model_validate({"depth": depth, "k": hits, "profile": profile})
        return with_parameters(options, effective), effective.collections(collections)


class ReviewsPart(EnginePart):
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
