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


MAY_BE_LEFT_OUT = {"profile_type", "profile_tag", "total_input", "total_output"}


@pytest.mark.parametrize("kind", PAYLOADS)
def test_an_event_survives_the_log_with_its_payload_and_nothing_else(kind: str) -> None:
    payload = PAYLOADS[kind]
    event = read(kind, payload)
    written = event.model_dump(mode="json")
    assert written["kind"] == kind
    assert {name: written[name] for name in payload} == payload
    assert EVENT.validate_python(written) == event
    for field in payload.keys() - MAY_BE_LEFT_OUT:
        with pytest.raises(ValidationError, match=field):
            read(kind, {name: value for name, value in payload.items() if name != field})
    with pytest.raises(ValidationError, match="surprise"):
        read(kind, {**payload, "surprise": 1})


def read(kind: str, payload: dict[str, object]) -> Event:
    return EVENT.validate_python({"kind": kind, **payload})
