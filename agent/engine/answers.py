"""The part of an engine that asks for quick answers, and for votes on them."""

from collections.abc import Sequence
from typing import Any, Final

from agent.ask.models import Answer, AskOptions
from agent.engine.jobs import AskQuestion
from agent.engine.part import Part, via, with_parameters
from agent.engine.reports import answers_of, cited_by, read_answer
from agent.engine.threads import ThreadsPart
from services.domain import Value
from services.domain.errors import AlreadyAnswered, InvalidInput
from services.domain.runs import ACTIVE, RunInfo
from services.export.neighbourhood import Neighbourhood
from services.library.feedback import Feedback
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


class AnswersPart(Part):
    """Conversations of quick answers: threads of kind ``ask``."""

    votes = via("feedback", Feedback.votes)
    lock_thresholds = via("feedback", Feedback.lock)
    reset_thresholds = via("feedback", Feedback.reset)

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
