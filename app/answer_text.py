"""Quick answers in a terminal: text as it is written, then the answer with its places."""

import shutil
from typing import Any, Self

import click

from agent.engine import pictures
from app.labels import NO_PROOF
from services.domain.events import (
    AgentStart,
    AgentStep,
    Event,
    KnowledgeRetrievalComplete,
    KnowledgeRetrievalStart,
    TokenUpdate,
    Waiting,
    Warned,
    total_seconds,
)

QUOTE_SHOWN = 160


class Writing:
    """The text of an answer on standard error while it grows; gone when it is done."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._lines = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def show(self, event: Event) -> None:
        """Shows what an event tells; a warning is said in any case."""
        match event:
            case Warned():
                self._clear()
                click.echo(f"rabbithole: {event.message}", err=True)
            case KnowledgeRetrievalStart():
                self._replace(f"searching {event.collection_count} collections …")
            case KnowledgeRetrievalComplete():
                self._replace(f"{event.results_count} passages found, reading …")
            case AgentStart():
                self._replace(
                    f"thinking in steps, usually about {event.usual_s:.0f} s, at most "
                    f"{event.most_steps} steps and {event.longest_s:.0f} s …"
                )
            case AgentStep():
                self._replace(f"step {event.number}: {event.thought}")
            case TokenUpdate():
                self._replace(event.text)

    def _replace(self, text: str) -> None:
        if not self._shown:
            return
        self._clear()
        width = max(20, shutil.get_terminal_size().columns - 1)
        lines = [
            line[start : start + width]
            for line in click.unstyle(text).splitlines()
            for start in range(0, max(1, len(line)), width)
        ]
        click.echo("\n".join(lines), err=True)
        self._lines = len(lines)

    def _clear(self) -> None:
        if self._lines:
            click.echo(f"\x1b[{self._lines}F\x1b[J", nl=False, err=True)
            self._lines = 0


def answer_text(turn: dict[str, Any], *, explain: bool) -> str:
    """A turn as text: answer, numbered places, what it cost, and why on demand."""
    places = [
        f"[{each['number']}] {each['place']}: {_case(each)}»{_short(each['quote'])}«"
        for each in turn["citations"]
    ]
    notes = [
        f"Warning: {text}" for text in (turn["coverage"]["warning"], *turn["warnings"]) if text
    ]
    if turn.get("deeper"):
        choices = " or ".join(f"--depth {depth}" for depth in turn["deeper"])
        notes.append(f"Note: {turn['reason']}. Go deeper with {choices}.")
    parts = [
        turn["answer"],
        "\n".join(doubts(turn)),
        "\n".join(places),
        "\n".join(notes),
        cost_line(turn),
    ]
    if explain:
        parts.append(explanation(turn))
    return "\n\n".join(part for part in parts if part)


def doubts(report: dict[str, Any]) -> list[str]:
    """Sentences of a report or an answer that are no proof, each with the reason."""
    from agent.engine.layout import lay_out

    lines = [line for part in lay_out(report).parts for line in part.lines]
    return [
        f"Not proof, {NO_PROOF[line.standing]}: »{_short(line.text)}«"
        f"{f' ({_short(line.reason)})' if line.reason else ''}"
        for line in lines
        if line.standing is not None and not line.proven
    ]


def _case(citation: dict[str, Any]) -> str:
    """For whom or when the quote holds, set before it."""
    case = citation.get("case")
    return f"{_short(case['text']).rstrip(' ,;:.')}: " if case else ""


def turns_text(turns: list[dict[str, Any]]) -> str:
    """A whole conversation as text."""
    return "\n\n".join(
        f"? {turn['question']}\n\n{answer_text(turn, explain=False)}" for turn in turns
    )


def cost_line(turn: dict[str, Any]) -> str:
    usage = turn["usage"]
    seconds = total_seconds(usage["seconds"])
    from agent.engine.layout import counted, standings_of

    certainty = turn.get("certainty", "answered")
    counts = "" if turn["listed"] else counted(standings_of(turn), certainty, "en")
    told = "refused" if turn["refused"] else counts
    said = f"{told} · " if told else ""
    calls = f"{usage['model_calls']} call{'s' * (usage['model_calls'] != 1)}"
    if "writing" in usage:
        share = f"{usage['writing']:.0%}".removesuffix("%")
        calls += f" · quotes alone: it writes too loosely ({share} % proven)"
    return (
        f"{said}{turn['depth']} · model {usage['model']}, {calls} · {seconds:.1f} s · "
        f"thread {turn['thread_id']}"
    )


def explanation(turn: dict[str, Any]) -> str:
    """Why a question was answered as it was."""
    score, kind = turn["complexity"], turn["classification"]
    lines = [f"Depth {turn['depth']}: {turn['reason']}."]
    if turn["question_rewritten"]:
        lines.append(f"Understood as: {turn['question_rewritten']} ({turn['rewritten_because']})")
    lines.append(
        f"Question: {kind['type']} (confidence {kind['confidence']:.2f}), {turn['language']}, "
        f"entities: {', '.join(kind['entities']) or 'none'}"
    )
    factors = ", ".join(f"{name} {value:.2f}" for name, value in score["factors"].items())
    lines.append(
        f"Complexity {score['score']:.3f} ({score['level']}; rules {score['score_rules']:.3f}): "
        f"{factors}"
    )
    lines += [f"  {reason}" for reason in score["reasons"]]
    if (found := turn["found"]) is not None:
        lines += [f"Searched: {query}" for query in found["searches"]]
        lines.append(
            f"Found {found['results']} passages, nearest {found['relevance']:.2f}, words covered "
            f"{found['coverage']:.2f}{', from the cache' if found['from_cache'] else ''}"
        )
    if found is not None and turn["depth"] != "structured":
        cache = found["cache"]
        lines.append(
            f"Cache: {cache['size']} searches, {cache['hits']} hits, {cache['misses']} misses, "
            f"hit rate {cache['hit_rate']:.2f}"
        )
        lines += _graph(found["graph"])
    lines += needed_text(turn)
    lines += [line for step in turn.get("agent_steps", ()) for line in step_lines(step)]
    lines += [f"Degraded: {text}" for text in turn["degraded"]]
    return "\n".join(lines)


def _graph(use: dict[str, Any] | None) -> list[str]:
    """What the knowledge graph brought, and by which way; nothing where there is none."""
    if use is None:
        return []
    if use.get("loading"):
        return ["Graph: not asked, since it was not loaded yet."]
    if not use["asked"]:
        head = "Graph: not asked, since the question is about one thing"
        followed = f"{head}; references of the best passages lead to" if use["ways"] else f"{head}."
        return [followed, *(f"  {_way(way)}" for way in use["ways"])]
    named = ", ".join(use["entities"]) or "nothing"
    head = f"Graph: weight {use['weight']:.2f}, confidence {use['confidence']:.2f}, from {named}"
    return [head, *(f"  {_way(way)}" for way in use["ways"])]


def _way(way: dict[str, Any]) -> str:
    place = f"{way['document']} {way['section']}".strip()
    return f"{place}: {way['path'] or 'named by the question'}"


def step_lines(step: dict[str, Any]) -> list[str]:
    """A step of the agent: thought, what was done, what it brought."""
    undone = ", undone" * step["discarded"]
    lines = [f"Step {step['number']} ({step['seconds']:.1f} s{undone}): {_short(step['thought'])}"]
    for action in step["actions"]:
        arguments = ", ".join(
            f"{name}={_short(said)}" for name, said in action["arguments"].items()
        )
        lines.append(f"  {action['tool']}({arguments})")
    lines += [f"  -> {_short(said)}" for said in step["observations"]]
    return [*lines, *([f"  {_short(step['reflection'])}"] if step["reflection"] else [])]


def needed_text(turn: dict[str, Any]) -> list[str]:
    """Lines for a terminal: what was needed, how far it was found, and what was searched for."""
    if "required_info" not in turn:
        return []
    needed = pictures.coverage(turn, "en", most=None)
    lines = [
        f"Question type {turn['question_type']}, confidence {turn['confidence']:.2f}"
        + (f", evidence from {turn['temporal_coverage']}" if turn["temporal_coverage"] else "")
    ]
    for row in needed.rows:
        pairs = zip(needed.documents, (cell.places for cell in row.cells), strict=True)
        where = "; ".join(f"{name} {places}".rstrip(" •") for name, places in pairs if places)
        lines.append(f"  {row.status:8} {row.item}" + (f" ({where})" if where else ""))
    lines += [f"Gap: {item}" for item in turn["gaps"]]
    lines += [f"Contradiction: {each['why']} ({each['item']})" for each in turn["contradictions"]]
    for query in turn["sub_queries"]:
        found = ", ".join(f"{name} {number}" for name, number in sorted(query["found"].items()))
        again = " (for a gap)" if query["gap"] else ""
        lines.append(f"Sub-query{again}: {query['query']} ({found})")
    times = ", ".join(f"{phase} {ms:.0f} ms" for phase, ms in turn["timings_ms"].items())
    return [*lines, f"Times: {times}"]


def asked_back(thread: str, pending: Waiting) -> str:
    """The question of a turn that waits, and how it is answered."""
    return "\n".join([*pending.questions, f'Answer with: rabbithole ask --thread {thread} "…"'])


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= QUOTE_SHOWN else f"{plain[: QUOTE_SHOWN - 1]}…"
