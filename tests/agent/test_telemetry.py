"""Ended runs as OpenTelemetry spans, in a file and at a collector."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as otlp
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as otlp_grpc

from agent.engine.engine import connect, connect_to
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.settings import Settings
from services.telemetry import Telemetry
from tests.support.desk import LAW, QUESTION, ask, make_services
from tests.support.reading_rules import reading_rules
from tests.support.research import LIMIT, researched, rules
from tests.support.scripted_model import ScriptedModel

Json = dict[str, Any]


class Collector(otlp_grpc.TraceServiceServicer):
    def __init__(self) -> None:
        self.spans: list[Any] = []

    def Export(self, request: Any, context: Any) -> Any:
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)
        return otlp.ExportTraceServiceResponse()


@pytest.fixture
def collector() -> Iterator[tuple[Collector, str]]:
    server = grpc.server(ThreadPoolExecutor(1))
    kept = Collector()
    otlp_grpc.add_TraceServiceServicer_to_server(kept, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield kept, f"http://127.0.0.1:{port}"
    server.stop(0)


def worked(home: Path, place: str, *, text: bool = False) -> str:
    """The thread of a research with a model and a quick answer, whose runs are told there."""
    law = home.parent / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    model = ScriptedModel([*reading_rules(LIMIT), *rules()])
    services = make_services(home, model).replaced(telemetry=lambda: Telemetry(place, text=text))
    with connect_to(services, Principal(user="local")) as client:
        client.library.ingest([law], "laerm")
        ask(client, QUESTION)
        return researched(client)


def test_a_file_has_each_run_with_its_phases_and_calls(tmp_path: Path) -> None:
    thread = worked(tmp_path / "home", str(tmp_path / "spans.jsonl"))
    told = (tmp_path / "spans.jsonl").read_text(encoding="utf-8")
    spans = [json.loads(line) for line in told.splitlines()]
    roots = {each["name"]: each for each in spans if each["parent_id"] is None}
    assert set(roots) == {"ask", "research"}
    research = roots["research"]
    assert research["attributes"]["session.id"] == thread
    within = [each for each in spans if same_trace(each, research)]
    names = {each["name"] for each in within}
    assert names >= {"research", "clarify", "plan", "extract", "synthesize", "section", "task 1"}
    assert all(research["start_time"] <= each["start_time"] for each in within)
    assert all(each["end_time"] <= research["end_time"] for each in within)
    writing = next(each for each in within if each["name"] == "section")
    around = next(each for each in within if each["name"] == "synthesize")
    assert writing["parent_id"] == around["context"]["span_id"]
    assert writing["attributes"]["openinference.span.kind"] == "LLM"
    assert writing["attributes"]["llm.token_count.total"] > 0
    assert "Grenzwert" not in told and "Behörde" not in told, "no text unless it was wanted"


def test_a_collector_is_told_with_text_where_that_was_wanted(
    tmp_path: Path, collector: tuple[Collector, str]
) -> None:
    kept, address = collector
    worked(tmp_path / "home", address, text=True)
    research = next(each for each in kept.spans if each.name == "research")
    texts = {each.key: each.value.string_value for each in research.attributes}
    assert texts["input.value"] == QUESTION and "70 Dezibel" in texts["output.value"]


def test_a_place_that_cannot_be_written_is_named_before_anything_runs(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", llm="none", telemetry=str(tmp_path / "no" / "file"))
    with connect(settings) as client, pytest.raises(InvalidInput, match="RABBITHOLE_TELEMETRY"):
        client.settings.search_cache()


def same_trace(one: Json, other: Json) -> bool:
    return bool(one["context"]["trace_id"] == other["context"]["trace_id"])
