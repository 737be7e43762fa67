"""Tables of scores as plain text."""

from collections.abc import Mapping, Sequence

from services.evaluation.answers import Average, Score, average, paired_difference

HEADINGS = ("question", "type", "facts", "gold", "(any)", "(seen)", "support", "fallbacks")
COSTS = ("length", "seconds", "calls", "tokens in", "out")
COMPARED = {"facts": "facts right", "gold": "gold cited", "gold_any": "gold cited (any)"}


def percent(value: float | None) -> str:
    """``-`` where a measure does not apply."""
    return "-" if value is None else f"{100 * value:.0f} %"


def interval(value: Average | None) -> str:
    """Mean with the ends of its interval, in percent."""
    if value is None:
        return "-"
    low, mean, high = (f"{100 * part:.0f}" for part in (value.low, value.mean, value.high))
    return f"{mean} % [{low}, {high}] (n={value.n})"


def row(score: Score) -> tuple[str, ...]:
    """One question: facts as found/wanted, or whether an unanswerable one was refused."""
    facts = f"{sum(score.found)}/{len(score.found)}"
    if score.type == "unanswerable":
        facts = "refused" if score.refusal_right else "answered"
    return (
        score.id,
        score.type,
        facts,
        percent(score.gold),
        percent(score.gold_any),
        percent(score.gold_seen),
        percent(score.support),
        f"{score.fallbacks}/{score.tasks}",
        str(score.characters),
        f"{score.seconds:.0f}",
        str(score.model_calls),
        str(score.prompt_tokens),
        str(score.completion_tokens),
    )


def align(rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in rows
    )


def mean(scores: Sequence[Score], measure: str) -> str:
    """Mean of a measure over the questions it applies to."""
    values = [value for s in scores if (value := getattr(s, measure)) is not None]
    return interval(average(values))


def render_system(name: str, scores: Sequence[Score]) -> str:
    """All questions of one system, then its means."""
    fallbacks, tasks = sum(s.fallbacks for s in scores), sum(s.tasks for s in scores)
    lines = [
        f"{name}: {len(scores)} questions",
        align([(*HEADINGS, *COSTS), *(row(s) for s in scores)]),
        f"  facts right      {mean(scores, 'facts')}",
        f"  all facts right  {mean(scores, 'all_facts')}",
        f"  gold cited       {mean(scores, 'gold')}",
        f"  ... any sentence {mean(scores, 'gold_any')}",
        f"  ... seen         {mean(scores, 'gold_seen')}",
        f"  claim support    {mean(scores, 'support')}",
        f"  fallbacks        {fallbacks} of {tasks} tasks",
        f"  length           {sum(s.characters for s in scores) / len(scores):.0f} characters",
        f"  seconds          {sum(s.seconds for s in scores) / len(scores):.0f} a question",
    ]
    return "\n".join(lines)


def render_tables(scores: Mapping[str, Sequence[Score]]) -> str:
    """Every system, and the paired differences if there are two."""
    parts = [render_system(name, rows) for name, rows in scores.items()]
    if len(scores) == 2:
        (first, ours), (second, theirs) = scores.items()
        parts.append(
            "\n".join(
                f"{first} - {second}, {label}: {interval(paired_difference(ours, theirs, measure))}"
                for measure, label in COMPARED.items()
            )
        )
    return "\n\n".join(parts)
