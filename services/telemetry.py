"""Export ended runs as OpenTelemetry spans, named by the OpenInference conventions.

Spans are made from the log of a run, so they agree with pages and reports. Sources:
opentelemetry.io/docs/specs/otel/trace and the OpenInference semantic conventions.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from services.domain.answer_events import AgentStep, ConversationLLMStep, KnowledgeRetrievalComplete
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


class SpanFields(NamedTuple):
    """The fields of a span: times in seconds since 1970, attributes without any document text."""

    name: str
    kind: str
    start: float
    end: float
    attributes: dict[str, str | int]


class Telemetry:
    """Sends spans to a collector (OTLP over gRPC) or appends them to a file, a JSON line each.

    ``destination`` is an address such as ``http://127.0.0.1:4317``, or the path of a file, which
    must be writable (InvalidInput); ``text`` exports the question and the answer too.
    """

    def __init__(self, destination: str, *, text: bool) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        self._text = text
        resource = Resource.create({"service.name": SERVICE})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_exporter(destination)))
        self._tracer = self._provider.get_tracer(SERVICE)

    def export(self, run: RunInfo, log: Iterable[EventRecord], answer: str = "") -> None:
        """Queue the spans of a run since it last ended; they are sent in the background.

        ``log`` has all its events, oldest first; the last one is its end.
        """
        from opentelemetry.trace import set_span_in_context

        records = latest_turn(log)
        if not records:
            return
        steps = list(steps_of(records))
        question = str(run.options.get("asked", run.question))
        texts = {"input.value": question, "output.value": answer} if self._text else {}
        start = min([_time(records[0]), *(step.start for step in steps)])
        session: dict[str, str | int] = {"session.id": run.thread_id}
        agent = SpanFields(run.kind, "AGENT", start, _time(records[-1]), session)
        root = self._begin(agent, None, texts)
        spans: list[tuple[SpanFields, Any]] = []
        for step in sorted(steps, key=lambda step: (step.start, -step.end)):
            enclosing = (span for outer, span in reversed(spans) if _covers(outer, step))
            span = self._begin(step, set_span_in_context(next(enclosing, root)))
            spans.append((step, span))
        for step, span in (*spans, (agent, root)):
            span.end(_nanoseconds(step.end))

    def close(self) -> None:
        """Send what is queued."""
        self._provider.shutdown()

    def _begin(self, step: SpanFields, context: Any, texts: dict[str, str] | None = None) -> Any:
        attributes = {"openinference.span.kind": step.kind, **step.attributes, **(texts or {})}
        return self._tracer.start_span(
            step.name, context, attributes=attributes, start_time=_nanoseconds(step.start)
        )


def latest_turn(log: Iterable[EventRecord]) -> list[EventRecord]:
    """Return the events after the last but one end of a run."""
    records: list[EventRecord] = []
    for record in log:
        if records and isinstance(records[-1].event, RunFinished):
            records = []
        records.append(record)
    return records


def steps_of(log: Iterable[EventRecord]) -> Iterator[SpanFields]:
    """Return the steps of a log; one without a duration of its own began at the event before it."""
    model, previous = "", 0.0
    for record in log:
        event, end = record.event, _time(record)
        if isinstance(event, RunStarted):
            model = event.model
        if (step := _described(event, model)) is not None:
            name, kind, attributes = step
            start = end - getattr(event, "seconds", end - previous)
            yield SpanFields(name, kind, start, end, attributes)
        previous = end


def _described(event: Event, model: str) -> tuple[str, str, dict[str, str | int]] | None:
    """Return name, kind and attributes of an event that is a step, None for other events."""
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


def _covers(outer: SpanFields, inner: SpanFields) -> bool:
    """Return whether a step other than a model call encloses another one in time."""
    return outer.kind == "CHAIN" and outer.start <= inner.start and inner.end <= outer.end


def _time(record: EventRecord) -> float:
    return datetime.fromisoformat(record.at).timestamp()


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


def _exporter(destination: str) -> Any:
    if destination.startswith(URLS):
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(destination, insecure=destination.startswith(URLS[0]))
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter

    try:
        file = Path(destination).open("a", encoding="utf-8")  # noqa: SIM115 -- closed with the program
    except OSError as problem:
        raise InvalidInput(
            "Telemetry cannot be written to {place}: {cause}. Set RABBITHOLE_TELEMETRY to a file "
            "or to the http address of a collector, or unset it.",
            place=destination,
            cause=problem.strerror,
        ) from problem
    return ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\n")
