"""Scores of answers against questions with gold: pure functions of JSON values.

A report is what ``rabbithole research --json`` prints (the research report of the contracts);
the plain baseline writes the same shape. Shares are 0-1; ``None`` means that the measure does
not apply to the question, so that it never counts as zero.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.facts import groups_found, refuses

Report = Mapping[str, Any]

RESAMPLES = 5000
MEASURES = ("facts", "all_facts", "gold", "gold_any", "gold_seen", "support", "fallback_share")


@dataclass(frozen=True)
class Question:
    """A question record: gold sections (``StrlSchG § 78``) and groups of spellings of facts."""

    id: str
    lang: str
    q: str
    gold: tuple[str, ...]
    must: tuple[tuple[str, ...], ...]
    type: str

    @property
    def answerable(self) -> bool:
        return self.type != "unanswerable"


@dataclass(frozen=True)
class Score:
    """What one answer is worth. ``gold`` counts supported sentences, ``gold_any`` all of them.

    ``gold_seen`` is the share of gold among what it could have cited: the evidence of a research
    run, the passages in the prompt of the baseline. ``refusal_right``: an unanswerable question
    was refused, or an answerable one was not (refused without stating any fact).
    ``characters`` is the length of the claims, since a long answer states more by chance.
    """

    id: str
    type: str
    found: tuple[bool, ...]
    facts: float | None
    all_facts: float | None
    gold: float | None
    gold_any: float | None
    gold_seen: float | None
    support: float | None
    fallbacks: int
    tasks: int
    fallback_share: float | None
    refusal_right: bool
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    characters: int
    seconds: float


@dataclass(frozen=True)
class Interval:
    """Mean of ``n`` questions with its percentile-bootstrap 95 % interval."""

    n: int
    mean: float
    low: float
    high: float


def load_questions(path: Path) -> list[Question]:
    """Reads a question file (JSON lines); a malformed record raises ValueError naming its line."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            gold, must = tuple(record["gold"]), tuple(tuple(group) for group in record["must"])
            questions.append(Question(**{**record, "gold": gold, "must": must}))
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            where = f"{path.name}, line {number}"
            raise ValueError(f"{where}: not a question record ({error})") from None
    return questions


def share(flags: Sequence[bool]) -> float | None:
    """Share of true flags, None of none."""
    return sum(flags) / len(flags) if flags else None


def document_names(document: str, title: str = "") -> set[str]:
    """Everything a document may be called: file stem, title, its abbreviation, its first part.

    ``StrlSchV.pdf`` with the title ``Verordnung … (StrlSchV 2018)`` is ``strlschv`` too.
    """
    names = {Path(document).stem, title, *re.findall(r"\(([^()]+)\)", title)}
    names.add(re.split(r"\s[–—-]\s|:\s", title)[0])
    names |= {re.sub(r"\s+(?:19|20)\d\d$", "", name) for name in names}
    return {_plain(name) for name in names if name.strip()}


def _plain(text: str) -> str:
    return " ".join(text.replace("§", "§ ").split()).casefold()


def is_gold(gold: str, section: str, names: set[str]) -> bool:
    """Whether a section of a document is the gold one (``StrlSchG § 78``, ``PEP 604``).

    A finer label is its section (``§ 78 Absatz 1``), a longer number is not (``§ 78a``).
    """
    wanted, label = _plain(gold), _plain(section)
    if wanted in names or wanted == label:
        return True
    return any(f"{name} {label} ".startswith(f"{wanted} ") for name in names)


def citations(report: Report, *, supported_only: bool) -> Iterator[Mapping[str, Any]]:
    """The citations of an answer's sentences in order."""
    for sentence in report.get("sentences", ()):
        if sentence["supported"] or not supported_only:
            yield from sentence["citations"]


def gold_share(
    question: Question, places: Iterable[Mapping[str, Any]], report: Report
) -> float | None:
    """Share of the question's gold sections among places with ``document`` and ``section``."""
    titles = {source["document"]: source.get("title") for source in report.get("sources", ())}
    named = []
    for place in places:
        title = place.get("title") or titles.get(place["document"]) or ""
        named.append((place.get("section") or "", document_names(place["document"], title)))
    return share([any(is_gold(gold, *place) for place in named) for gold in question.gold])


def claims(report: Report) -> str:
    """What the answer claims: its sentences, without headings, marks and lists of gaps."""
    texts = [sentence["text"] for sentence in report.get("sentences", ())]
    return "\n".join(texts) if texts else report.get("answer") or ""


def task_counts(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Fallbacks and tasks of a run.

    ``usage["tasks"]`` splits a run by model task, each with its ``runs``; where it is missing, a
    task is a model call that is no repair. There are never fewer tasks than fallbacks.
    """
    fallbacks = usage.get("fallbacks", 0)
    if "tasks" in usage:
        tasks = sum(task["runs"] for task in usage["tasks"].values())
    else:
        tasks = usage.get("model_calls", 0) - usage.get("repairs", 0)
    return fallbacks, max(tasks, fallbacks)


def score(question: Question, report: Report, seconds: float) -> Score:
    """Scores one answer; ``seconds`` is the wall clock of the whole command."""
    stated, usage = claims(report), report.get("usage", {})
    found = groups_found(stated, question.must)
    fallbacks, tasks = task_counts(usage)
    refused = bool(report.get("refused")) or refuses(report.get("answer") or "")
    seen = report.get("retrieved", report.get("evidence"))
    return Score(
        id=question.id,
        type=question.type,
        found=tuple(found),
        facts=share(found),
        all_facts=float(all(found)) if found else None,
        gold=gold_share(question, citations(report, supported_only=True), report),
        gold_any=gold_share(question, citations(report, supported_only=False), report),
        gold_seen=None if seen is None else gold_share(question, seen, report),
        support=share([sentence["supported"] for sentence in report.get("sentences", ())]),
        fallbacks=fallbacks,
        tasks=tasks,
        fallback_share=fallbacks / tasks if tasks else None,
        refusal_right=not (refused and not any(found)) if question.answerable else refused,
        model_calls=usage.get("model_calls", 0),
        prompt_tokens=usage.get("prompt_tokens", 0),
        completion_tokens=usage.get("completion_tokens", 0),
        characters=len(stated),
        seconds=seconds,
    )


def bootstrap(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 7) -> Interval:
    """Mean with its percentile-bootstrap 95 % interval over questions (Efron 1979).

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("no values to average")
    chance, n = random.Random(seed), len(values)
    means = sorted(sum(chance.choices(values, k=n)) / n for _ in range(resamples))
    low, high = (means[round(p * (resamples - 1))] for p in (0.025, 0.975))
    return Interval(n, sum(values) / n, low, high)


def summary(scores: Sequence[Score]) -> dict[str, Any]:
    """Means with intervals over questions, and totals; a measure nobody has is left out."""
    measures: dict[str, Any] = {}
    for name in MEASURES:
        values = [value for s in scores if (value := getattr(s, name)) is not None]
        if values:
            measures[name] = asdict(bootstrap(values))
    unanswerable = [s.refusal_right for s in scores if s.type == "unanswerable"]
    return {
        "questions": len(scores),
        "measures": measures,
        "fallbacks": sum(s.fallbacks for s in scores),
        "tasks": sum(s.tasks for s in scores),
        "unanswerable": {"n": len(unanswerable), "refused": sum(unanswerable)},
        "false_refusals": sum(not s.refusal_right for s in scores if s.type != "unanswerable"),
        "seconds": sum(s.seconds for s in scores),
        "model_calls": sum(s.model_calls for s in scores),
        "prompt_tokens": sum(s.prompt_tokens for s in scores),
        "completion_tokens": sum(s.completion_tokens for s in scores),
        "characters": sum(s.characters for s in scores),
    }


def paired_difference(
    ours: Sequence[Score], theirs: Sequence[Score], measure: str
) -> Interval | None:
    """Mean difference (ours - theirs) over the questions that both answered, with interval."""
    other = {s.id: getattr(s, measure) for s in theirs}
    pairs = [(getattr(s, measure), other.get(s.id)) for s in ours]
    differences = [a - b for a, b in pairs if a is not None and b is not None]
    return bootstrap(differences) if differences else None
