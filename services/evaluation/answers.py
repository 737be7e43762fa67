"""Score answers against questions with gold: pure functions of JSON values.

A report is the output of ``rabbithole ask --json`` or ``research --json``. Shares are 0-1; ``None``
means that a measure does not apply to the question, and is never counted as zero.

Facts are matched as strings: ``100 Millisievert`` is not in ``0,100 Millisievert``, while ``1
mSv``, ``1 Millisievert`` and ``1&nbsp;mSv`` are the same. No code that answers is imported, so that
the measure does not inherit its mistakes.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.domain import PROOF
from services.evaluation.datasets import Record
from services.evaluation.statistics import average

_PER = r"(?:/|\bje\b|\bpro\b|\bper\b|\bdurch\b)"
_UNITS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), unit)
    for pattern, unit in (
        (r"(?<=\d)\s*(?:msv|millisievert)", " millisievert"),
        (r"(?<=\d)\s*(?:μsv|usv|mikrosievert|microsievert)", " mikrosievert"),
        (r"(?<=\d)\s*(?:sv\b|sievert)", " sievert"),
        (r"(?<=\d)\s*(?:bq\b|becquerel)", " becquerel"),
        (rf"\s*{_PER}\s*(?:m3|kubikmeter|cubic met(?:re|er))", " je kubikmeter"),
        (rf"\s*{_PER}\s*(?:h\b|stunde|hour)", " je stunde"),
    )
)

_SOURCE = r"dokument|unterlage|textstelle|passage|kontext|auszug|auszüg|sammlung|fundstelle|beleg"
_REFUSALS: tuple[tuple[str, str, str], ...] = (
    (
        _SOURCE + r"|information|angabe|antwort|frage",
        r"\bkein|\bnichts?\b|\bohne\b|\bweder\b",
        r"gefunden|finde[nt]|enthalt|enthält|beantwort|entnehm|hervor|geregelt|angegeben|genannt"
        r"|vorhanden|verfügbar|ergibt|erwähn|festgelegt|angaben|information",
    ),
    (
        r"document|passage|source|context|collection|information|question|answer",
        r"\bno\b|\bnot\b|n't\b|\bcannot\b|\bnothing\b|\bneither\b",
        r"contain|found|find|answer|mention|state|specif|provide|available|information",
    ),
)


def normalise(text: str) -> str:
    """Make case, white space, hyphenation, Markdown marks and spellings of units uniform."""
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "")
    text = re.sub(r"(?<=\w)-\n(?=[a-zäöüß])", "", text)
    text = re.sub(r"[*_`]", "", text)
    text = re.sub(r"\s+", " ", text).casefold().strip()
    for pattern, unit in _UNITS:
        text = pattern.sub(unit, text)
    return text


def states(text: str, alternative: str) -> bool:
    """Return whether ``text`` contains ``alternative`` as separate words.

    It may have an ending (``fünf Jahre`` in ``fünf Jahren``), but a number or a last word of one or
    two letters (``Kategorie A``) must end there.
    """
    fact = normalise(alternative)
    if not fact:
        return False
    begin = r"(?<!\w)(?<!\d[.,])" if fact[0].isdigit() else r"(?<!\w)"
    ends_sharply = fact[-1].isdigit() or len(fact.rsplit(" ", 1)[-1]) <= 2
    end = r"(?!\w|[.,]\d)" if ends_sharply else ""
    return re.search(begin + re.escape(fact) + end, normalise(text)) is not None


def groups_found(text: str, must: Sequence[Sequence[str]]) -> list[bool]:
    """Return for each group of spellings whether the text states one of them."""
    return [any(states(text, alternative) for alternative in group) for group in must]


def refuses(text: str) -> bool:
    """Return whether a text says, in German or English, that the documents have no answer.

    That takes three word families in one sentence: what was searched, a negation, what it does not
    do. Headings do not count: one above a list of gaps refuses only that part.
    """
    if not text.strip():
        return True
    prose = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    sentences = re.split(r"(?<=[.!?])\s+|\n+", prose.casefold())
    return any(
        all(re.search(family, sentence) for family in families)
        for sentence in sentences
        for families in _REFUSALS
    )


Report = Mapping[str, Any]

MEASURES = (
    "facts",
    "all_facts",
    "gold",
    "gold_any",
    "gold_seen",
    "support",
    "right",
    "fallback_share",
)
TOTALS = (
    "fallbacks",
    "tasks",
    "seconds",
    "model_calls",
    "prompt_tokens",
    "completion_tokens",
    "characters",
)
CERTAINTIES = ("answered", "perhaps", "refused")


class QuestionRecord(Record):
    """A question record: gold sections (``StrlSchG § 78``) and facts as groups of spellings."""

    what = "question"

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
    """The score of one answer.

    ``gold`` counts proof only, ``gold_any`` every citation, ``gold_seen`` what could have been
    cited: the evidence of a research or a report's ``retrieved`` passages. ``right`` applies to
    answers only: all facts are stated and a gold section is among the proof, as far as the question
    has either. ``refusal_right``: an unanswerable question was refused, or an answerable one was
    not (refused without any fact). ``characters`` is the length of the claims, since a longer
    answer states more facts by chance.
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
    certainty: str = "answered"
    right: float | None = None


def share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def document_names(document: str, title: str = "") -> set[str]:
    """Return the names of a document: file stem, title, abbreviation, first part of the title.

    ``StrlSchV.pdf`` with the title ``Verordnung … (StrlSchV 2018)`` is also ``strlschv``.
    """
    names = {Path(document).stem, title, *re.findall(r"\(([^()]+)\)", title)}
    names.add(re.split(r"\s[–—-]\s|:\s", title)[0])
    names |= {re.sub(r"\s+(?:19|20)\d\d$", "", name) for name in names}
    return {_plain(name) for name in names if name.strip()}


def _plain(text: str) -> str:
    return " ".join(text.replace("§", "§ ").split()).casefold()


def is_gold(gold: str, section: str, names: set[str]) -> bool:
    """Return whether a section of a document is the gold one (``StrlSchG § 78``, ``PEP 604``).

    A finer label matches its section (``§ 78 Absatz 1``), a longer number does not (``§ 78a``).
    """
    gold_label, label = _plain(gold), _plain(section)
    if gold_label in names or gold_label == label:
        return True
    return any(f"{name} {label} ".startswith(f"{gold_label} ") for name in names)


def citations(report: Report, *, proof_only: bool) -> Iterator[Mapping[str, Any]]:
    answered = certainty_of(report) == "answered"
    for sentence in report.get("sentences", ()):
        if (answered and is_proof(sentence)) or not proof_only:
            yield from sentence["citations"]


def is_proof(sentence: Mapping[str, Any]) -> bool:
    standing = sentence.get("standing")
    if sentence.get("closest"):
        return False
    return bool(sentence["supported"]) if standing is None else standing in PROOF


def certainty_of(report: Report) -> str:
    """Return answered, perhaps or refused, from the text if the report does not say."""
    if "certainty" in report:
        return str(report["certainty"])
    refused = bool(report.get("refused")) or refuses(report.get("answer") or "")
    return "refused" if refused else "answered"


def gold_share(
    question: QuestionRecord, cited: Iterable[Mapping[str, Any]], report: Report
) -> float | None:
    """Return the share of the question's gold sections among cited passages."""
    titles = {source["document"]: source.get("title") for source in report.get("sources", ())}
    named = []
    for citation in cited:
        title = citation.get("title") or titles.get(citation["document"]) or ""
        named.append((citation.get("section") or "", document_names(citation["document"], title)))
    return share([any(is_gold(gold, *citation) for citation in named) for gold in question.gold])


def claims(report: Report, question: str) -> str:
    """Return the sentences of an answer, without headings, marks and lists of gaps.

    A refusal claims nothing: it repeats the question and names what was searched.
    """
    texts = [sentence["text"] for sentence in report.get("sentences", ())]
    if texts:
        return "\n".join(texts)
    if report.get("refused") or report.get("certainty") == "refused":
        return ""
    return (report.get("answer") or "").replace(question, " ")


def task_counts(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Return the fallbacks and tasks of a run, never fewer tasks than fallbacks.

    Without ``usage["tasks"]`` each model call that is no repair counts as a task.
    """
    fallbacks = usage.get("fallbacks", 0)
    if "tasks" in usage:
        tasks = sum(task["runs"] for task in usage["tasks"].values())
    else:
        tasks = usage.get("model_calls", 0) - usage.get("repairs", 0)
    return fallbacks, max(tasks, fallbacks)


def score(question: QuestionRecord, report: Report, seconds: float) -> Score:
    """Score one answer; ``seconds`` is the wall-clock time of the command."""
    stated, usage = claims(report, question.q), report.get("usage", {})
    facts = groups_found(stated, question.must)
    fallbacks, tasks = task_counts(usage)
    certainty = certainty_of(report)
    refused = certainty == "refused" or refuses(report.get("answer") or "")
    gold = gold_share(question, citations(report, proof_only=True), report)
    right = float(question.answerable and all(facts) and (gold is None or gold > 0))
    retrieved = report.get("retrieved", report.get("evidence"))
    return Score(
        id=question.id,
        type=question.type,
        found=tuple(facts),
        facts=share(facts),
        all_facts=float(all(facts)) if facts else None,
        gold=gold,
        gold_any=gold_share(question, citations(report, proof_only=False), report),
        gold_seen=None if retrieved is None else gold_share(question, retrieved, report),
        support=share([is_proof(sentence) for sentence in report.get("sentences", ())]),
        fallbacks=fallbacks,
        tasks=tasks,
        fallback_share=fallbacks / tasks if tasks else None,
        refusal_right=not (refused and not any(facts)) if question.answerable else refused,
        model_calls=usage.get("model_calls", 0),
        prompt_tokens=usage.get("prompt_tokens", 0),
        completion_tokens=usage.get("completion_tokens", 0),
        characters=len(stated),
        seconds=seconds,
        certainty=certainty,
        right=right if certainty == "answered" else None,
    )


def summary(scores: Sequence[Score]) -> dict[str, Any]:
    """Return means with intervals over questions, and totals; skip measures without values."""
    measures: dict[str, Any] = {}
    for name in MEASURES:
        values = [value for s in scores if (value := getattr(s, name)) is not None]
        if (mean := average(values)) is not None:
            measures[name] = mean
    unanswerable = [s.refusal_right for s in scores if s.type == "unanswerable"]
    totals = {name: sum(getattr(s, name) for s in scores) for name in TOTALS}
    return {
        "questions": len(scores),
        "measures": measures,
        "certainty": {
            name: mean
            for name in CERTAINTIES
            if (mean := average([s.certainty == name for s in scores])) is not None
        },
        "fallbacks": totals.pop("fallbacks"),
        "tasks": totals.pop("tasks"),
        "unanswerable": {"n": len(unanswerable), "refused": sum(unanswerable)},
        "false_refusals": sum(not s.refusal_right for s in scores if s.type != "unanswerable"),
        **totals,
    }


def paired_difference(
    ours: Sequence[Score], theirs: Sequence[Score], measure: str
) -> dict[str, float] | None:
    """Return the mean difference (ours - theirs) over common questions, with its interval."""
    other = {s.id: getattr(s, measure) for s in theirs}
    pairs = [(getattr(s, measure), other.get(s.id)) for s in ours]
    return average([a - b for a, b in pairs if a is not None and b is not None])
