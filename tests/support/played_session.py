"""The script of a research session about German radiation protection law."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from services.domain.events import (
    AnswerGiven,
    ClarificationEnded,
    Event,
    EvidenceDropped,
    EvidenceFound,
    ModelCalled,
    Phase,
    PhaseFinished,
    PhaseStarted,
    PlanApproved,
    PlanItem,
    PlanProposed,
    QuestionsAsked,
    ReferenceFollowed,
    RetrievalIteration,
    RunFinished,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TokenUpdate,
    Waiting,
)
from services.domain.notices import Notice

PLAN_SEGMENT = 2
LAW = "StrlSchG.pdf"
QUESTION = (
    "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
    "und welche Ausnahmen kann die Behörde zulassen?"
)
ANSWER = "Vor allem die effektive Dosis; Organdosen nur am Rand."
LIMIT = (
    "Für Personen unter 18 Jahren beträgt der Grenzwert der effektiven Dosis "
    "1 Millisievert im Kalenderjahr."
)
EXCEPTION = (
    "Abweichend davon kann die zuständige Behörde für Auszubildende und Studierende im Alter "
    "zwischen 16 und 18 Jahren einen Grenzwert von 6 Millisievert im Kalenderjahr für die "
    "effektive Dosis festlegen, wenn dies zur Erreichung des Ausbildungszieles notwendig ist."
)
ORGANS = (
    "Der Grenzwert der Organ-Äquivalentdosis beträgt für Personen unter 18 Jahren für die "
    "Augenlinse 15 Millisievert im Kalenderjahr."
)
HOSTILE = (
    '![x](http://evil.example/a.png) <img src="http://evil.example/b.png"> '
    "[hier klicken](http://evil.example/c) http://evil.example/d www.evil.example "
    "<script>window.pwned=1</script> :red[rot] $x^2$ # Titel"
)
ITEMS = (
    PlanItem(
        id=1,
        task="Grenzwerte der effektiven Dosis für Personen unter 18 bestimmen",
        context="§ 78 Abs. 3 StrlSchG gefunden",
    ),
    PlanItem(
        id=2,
        task="Ausnahmen der zuständigen Behörde für Auszubildende klären",
        context="Lücke: Ausnahme",
    ),
    PlanItem(
        id=3,
        task="Organ-Äquivalentdosen für Personen unter 18 Jahren zusammenstellen",
        context="§ 78 Abs. 3 Satz 2 gefunden",
    ),
)
QUESTIONS = (
    (
        "Meinen Sie Auszubildende und Studierende (16 bis 18 Jahre) oder alle unter 18?",
        "Geht es nur um die effektive Dosis oder auch um Organdosen?",
    ),
    ("Sollen auch Schwangere unter 18 Jahren behandelt werden?",),
)
FOUND = (
    "StrlSchG § 78: Grenzwerte für beruflich exponierte Personen",
    "StrlSchV § 71: Kategorien beruflich exponierter Personen",
    "StrlSchG § 80: Grenzwerte für die Exposition der Bevölkerung",
)


def time_of(seq: int) -> str:
    """Events come 0.4 s apart and have just happened."""
    begin = datetime.now(UTC) - timedelta(seconds=60)
    return (begin + timedelta(seconds=0.4 * seq)).isoformat()


def script(*, hostile: bool = False) -> list[list[Event]]:
    """Four segments; all but the last end where a person is asked."""
    extra = HOSTILE if hostile else ""
    return [
        [
            RunStarted(question=QUESTION, model="qwen3:14b", collections=("strahlenschutz",)),
            *_look(0, extra),
        ],
        [AnswerGiven(iteration=0, text=ANSWER), *_look(1, extra)],
        [
            AnswerGiven(iteration=1, text="/end"),
            *_phase("clarify", ClarificationEnded(reason="user_end", refinements=(ANSWER,))),
            *_phase("plan", PlanProposed(items=_items(extra))),
            Waiting(interrupt_id="plan-1", interrupt="plan", items=_items(extra)),
        ],
        [*_work(extra), RunFinished(status="done")],
    ]


def _items(extra: str) -> tuple[PlanItem, ...]:
    if not extra:
        return ITEMS
    return (*ITEMS, PlanItem(id=4, task=extra, context=extra))


def _phase(phase: Phase, *events: Event) -> Iterator[Event]:
    yield PhaseStarted(phase=phase)
    yield from events
    yield PhaseFinished(phase=phase, seconds=1.4)


def _look(iteration: int, extra: str) -> Iterator[Event]:
    first = QUESTION if iteration == 0 else f"{QUESTION} {ANSWER}"
    questions = (*QUESTIONS[iteration], *([extra] if extra else []))
    found = (*FOUND, *([extra] if extra else []))
    look = RetrievalIteration(
        iteration=iteration,
        queries=(first, "Dosisgrenzwerte Jugendliche", "Ausnahme Auszubildende 16 bis 18 Jahre"),
        hits=24,
        new=24 if iteration == 0 else 9,
        duplicates=0 if iteration == 0 else 15,
        dedup_ratio=0.0 if iteration == 0 else 0.63,
        coverage=0.45 if iteration == 0 else 0.68,
        gaps=("Ausnahme", "Zuständigkeit der Behörde"),
        found=found,
    )
    asked = QuestionsAsked(iteration=iteration, questions=questions, found=found)
    call = ModelCalled(
        task="ask_questions",
        model_calls=1,
        prompt_tokens=812,
        completion_tokens=64,
        seconds=2.1,
        fallback=None,
    )
    yield from _phase("clarify", look, call, asked)
    yield Waiting(
        interrupt_id=f"ask-{iteration + 1}",
        interrupt="clarification",
        questions=questions,
        found=found,
    )


def _work(extra: str) -> Iterator[Event]:
    yield PlanApproved(
        items=ITEMS, changes=(Notice.of("removed: {task}", task="Übergangsrecht zusammenstellen"),)
    )
    yield PhaseStarted(phase="extract")
    for item in ITEMS:
        yield from _task(item, extra)
    yield PhaseFinished(phase="extract", seconds=12.4)
    yield from _phase(
        "validate",
        *(
            EvidenceDropped(
                chunk_id=f"d{n}",
                document=LAW,
                section=f"§ {n}",
                tier=3,
                score=0.21,
                reason=f"relevance 0.21 to the question is below 0.3 {extra}",
            )
            for n in (93, 172)
        ),
    )
    yield PhaseStarted(phase="synthesize")
    for length in (60, 120, len(LIMIT)):
        yield TokenUpdate(part="lead", text=f"{LIMIT[:length]} {extra}")
    yield PhaseFinished(phase="synthesize", seconds=9.0)
    yield from _phase("assess")
    yield from _phase("attribute")


def _task(item: PlanItem, extra: str) -> Iterator[Event]:
    yield TaskStarted(task_id=item.id, task=item.task)
    for rank in range(7):
        yield EvidenceFound(
            task_id=item.id,
            chunk_id=f"c{item.id}-{rank}",
            document=LAW,
            section=f"§ {78 + rank} {extra}",
            page=50 + rank,
            tier=1 + min(2, rank // 2),
            relevance=0.91 - 0.08 * rank,
            source_type="vector_search" if rank < 5 else "reference",
            depth=0 if rank < 5 else 1,
        )
    yield ReferenceFollowed(
        task_id=item.id,
        source="StrlSchG § 78",
        text="§ 77 Absatz 1",
        found=True,
        resolved_to="StrlSchG § 77",
        depth=1,
    )
    yield ReferenceFollowed(
        task_id=item.id,
        source="StrlSchG § 78",
        text="Richtlinie 2013/59",
        found=False,
        resolved_to=None,
        depth=1,
    )
    yield ModelCalled(
        task="extract_evidence",
        model_calls=1,
        prompt_tokens=1900,
        completion_tokens=90,
        seconds=4.0,
        fallback=None,
    )
    yield TaskFinished(task_id=item.id, seconds=4.1, evidence=7, quotes=3)
