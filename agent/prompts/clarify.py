"""Model tasks of clarification: search queries, analysis of what was found, questions."""

from pydantic import BaseModel, Field

from agent.prompts import bullets, in_language, worded
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.text import stems
from services.text.keyphrases import keyphrases
from services.types import Value

ALTERNATIVES = 2
MAX_GAPS = 3
MAX_QUESTIONS = 3


class QueriesInput(Value):
    question: str
    language: str
    refinements: tuple[str, ...]
    gaps: tuple[str, ...]
    earlier: tuple[str, ...]


class QueriesOutput(BaseModel):
    queries: list[str] = Field(min_length=1, max_length=3)


class SearchQueries(ModelTask[QueriesInput, list[str]]):
    """Two further search queries beside the question itself."""

    name = "search_queries"
    schema = QueriesOutput
    max_tokens = 120

    def render(self, inp: QueriesInput) -> tuple[Message, ...]:
        system = in_language(
            inp.language,
            de="Du formulierst Suchanfragen für eine Dokumentensammlung. Gib 2 kurze "
            "Suchanfragen (je 3 bis 8 Wörter) mit anderen Fachwörtern als die Frage. "
            "Erfinde keine Zahlen und keine Paragraphen.",
            en="You write search queries for a document collection. Give 2 short queries "
            "(3 to 8 words each) with other technical words than the question. "
            "Invent no numbers and no section names.",
        )
        parts = [inp.question]
        if inp.refinements:
            parts.append(bullets(inp.refinements))
        if inp.gaps:
            missing = worded(inp.language, de="Noch nicht gefunden:", en="Not found yet:")
            parts.append(f"{missing}\n{bullets(inp.gaps)}")
        return (
            Message(role="system", content=system),
            Message(role="user", content="\n".join(parts)),
        )

    def check(self, inp: QueriesInput, output: QueriesOutput) -> list[str]:
        fresh = _distinct(output.queries, known=(inp.question, *inp.earlier))
        return _distinct([*fresh, *self.fallback(inp)], known=(inp.question,))[:ALTERNATIVES]

    def fallback(self, inp: QueriesInput) -> list[str]:
        """Open gaps and refinements first, then the question's keyphrases."""
        phrases = keyphrases(inp.question, inp.language, limit=6)
        lead = " ".join(phrases[:2])
        candidates = [
            *(f"{lead} {refinement}".strip() for refinement in reversed(inp.refinements)),
            *(f"{lead} {gap}".strip() for gap in inp.gaps),
            " ".join(phrases),
            *phrases,
        ]
        fresh = _distinct(candidates, known=(inp.question, *inp.earlier))
        return fresh[:ALTERNATIVES]


class AnalysisInput(Value):
    """``missing`` are the parts of the question that nothing answers, ``complete``: all are."""

    question: str
    language: str
    found: tuple[str, ...]
    missing: tuple[str, ...]
    complete: bool


class AnalysisOutput(BaseModel):
    concepts: list[str] = Field(max_length=6)
    gaps: list[str] = Field(max_length=MAX_GAPS)
    clarification_needed: bool


class Analysis(Value):
    """``gaps`` starts with the parts that nothing answers; where all are answered none is left."""

    concepts: tuple[str, ...]
    gaps: tuple[str, ...]
    clarification_needed: bool


class AnalyzeRetrieval(ModelTask[AnalysisInput, Analysis]):
    """Concepts and gaps in view of what the corpus holds."""

    name = "analyze_retrieval"
    schema = AnalysisOutput
    max_tokens = 200

    def render(self, inp: AnalysisInput) -> tuple[Message, ...]:
        system = in_language(
            inp.language,
            de="Du prüfst Suchtreffer zu einer Frage. concepts: wichtige Fachbegriffe der "
            "Frage. gaps: was zur Antwort noch fehlt (leer, wenn nichts fehlt). "
            "clarification_needed: true nur, wenn die Frage mehrdeutig ist.",
            en="You check search results for a question. concepts: its important technical "
            "terms. gaps: what is still missing for an answer (empty if nothing). "
            "clarification_needed: true only if the question is ambiguous.",
        )
        found = worded(inp.language, de="Gefunden:", en="Found:")
        user = f"{inp.question}\n\n{found}\n{bullets(inp.found)}"
        return Message(role="system", content=system), Message(role="user", content=user)

    def check(self, inp: AnalysisInput, output: AnalysisOutput) -> Analysis:
        terms = stems(inp.question, inp.language)
        related = [gap for gap in output.gaps if set(stems(gap, inp.language)) & set(terms)]
        gaps = [] if inp.complete else _distinct([*inp.missing, *related], known=())
        return Analysis(
            concepts=tuple(_distinct(output.concepts, known=())),
            gaps=tuple(gaps[:MAX_GAPS]),
            clarification_needed=not inp.complete
            and (output.clarification_needed or bool(inp.missing)),
        )

    def fallback(self, inp: AnalysisInput) -> Analysis:
        return Analysis(
            concepts=tuple(keyphrases(inp.question, inp.language, limit=6)),
            gaps=inp.missing[:MAX_GAPS],
            clarification_needed=not inp.complete,
        )


class QuestionsInput(Value):
    """``readings`` are sections that answer about equally well; ``asked`` what was asked before."""

    question: str
    language: str
    found: tuple[str, ...]
    gaps: tuple[str, ...]
    readings: tuple[str, ...]
    asked: tuple[str, ...]


class QuestionOutput(BaseModel):
    question: str
    answers: list[str] = Field(min_length=2, max_length=3)


class QuestionsOutput(BaseModel):
    questions: list[QuestionOutput] = Field(max_length=MAX_QUESTIONS)


class Clarifying(Value):
    """A question to the person, with answers that it may get."""

    question: str
    answers: tuple[str, ...]


class AskQuestions(ModelTask[QuestionsInput, list[Clarifying]]):
    """Questions with the answers that they may get; which are worth asking, the search decides."""

    name = "clarifying_questions"
    schema = QuestionsOutput
    max_tokens = 260

    def render(self, inp: QuestionsInput) -> tuple[Message, ...]:
        system = in_language(
            inp.language,
            de="Du klärst eine Rechercheanfrage. Stelle höchstens 2 kurze Rückfragen an die Person "
            "(question), jede mit 2 bis 3 kurzen möglichen Antworten (answers). Frage nur, was die "
            "Suche verändert: welcher Fall, welche Personengruppe, welcher Zeitraum. Beantworte "
            "nichts.",
            en="You clarify a research request. Ask the person at most 2 short questions "
            "(question), each with 2 to 3 short possible answers (answers). Ask only what changes "
            "the search: which case, which group, which version. Answer nothing.",
        )
        found = worded(inp.language, de="Gefundene Abschnitte:", en="Sections found:")
        parts = [inp.question, f"{found}\n{bullets(inp.found)}"]
        if inp.gaps:
            missing = worded(inp.language, de="Lücken:", en="Gaps:")
            parts.append(f"{missing}\n{bullets(inp.gaps)}")
        return (
            Message(role="system", content=system),
            Message(role="user", content="\n\n".join(parts)),
        )

    def check(self, inp: QuestionsInput, output: QuestionsOutput) -> list[Clarifying]:
        proposed = [
            Clarifying(question=each.question.strip(), answers=tuple(answers))
            for each in output.questions
            if len(answers := _distinct(each.answers, known=())) > 1
        ]
        return _fresh([*proposed, *self.fallback(inp)], inp)

    def fallback(self, inp: QuestionsInput) -> list[Clarifying]:
        """Which of the sections that answer about equally well is meant."""
        if len(inp.readings) < 2:
            return []
        which = worded(
            inp.language,
            de="Geht es Ihnen um {}?",
            en="Is this about {}?",
            fr="S'agit-il de : {} ?",
            es="¿Se trata de: {}?",
        )
        either = worded(inp.language, de=" oder um ", en=" or about ", fr=" ou : ", es=" o: ")
        question = which.format(either.join(inp.readings))
        return _fresh([Clarifying(question=question, answers=inp.readings)], inp)


def _fresh(questions: list[Clarifying], inp: QuestionsInput) -> list[Clarifying]:
    """Questions that have not been asked, each once."""
    by_text = {each.question: each for each in questions if each.question.endswith("?")}
    texts = _distinct(list(by_text), known=(inp.question, *inp.asked))
    return [by_text[text] for text in texts][:MAX_QUESTIONS]


def _distinct(texts: list[str], known: tuple[str, ...]) -> list[str]:
    """Non-empty texts that differ from each other and from the known ones, in order."""
    seen = {text.casefold().strip() for text in known}
    result = []
    for text in (text.strip() for text in texts):
        if text and text.casefold() not in seen:
            seen.add(text.casefold())
            result.append(text)
    return result
