"""Answers and reports as text for a terminal, with their sources, costs and reasons."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

from pydantic import JsonValue

from agent.ask.models import Answer, GraphUse, NumberedCitation, StructuredAnswer
from agent.engine.layout import coverage_table, first_sight, headline, lay_out, mark_query_words
from agent.engine.reports import (
    Answered,
    ResearchReport,
    as_json,
    read_answer,
    read_report,
    usage_of,
)
from app.cli.common import LONGEST_LINE
from app.formats import one_line
from services.domain.events import AgentStep, Waiting

NO_PROOF: Final = {
    "loose": "not shown to follow from the passage",
    "contradicts": "the passage contradicts it",
    "none": "no passage found",
}
_short = partial(one_line, limit=LONGEST_LINE)


def run_text(report: Mapping[str, JsonValue]) -> str:
    """Return the report or all turns of a thread, as they are printed with ``--json``."""
    turns = report.get("turns")
    if isinstance(turns, list):
        answers = [(read_answer(turn), str(turn["thread_id"])) for turn in cast(list[Any], turns)]
        texts = (f"? {turn.question}\n\n{answer_text(turn, thread)}" for turn, thread in answers)
        return "\n\n".join(texts)
    if "answer" not in report:
        return f"Thread {report['thread_id']}: {report.get('status', '')}, no report."
    return "\n".join(_report_lines(read_report(report)))


def _report_lines(report: ResearchReport) -> Iterator[str]:
    yield report.answer
    yield from _doubts(report)
    yield from ("", "Sources:")
    yield from (f"  {source.document}: {', '.join(source.sections)}" for source in report.sources)
    yield from (f"Plan, {change}" for change in report.plan_changes)
    yield from (f"Warning: {notice}" for notice in report.warnings)
    if quality := report.quality:
        revised = ""
        if quality.before:
            before, after = (f"{scores['total']:.0f}" for scores in (quality.before, quality.after))
            revised = f"; revised once, {before} before and {after} after"
            if not quality.revision_helped:
                revised += ", without improvement; the first version was kept"
        yield f"Quality: {quality.total:.0f} of 400{revised}"
        yield from (f"  {remark}" for remark in quality.remarks)
    yield _cost_line(report, report.thread_id)


def answer_text(turn: Answer, thread: str, *, explain: bool = False) -> str:
    """Return an answer with its doubts, numbered sources and cost, and on demand the reasons."""
    closest = turn.certainty == "perhaps"
    notes = [f"Warning: {text}" for text in (turn.coverage.warning, *turn.warnings) if text]
    if turn.coverage.statement and not turn.coverage.whole:
        notes.append(turn.coverage.statement)
    if turn.deeper:
        depths = " or ".join(f"--depth {depth}" for depth in turn.deeper)
        notes.append(f"Note: {turn.reason}. For a more thorough answer, use {depths}.")
    blocks = [
        _closest_text(turn, thread) if closest else turn.answer,
        "\n".join(_doubts(turn)),
        "" if closest else "\n".join(map(_source_line, turn.citations)),
        "\n".join(notes),
        _cost_line(turn, thread),
        "\n".join(explanation(turn)) if explain else "",
    ]
    return "\n\n".join(filter(None, blocks))


def _source_line(cited: NumberedCitation) -> str:
    read = " (recognised text)" * cited.recognised
    case = f"{_short(cited.case.text).rstrip(' ,;:.')}: " if cited.case else ""
    return f"[{cited.number}] {cited.place}: {case}“{_short(cited.quote)}”{read}"


def _closest_text(turn: Answer, thread: str) -> str:
    """Return the excerpts of the closest passages, and how to see their whole text."""
    layout = lay_out(turn)
    excerpts = first_sight(layout.sections)
    sources = {citation.number: citation.place for citation in turn.citations}
    lines = [turn.opening]
    for section in layout.sections:
        lines += [f"## {section.heading}"] if section.heading else []
        for line in section.lines:
            if line.n in excerpts:
                spans = mark_query_words(excerpts[line.n], " ".join(line.decisive))
                text = "".join(f"**{span.text}**" if span.marked else span.text for span in spans)
                lines += [f"[{number}] {sources[number]}" for number in line.numbers]
                lines.append(f"    {one_line(text)}")
    length = sum(len(f"{line.case} {line.text}".strip()) for line in layout.lines)
    if length > sum(map(len, excerpts.values())):
        left = len(layout.lines) - len(excerpts)
        more = f", and {left} more passage{'s' * (left != 1)}" if left else ""
        lines.append(f"The whole text{more}: rabbithole runs show {thread} --json")
    return "\n".join([*lines, *filter(None, [turn.closing])])


def _doubts(answered: Answered) -> list[str]:
    return [
        f"Unproven ({NO_PROOF[line.standing]}): “{_short(line.text)}”"
        + (f" ({_short(line.reason)})" if line.reason else "")
        for line in lay_out(answered).lines
        if line.standing is not None and not line.proven
    ]


def _cost_line(answered: Answered, thread: str) -> str:
    """Return how much is proven, by which model and how many calls, and the seconds it took."""
    usage = usage_of(answered)
    facts = [headline(answered, "en")]
    if isinstance(answered, Answer):
        facts = ["refused"] if answered.refused else [] if answered.listed else facts
        facts.append(answered.depth)
    calls = f"{usage.model_calls} call{'s' * (usage.model_calls != 1)}"
    fallbacks = f"{usage.fallbacks} fallback{'s' * (usage.fallbacks != 1)}"
    facts.append(f"model {usage.model}, {calls}, {fallbacks}")
    if usage.reads == "no":
        facts.append(
            "quotes only: the model has not passed the reading test (rabbithole doctor --models)"
        )
    seconds = f"{usage.total_s:.1f} s"
    if usage.side_by_side_s:
        seconds += f" elapsed, {usage.side_by_side_s:.1f} s in total"
    return " · ".join(filter(None, [*facts, seconds, f"thread {thread}"]))


def explanation(turn: Answer) -> Iterator[str]:
    """Explain why a question was answered as it was, line by line."""
    yield f"Depth {turn.depth}: {turn.reason}."
    if turn.question_rewritten:
        yield f"Understood as: {turn.question_rewritten} ({turn.rewritten_because})"
    kind, complexity = turn.classification, turn.complexity
    entities = ", ".join(kind.entities) or "none"
    yield (
        f"Question: {kind.type} (confidence {kind.confidence:.2f}), {turn.language}, "
        f"entities: {entities}"
    )
    factors = ", ".join(f"{name} {score:.2f}" for name, score in complexity.factors)
    yield (
        f"Complexity {complexity.score:.3f} ({complexity.level}; rules "
        f"{complexity.score_rules:.3f}): {factors}"
    )
    yield from (f"  {reason}" for reason in complexity.reasons)
    yield from _search_lines(turn)
    if isinstance(turn, StructuredAnswer):
        yield from required_lines(turn)
    for step in turn.agent_steps:
        yield from _step_lines(step)
    yield from (f"Limitation: {notice}" for notice in turn.degraded)


def _search_lines(turn: Answer) -> Iterator[str]:
    search = turn.found
    if search is None:
        return
    yield from (f"Searched: {query}" for query in search.searches)
    yield (
        f"Found {search.results} passages, best relevance {search.relevance:.2f}, words covered "
        f"{search.coverage:.2f}{', from the cache' if search.from_cache else ''}"
    )
    if turn.depth != "structured":
        cache = search.cache
        yield (
            f"Cache: {cache.size} searches, {cache.hits} hits, {cache.misses} misses, "
            f"hit rate {cache.hit_rate:.2f}"
        )
        if search.graph is not None:
            yield from _graph_lines(search.graph)


def _graph_lines(use: GraphUse) -> Iterator[str]:
    if use.loading:
        yield "Graph: not searched because it was still loading."
        return
    weights = (
        f"weight {use.weight_before:.2f} from the question's type, {use.weight:.2f} after "
        "adjustment"
    )
    if use.asked:
        entities = ", ".join(use.entities) or "nothing"
        late = ", used because the search found little" if use.after_all else ""
        yield (
            f"Graph: {weights} (confidence: search {use.vector_confidence:.2f}, graph "
            f"{use.confidence:.2f}){late}, from {entities}"
        )
    else:
        followed = "; the best passages refer to" if use.ways else "."
        yield f"Graph: {weights}, too low to add results{followed}"
    for path in use.ways:
        target = f"{path.document} {path.section}".strip()
        yield f"  {target}: {path.path or 'named in the question'}"


def _step_lines(step: AgentStep) -> Iterator[str]:
    undone = ", undone" * step.discarded
    yield f"Step {step.number} ({step.seconds:.1f} s{undone}): {_short(step.thought)}"
    for action in step.actions:
        arguments = (f"{name}={_short(text)}" for name, text in action.arguments.items())
        yield f"  {action.tool}({', '.join(arguments)})"
    yield from (f"  -> {_short(text)}" for text in step.observations)
    if step.reflection:
        yield f"  {_short(step.reflection)}"


def required_lines(turn: StructuredAnswer) -> Iterator[str]:
    """Yield what was required, how far it is covered, and what was searched for."""
    table = coverage_table(as_json(turn), "en")
    times = f", evidence from {turn.temporal_coverage}" if turn.temporal_coverage else ""
    yield f"Question type {turn.question_type}, confidence {turn.confidence:.2f}{times}"
    for name, hints in (("Names", turn.entity_hints), ("Topics", turn.topic_hints)):
        if hints:
            yield f"{name}: {', '.join(hints)}"
    if turn.temporal_scope:
        yield f"Period: {turn.temporal_scope}"
    for row in table.rows:
        pairs = zip(table.documents, (cell.places for cell in row.cells), strict=True)
        where = "; ".join(f"{name} {sections}".rstrip(" •") for name, sections in pairs if sections)
        yield f"  {row.status:8} {row.item}" + (f" ({where})" if where else "")
    yield from (f"Gap: {item}" for item in turn.gaps)
    yield from (
        f"Differing statements: {other.why} ({other.item})" for other in turn.contradictions
    )
    for query in turn.sub_queries:
        counts = ", ".join(f"{name} {number}" for name, number in sorted(query.found.items()))
        again = " (for a gap)" if query.gap else ""
        weights = ", ".join(f"{name} {share:.2g}" for name, share in query.weights.items())
        details = f" ({counts}; weights {weights})" if counts else ""
        yield f"Sub-query{again}: {query.query}{details}"
    yield "Times: " + ", ".join(f"{phase} {ms:.0f} ms" for phase, ms in turn.timings_ms.items())


def questions_text(thread: str, pending: Waiting) -> str:
    """Return the questions of a turn that waits, and how to answer them."""
    return "\n".join([*pending.questions, f'Answer with: rabbithole ask --thread {thread} "…"'])
