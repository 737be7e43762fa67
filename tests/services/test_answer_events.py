"""The events of quick answers and of the agent: names and payloads that others rely on."""

import pytest
from pydantic import ValidationError

from services.domain.events import EVENT, Event

SOURCE = {
    "chunk_id": "c",
    "document_id": "d",
    "document": "LärmG.txt",
    "section": "§ 2",
    "page": 1,
    "relevance": 0.8,
}
PAYLOADS = {
    "execution_start": {
        "profile_type": "rag_focused",
        "profile_tag": "",
        "turn": 1,
        "question": "?",
    },
    "knowledge_retrieval_start": {"collection_count": 2},
    "knowledge_retrieval_complete": {
        "results_count": 1,
        "documents": ["LärmG.txt"],
        "sources": [SOURCE],
    },
    "agent_start": {"usual_s": 12.0, "longest_s": 40.0, "most_steps": 7},
    "agent_step": {"number": 1, "thought": "Was fehlt?"},
    "conversation_llm_step": {"input_tokens": 900, "output_tokens": 80, "model": "m"},
    "token_update": {"part": "answer", "text": "85", "total_input": 900, "total_output": 80},
    "final_answer": {"html": "<p>85</p>", "sources": [], "tts_payload": None, "answer": {}},
    "execution_complete": {"duration_ms": 12.5, "tokens": {"input": 900, "output": 80}},
}


@pytest.mark.parametrize("kind", PAYLOADS)
def test_an_event_survives_the_log(kind: str) -> None:
    event = read(kind, PAYLOADS[kind])
    written = event.model_dump(mode="json")
    assert written["kind"] == kind
    assert {name: written[name] for name in PAYLOADS[kind]} == PAYLOADS[kind]
    assert EVENT.validate_python(written) == event


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (kind, field)
        for kind, payload in PAYLOADS.items()
        for field in payload
        if field not in ("profile_type", "profile_tag", "total_input", "total_output")
    ],
)
def test_a_field_of_the_payload_is_not_left_out(kind: str, field: str) -> None:
    payload = {name: value for name, value in PAYLOADS[kind].items() if name != field}
    with pytest.raises(ValidationError, match=field):
        read(kind, payload)


@pytest.mark.parametrize("kind", PAYLOADS)
def test_what_an_event_does_not_have_is_refused(kind: str) -> None:
    with pytest.raises(ValidationError, match="surprise"):
        read(kind, {**PAYLOADS[kind], "surprise": 1})


def read(kind: str, payload: dict[str, object]) -> Event:
    return EVENT.validate_python({"kind": kind, **payload})
