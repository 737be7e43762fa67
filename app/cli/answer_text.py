"""Answers and reports as text for a terminal, with their places; why and at what cost."""

from collections.abc import Iterator, Mapping
from functools import partial

from pydantic import JsonValue

from agent.ask.models import (
    Answer,
    Complexity,
    GraphPath,
    GraphUse,
    NumberedCitation,
    StructuredAnswer,
)
from agent.engine import layout
from agent.engine.layout import first_sight, headline, lay_out, mark_query_words
from agent.engine.reports import (
    Answered,
    ResearchReport,
    as_json,
    read_answer,
    read_report,
    usage_of,
)
from app.formats import one_line
from services.domain import CaseSpan
from services.domain.events import AgentStep, Waiting

NO_PROOF = {
    "loose": "not shown to follow",
    "contradicts": "the passage contradicts it",
    "none": "no passage found",
}
_short = partial(one_line, limit=160)
"""Texts of documents and models, as long as a line of a terminal bears."""


def run_text(kept: Mapping[str, JsonValue]) -> str:
    """What a thread has come to, as it is printed with ``--json``: a report, or all turns."""
    turns = kept.get("turns")
    if isinstance(turns, list):
        return "\n\n".join(map(_turn_text, turns))
    if "answer" not in kept:
        return f"Thread {kept['thread_id']}: {kept.get('status', '')}, no report."
    report = read_report(kept)
    return "\n".join(
        [
            report.answer,
            *doubts(report),
            "",
            "Sources:",
            *(f"  {source.document}: {', '.join(source.sections)}" for source in report.sources),
            *(f"Plan, {change}" for change in report.plan_changes),
            *(f"Warning: {notice}" for notice in report.warnings),
            *_quality(report),
            cost_line(report, report.thread_id),
        ]
    )


def _quality(report: ResearchReport) -> Iterator[str]:
    """The scores of a report, what a revision came to, and what lowers them."""
    quality = report.quality
    if quality is None:
        return
    revised = ""
    if quality.before:
        before, after = (f"{each['total']:.0f}" for each in (quality.before, quality.after))
        helped = "" if quality.revision_helped else ", which did not help: the first version stays"
        revised = f"; revised once, {before} before and {after} after{helped}"
    yield f"Quality: {quality.total:.0f} of 400{revised}"
    yield from (f"  {remark}" for remark in quality.remarks)


def _turn_text(kept: JsonValue) -> str:
    assert isinstance(kept, dict)
    turn = read_answer(kept)
    return f"? {turn.question}\n\n{answer_text(turn, str(kept['thread_id']))}"


def answer_text(turn: Answer, thread: str, *, explain: bool = False) -> str:
    """A turn as text: answer, numbered places, what it cost, and why on demand."""
    closest = turn.certainty == "perhaps"
    places = [] if closest else [_place(cited) for cited in turn.citations]
    notes = [f"Warning: {text}" for text in (turn.coverage.warning, *turn.warnings) if text]
    if turn.coverage.statement and not turn.coverage.whole:
        notes.append(turn.coverage.statement)
    if turn.deeper:
        choices = " or ".join(f"--depth {depth}" for depth in turn.deeper)
        notes.append(f"Note: {turn.reason}. Go deeper with {choices}.")
    parts = [
        closest_text(turn, thread) if closest else turn.answer,
        "\n".join(doubts(turn)),
        "\n".join(places),
        "\n".join(notes),
        cost_line(turn, thread),
        explanation(turn) if explain else "",
    ]
    return "\n\n".join(filter(None, parts))


def _place(cited: NumberedCitation) -> str:
    """The number of a place, where it is, and what stands there."""
    read = " (recognised text)" * cited.recognised
    return f"[{cited.number}] {cited.place}: {_case(cited.case)}»{_short(cited.quote)}«{read}"


def closest_text(turn: Answer, thread: str) -> str:
    """Of the passages that come closest what can be taken in at a glance, and how to see all."""
    layout = lay_out(turn)
    shown, places = first_sight(layout.sections), {c.number: c.place for c in turn.citations}
    lines = [turn.opening]
    for part in layout.sections:
        lines += [f"## {part.heading}"] if part.heading else []
        for line in part.lines:
            if line.n in shown:
                pieces = mark_query_words(one_line(shown[line.n]), " ".join(line.decisive))
                text = "".join(f"**{each.text}**" if each.marked else each.text for each in pieces)
                lines += [f"[{n}] {places[n]}" for n in line.numbers] + [f"    {text}"]
    every = [line for part in layout.sections for line in part.lines]
    whole = sum(len(f"{line.case} {line.text}".strip()) for line in every)
    if whole > sum(map(len, shown.values())):
        rest = len(every) - len(shown)
        more = f", and {rest} more passage{'s' * (rest != 1)}" if rest else ""
        lines.append(f"The whole text{more}: rabbithole runs show {thread} --json")
    return "\n".join([*lines, *filter(None, [turn.closing])])


def doubts(answered: Answered) -> list[str]:
    """Sentences that are no proof, each with the reason."""
    lines = [line for part in lay_out(answered).sections for line in part.lines]
    return [
        f"Not proof, {NO_PROOF[line.standing]}: »{_short(line.text)}«"
        f"{f' ({_short(line.reason)})' if line.reason else ''}"
        for line in lines
        if line.standing is not None and not line.proven
    ]


def _case(case: CaseSpan | None) -> str:
    """For whom or when a quote holds, set before it."""
    return f"{_short(case.text).rstrip(' ,;:.')}: " if case else ""


def cost_line(answered: Answered, thread: str) -> str:
    """What was proven, by which model and calls, and how long it took."""
    usage = usage_of(answered)
    facts = [headline(answered, "en")]
    if isinstance(answered, Answer):
        facts = ["refused"] if answered.refused else [] if answered.listed else facts
        facts.append(answered.depth)
    calls = f"{usage.model_calls} call{'s' * (usage.model_calls != 1)}"
    facts.append(f"model {usage.model}, {calls}, {usage.fallbacks} fallbacks")
    if usage.reads == "no":
        facts.append("quotes only: the model did not read (rabbithole doctor --models)")
    took = f"{usage.total_s:.1f} s"
    if usage.side_by_side_s:
        took += f" on the clock, {usage.side_by_side_s:.1f} s of work side by side"
    return " · ".join(filter(None, [*facts, took, f"thread {thread}"]))


def explanation(turn: Answer) -> str:
    """Why a question was answered as it was."""
    kind = turn.classification
    lines = [f"Depth {turn.depth}: {turn.reason}."]
    if turn.question_rewritten:
        lines.append(f"Understood as: {turn.question_rewritten} ({turn.rewritten_because})")
    lines.append(
        f"Question: {kind.type} (confidence {kind.confidence:.2f}), {turn.language}, "
        f"entities: {', '.join(kind.entities) or 'none'}"
    )
    lines += [
        *_complexity(turn.complexity),
        *_search(turn),
        *(needed_text(turn) if isinstance(turn, StructuredAnswer) else ()),
        *(line for step in turn.agent_steps for line in step_lines(step)),
        *(f"Degraded: {notice}" for notice in turn.degraded),
    ]
    return "\n".join(lines)


def _complexity(complexity: Complexity) -> Iterator[str]:
    factors = ", ".join(f"{name} {value:.2f}" for name, value in complexity.factors)
    yield (
        f"Complexity {complexity.score:.3f} ({complexity.level}; rules "
        f"{complexity.score_rules:.3f}): {factors}"
    )
    yield from (f"  {reason}" for reason in complexity.reasons)


def _search(turn: Answer) -> Iterator[str]:
    found = turn.found
    if found is None:
        return
    yield from (f"Searched: {query}" for query in found.searches)
    yield (
        f"Found {found.results} passages, nearest {found.relevance:.2f}, words covered "
        f"{found.coverage:.2f}{', from the cache' if found.from_cache else ''}"
    )
    if turn.depth != "structured":
        cache = found.cache
        yield (
            f"Cache: {cache.size} searches, {cache.hits} hits, {cache.misses} misses, "
            f"hit rate {cache.hit_rate:.2f}"
        )
        yield from _graph(found.graph)


def _graph(use: GraphUse | None) -> Iterator[str]:
    """What the knowledge graph brought, and by which way; nothing where there is none."""
    if use is None:
        return
    if use.loading:
        yield "Graph: not asked, since it was not loaded yet."
        return
    weights = f"weight {use.weight_before:.2f} by the question's type, {use.weight:.2f} after"
    if use.asked:
        named = ", ".join(use.entities) or "nothing"
        late = ", asked after all since the search found little" if use.after_all else ""
        yield (
            f"Graph: {weights} (confidence: search {use.vector_confidence:.2f}, graph "
            f"{use.confidence:.2f}){late}, from {named}"
        )
    else:
        followed = "; references of the best passages lead to" if use.ways else "."
        yield f"Graph: {weights}, too little for a place{followed}"
    yield from (f"  {_way(way)}" for way in use.ways)


def _way(way: GraphPath) -> str:
    place = f"{way.document} {way.section}".strip()
    return f"{place}: {way.path or 'named by the question'}"


def step_lines(step: AgentStep) -> list[str]:
    """A step of the agent: thought, what was done, what it brought."""
    undone = ", undone" * step.discarded
    lines = [f"Step {step.number} ({step.seconds:.1f} s{undone}): {_short(step.thought)}"]
    for action in step.actions:
        given = (f"{name}={_short(value)}" for name, value in action.arguments.items())
        lines.append(f"  {action.tool}({', '.join(given)})")
    lines += [f"  -> {_short(text)}" for text in step.observations]
    return [*lines, *([f"  {_short(step.reflection)}"] if step.reflection else [])]


def needed_text(turn: StructuredAnswer) -> list[str]:
    """What was needed, how far it was found, and what was searched for."""
    needed = layout.coverage_table(as_json(turn), "en")
    times = f", evidence from {turn.temporal_coverage}" if turn.temporal_coverage else ""
    lines = [f"Question type {turn.question_type}, confidence {turn.confidence:.2f}{times}"]
    hints = (("Names", turn.entity_hints), ("Topics", turn.topic_hints))
    lines += [f"{name}: {', '.join(given)}" for name, given in hints if given]
    lines += [f"Time asked for: {turn.temporal_scope}"] if turn.temporal_scope else []
    for row in needed.rows:
        pairs = zip(needed.documents, (cell.places for cell in row.cells), strict=True)
        where = "; ".join(f"{name} {places}".rstrip(" •") for name, places in pairs if places)
        lines.append(f"  {row.status:8} {row.item}" + (f" ({where})" if where else ""))
    lines += [f"Gap: {item}" for item in turn.gaps]
    lines += [f"Contradiction: {other.why} ({other.item})" for other in turn.contradictions]
    for query in turn.sub_queries:
        counts = ", ".join(f"{name} {number}" for name, number in sorted(query.found.items()))
        again = " (for a gap)" if query.gap else ""
        found = f" ({counts})" if counts else ""
        lines.append(f"Sub-query{again}: {query.query}{found}")
    phases = ", ".join(f"{phase} {ms:.0f} ms" for phase, ms in turn.timings_ms.items())
    return [*lines, f"Times: {phases}"]


def asked_back(thread: str, pending: Waiting) -> str:
    """The question of a turn that waits, and how it is answered."""
    return "\n".join([*pending.questions, f'Answer with: rabbithole ask --thread {thread} "…"'])
