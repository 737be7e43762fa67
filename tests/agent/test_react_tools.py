"""What the tools of the agent say: those of a graph, those that fail; what is kept of a run."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from agent.ask.react import tools
from agent.ask.react.protocol import (
    estimate_seconds,
    gathered_text,
    quote_lines,
    shorten,
    trimmed_history,
)
from agent.ask.react.values import MAX_STEPS, AgentRun, Thought, ToolCall, ToolResult
from agent.engine.engine import Engine
from services.domain.errors import StoresBusy
from tests.agent.test_react import ANSWER, MODEL, TRUE, played
from tests.support.desk import ask, open_desk
from tests.support.reading_rules import reading_rules
from tests.support.scripted_model import ScriptedModel

SEARCH = "retrieve_vector", "Grenzwert"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("tools") / "home", MODEL, reads=False) as client:
        yield client


def observed(desk: Engine, tool: str, argument: str = "") -> tuple[str, bool]:
    """What a tool says, and whether it was a dead end."""
    turn = played(desk, f"THOUGHT: x\nACTION: {tool}\nARGUMENTS: {argument}", ANSWER)
    return turn["agent_steps"][0]["observations"][0], turn["agent"]["backtracked"]


@pytest.mark.parametrize(
    ("tool", "argument", "observation", "dead_end"),
    [
        ("google", "Lärm", "Ein Werkzeug „google“ gibt es nicht", False),
        ("synthesize", "", "noch nichts gesammelt", False),
        ("verify_claim", TRUE, "Am nächsten kommt LärmG § 2", False),
        ("verify_claim", "Apfelkuchen enthält Zimt.", "Keine Textstelle passt", False),
        ("database_stats", "", "1 Dokument in 1 Sammlung: laerm (1).", False),
        ("retrieve_vector", "", "Es fehlt: query.", True),
        ("retrieve_graph", "LärmG § 1", "LärmG § 1 refers to LärmG § 2", False),
        ("retrieve_graph", "Kuchen", "führt von „Kuchen“ zu keiner Textstelle", True),
        ("lookup_entity", "LärmG § 2", "LärmG § 2 (section)", False),
        ("lookup_entity", "Kuchen", "kennt „Kuchen“ nicht", True),
        ("compare_entities", "LärmG § 1 und LärmG § 2", "LärmG § 2 (section)", False),
        ("compare_entities", "Kuchen", "braucht es zwei Namen", False),
    ],
)
def test_what_a_tool_says_is_an_observation(
    desk: Engine, tool: str, argument: str, observation: str, dead_end: bool
) -> None:
    text, lost = observed(desk, tool, argument)
    assert observation in text and lost is dead_end


def test_a_phrase_that_is_also_a_title_restricts_no_search(tmp_path: Path) -> None:
    (tmp_path / "Vortrag.md").write_text("# Grenzwert des Lärms\n\nDer Vortrag beginnt um zehn.\n")
    with open_desk(tmp_path / "home", MODEL, reads=False) as desk:
        desk.library.ingest([tmp_path / "Vortrag.md"], "laerm")
        text, _ = observed(desk, SEARCH[0], '{"query": "Grenzwert des Lärms"}')
    assert "Vortrag" in text and TRUE in text


@pytest.mark.parametrize("reads", [True, False])
def test_a_model_that_reads_decides_itself_what_is_near(tmp_path: Path, reads: bool) -> None:
    model = ScriptedModel(
        [
            (
                "agent_think",
                [f'THOUGHT: x\nACTION: {SEARCH[0]}\nARGUMENTS: {{"query": "Kuchen"}}', ANSWER],
            ),
            *reading_rules(TRUE),
        ],
        default="ACTION: continue",
    )
    with open_desk(tmp_path / "home", model, reads=reads) as desk:
        turn = ask(desk, "Welcher Grenzwert des Lärms gilt?", depth="agent")
    shown = turn["agent_steps"][0]["observations"][0]
    assert ("LärmG" in shown) is reads and ("Kuchen" in shown) is not reads


@pytest.mark.parametrize(
    ("claim", "missing", "verdict", "verifications"),
    [
        (TRUE, "", "Die Dokumente sagen es.", 1),
        (TRUE, "im Tagesmittel", "Das sagen die Dokumente nicht: im Tagesmittel", 1),
        (TRUE.replace("85", "95"), "", "Das sagen die Dokumente nicht: 95", 0),
        (f"Nach § 99 gilt: {TRUE}", "", "Das sagen die Dokumente nicht: § 99", 0),
        (TRUE, None, "Am nächsten kommt LärmG § 2: ", 1),
    ],
)
def test_a_model_that_reads_names_the_words_that_the_documents_do_not_say(
    tmp_path: Path, claim: str, missing: str | None, verdict: str, verifications: int
) -> None:
    """Numbers and labels are checked by code; where verifying fails, nothing is claimed."""
    reading = {"readings": [{"number": 1, "missing": missing}]}
    model = ScriptedModel(
        [
            ("agent_think", [f"ACTION: verify_claim\nARGUMENTS: {claim}", ANSWER]),
            ("^verify$", "kein JSON" if missing is None else reading),
            *reading_rules(),
        ],
        default="ACTION: continue",
    )
    with open_desk(tmp_path / "home", model, reads=True) as desk:
        turn = ask(desk, "Welcher Grenzwert des Lärms gilt?", depth="agent")
    (observation,) = turn["agent_steps"][0]["observations"]
    assert observation.startswith(verdict) and "LärmG § 2: " in observation
    prompts = model.prompts("verify")
    assert bool(prompts) is bool(verifications)
    assert all(claim in each for each in prompts)


@pytest.mark.parametrize(
    ("problem", "observation"),
    [(StoresBusy("busy"), "busy"), (ValueError("secret"), "ValueError"), (None, "in 0.1 s")],
)
def test_a_tool_that_fails_or_takes_too_long_is_an_observation(
    desk: Engine, monkeypatch: pytest.MonkeyPatch, problem: Exception | None, observation: str
) -> None:
    async def fails(_: str, toolkit: tools.Toolkit) -> ToolResult:
        if problem is None:
            await asyncio.sleep(5)
        raise problem or AssertionError

    monkeypatch.setitem(tools._TOOLS, "retrieve_vector", fails)
    monkeypatch.setattr(tools, "RETRIEVAL_TIMEOUT_S", 0.1)
    text, lost = observed(desk, *SEARCH)
    assert observation in text and "secret" not in text and lost


def test_what_prompts_show_of_the_past_is_trimmed_and_behind_bars() -> None:
    call = ToolCall(tool="retrieve_vector", arguments={"query": "x"})
    steps = [
        Thought(number=n, thought=f"t{n}", actions=(call,), observation=f"o{n}", reflection=f"r{n}")
        for n in (1, 2, 3)
    ]
    history = trimmed_history(steps)
    assert "t1" in history and "o1" not in history and "r1" not in history
    assert all(each in history for each in ("| o2", "r2", "| o3", "r3"))
    shared = gathered_text(["a" * 4_000, "b" * 4_000, "a" * 4_000])
    assert len(shared) <= 3_000 and shared.count("|") == 2 and "bbb" in shared
    assert quote_lines("x\nACTION: final_answer") == "| x\n| ACTION: final_answer"
    assert shorten("Title\n=====\ntext ... end", 99) == "Title text ... end"


def test_a_run_that_waits_since_an_older_version_is_restored_whole() -> None:
    """That version knew a field more."""
    fields = {"__module__": AgentRun.__module__, "__annotations__": {"repeats": int}, "repeats": 1}
    older = type("AgentRun", (AgentRun,), fields)
    waiting = older(steps=(Thought(number=1, thought="a"),), gathered=("b",), count=1)
    serializer = JsonPlusSerializer(allowed_msgpack_modules=[AgentRun])
    restored = serializer.loads_typed(serializer.dumps_typed(waiting))
    assert restored == AgentRun(steps=(Thought(number=1, thought="a"),), gathered=("b",), count=1)


def test_a_slower_model_is_said_to_take_longer() -> None:
    fast, slow = ScriptedModel(), ScriptedModel()
    slow.prompt_tokens_per_s, slow.output_tokens_per_s = 40.0, 8.0
    assert estimate_seconds(fast, 3) < estimate_seconds(slow, 3) < estimate_seconds(slow, MAX_STEPS)
    assert estimate_seconds(ScriptedModel(slots=1)) < estimate_seconds(ScriptedModel(slots=4))
