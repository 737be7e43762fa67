"""Ended runs as OpenTelemetry spans, named as OpenInference does.

They are made from the log of a run, so that they say what pages and reports say. Sources:
opentelemetry.io/docs/specs/otel/trace and the OpenInference semantic conventions.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from services.domain.answer_events import (
    AgentStep,
    ConversationLLMStep,
    KnowledgeRetrievalComplete,
)
from services.domain.errors import InvalidInput
from services.domain.events import (
    Event,
    EventRecord,
    ModelCalled,
    PhaseFinished,
    RetrievalIteration,
    RunFinished,
    RunStarted,
    TaskFinished,
)
from services.domain.runs import RunInfo

SERVICE = "rabbithole"
URLS = ("http://", "https://")


class Step(NamedTuple):
    """A span to be: seconds since 1970, and attributes without text of questions or documents."""

    name: str
    kind: str
    start: float
    end: float
    attributes: dict[str, str | int]


class Telemetry:
    """Sends spans to a collector (OTLP over gRPC) or appends them to a file, a JSON line each.

    Args:
        place: an address such as ``http://127.0.0.1:4317``, or the path of a file.
        text: whether the question and the answer go with them.

    Raises:
        InvalidInput: the file cannot be written.
    """

    def __init__(self, place: str, *, text: bool) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        self._text = text
        resource = Resource.create({"service.name": SERVICE})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_exporter(place)))
        self._tracer = self._provider.get_tracer(SERVICE)

    def export(self, run: RunInfo, log: Iterable[EventRecord], answer: str = "") -> None:
        """Queues what a run did since it last ended; the sending is done in the background.

        Args:
            run: the run.
            log: all its events, oldest first, the last of them its end.
            answer: what it came to; goes with the spans only where text may.
        """
        from opentelemetry.trace import set_span_in_context

        going = last_going(log)
        if not going:
            return
        steps = list(steps_of(going))
        question = str(run.options.get("asked", run.question))
        texts = {"input.value": question, "output.value": answer} if self._text else {}
        start = min([_time(going[0]), *(step.start for step in steps)])
        whole = Step(run.kind, "AGENT", start, _time(going[-1]), {"session.id": run.thread_id})
        root = self._begin(whole, None, texts)
        parents: list[tuple[Step, Any]] = []
        for step in sorted(steps, key=lambda step: (step.start, -step.end)):
            within = (span for outer, span in reversed(parents) if _covers(outer, step))
            span = self._begin(step, set_span_in_context(next(within, root)))
            parents.append((step, span))
        for step, span in (*parents, (whole, root)):
            span.end(_nanoseconds(step.end))

    def close(self) -> None:
        """Sends what is queued."""
        self._provider.shutdown()

    def _begin(self, step: Step, context: Any, texts: dict[str, str] | None = None) -> Any:
        attributes = {"openinference.span.kind": step.kind, **step.attributes, **(texts or {})}
        return self._tracer.start_span(
            step.name, context, attributes=attributes, start_time=_nanoseconds(step.start)
        )


def last_going(log: Iterable[EventRecord]) -> list[EventRecord]:
    """The events since the end before the last one."""
    going: list[EventRecord] = []
    for record in log:
        if going and isinstance(going[-1].event, RunFinished):
            going = []
        going.append(record)
    return going


def steps_of(log: Iterable[EventRecord]) -> Iterator[Step]:
    """The phases, tasks, searches and calls of a log.

    What is not timed by itself began when the event before it was told.
    """
    model, before = "", 0.0
    for record in log:
        event, end = record.event, _time(record)
        if isinstance(event, RunStarted):
            model = event.model
        if (named := _named(event, model)) is not None:
            yield Step(*named[:2], end - getattr(event, "seconds", end - before), end, named[2])
        before = end


def _named(event: Event, model: str) -> tuple[str, str, dict[str, str | int]] | None:
    """Name, kind and attributes of an event that is a step."""
    match event:
        case PhaseFinished():
            return event.phase, "CHAIN", {}
        case TaskFinished():
            return f"task {event.task_id}", "CHAIN", {"evidence": event.evidence}
        case ModelCalled():
            return event.task, "LLM", _call(model, event.prompt_tokens, event.completion_tokens)
        case ConversationLLMStep():
            return event.task, "LLM", _call(event.model, event.input_tokens, event.output_tokens)
        case RetrievalIteration():
            return "retrieval", "RETRIEVER", {"hits": event.hits}
        case KnowledgeRetrievalComplete():
            return "retrieval", "RETRIEVER", {"hits": event.results_count}
        case AgentStep() if event.seconds:
            return f"step {event.number}", "TOOL", {}
    return None


def _call(model: str, prompt: int, completion: int) -> dict[str, str | int]:
    return {
        "llm.model_name": model,
        "llm.token_count.prompt": prompt,
        "llm.token_count.completion": completion,
        "llm.token_count.total": prompt + completion,
    }


def _covers(outer: Step, inner: Step) -> bool:
    """A model's call holds nothing; all else what lies within it on the clock."""
    return outer.kind == "CHAIN" and outer.start <= inner.start and inner.end <= outer.end


def _time(record: EventRecord) -> float:
    return datetime.fromisoformat(record.at).timestamp()


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


def _exporter(place: str) -> Any:
    if place.startswith(URLS):
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(place, insecure=place.startswith(URLS[0]))
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter

    try:
        file = Path(place).open("a", encoding="utf-8")  # noqa: SIM115 -- closed with the program
    except OSError as problem:
        raise InvalidInput(
            "Telemetry cannot be written to {place}: {cause}. Name a file or the http address of "
            "a collector in RABBITHOLE_TELEMETRY, or leave it out.",
            place=place,
            cause=problem.strerror,
        ) from problem
    return ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\n")
