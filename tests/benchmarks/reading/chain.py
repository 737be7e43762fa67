"""Research the questions of a set by a plain chain: answer each task, then reduce to a report.

    python -m tests.benchmarks.reading.chain --home HOME --out FOLDER --reading URL

The search, the model and the approved tasks of ``FOLDER/reports.jsonl`` are the product's own, so
that two reports of a question differ by the method alone. FOLDER/chain.jsonl has the reports.
FOLDER/blind has them beside the product's, exported as FOLDER/ours/ID.md, and those that a person
wrote, FOLDER/by_hand/ID.md, under letters whose key is FOLDER/blind.json.
"""

import json
import random
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from openai import OpenAI

from services.build import Services
from services.domain import Hit, Principal
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.reading.proxy import MODEL
from tests.benchmarks.reading.run import PATIENCE_S

PASSAGES: Final = 10
MAP: Final = {
    "de": "Beantworte die Aufgabe aus den Passagen, vollständig und genau, und nenne hinter jedem "
    "Satz die Nummer der Passage, z. B. [3]. Was nicht darin steht, sage nicht.",
    "en": "Answer the task from the passages, completely and precisely, with the number of the "
    "passage behind each sentence, e.g. [3]. Say nothing that is not in them.",
}
REDUCE: Final = {
    "de": "Schreibe aus den Notizen einen Bericht in Markdown, der die Frage beantwortet: zuerst "
    "die Antwort, dann Abschnitte. Behalte die Verweise in eckigen Klammern.",
    "en": "Write a report in Markdown out of the notes that answers the question: first the "
    "answer, then sections. Keep the references in brackets.",
}
_REFERENCE: Final = re.compile(r"\s?\[\^?[\w.,; ^\[\]]*\d\]")


def passages(hits: Sequence[Hit]) -> str:
    """Numbered passages below their places."""
    return "\n\n".join(
        f"[{n}] {hit.title}, {hit.section}\n{hit.text}" for n, hit in enumerate(hits, start=1)
    )


class Chain:
    """Map over the tasks of a research, and reduce."""

    def __init__(self, home: Path, url: str) -> None:
        self._services = Services(Settings(home=home, llm="none"))
        self._client = OpenAI(base_url=url, api_key="none", timeout=PATIENCE_S, max_retries=0)

    def warm_up(self) -> None:
        """Open the stores, which several threads may not do at once."""
        scope = self._services.catalog.collections.scope(Principal(), None)
        self._services.retriever.search("a", scope=scope, k=1)

    def _said(self, system: str, user: str) -> str:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        reply = self._client.chat.completions.create(
            model=MODEL,
            messages=messages,  # type: ignore[arg-type]
            max_tokens=2_500,
        )
        return reply.choices[0].message.content or ""

    def report(self, question: Row, tasks: Sequence[str]) -> Row:
        """A report over the answers to the tasks."""
        services, language, notes = self._services, question["lang"], []
        scope = services.catalog.collections.scope(Principal(), [question["collection"]])
        for task in tasks:
            asked = f"{question['q']} {task}"
            hits = services.retriever.search(asked, scope=scope, k=PASSAGES)
            said = self._said(MAP[language], f"{passages(hits)}\n\n{question['q']}\n\n{task}")
            notes.append(f"## {task}\n\n{said}")
        written = self._said(REDUCE[language], "\n\n".join((*notes, question["q"])))
        return {"id": question["id"], "answer": written}


def plain(report: str) -> str:
    """A report without title, references and sources, which would tell who wrote it."""
    body = re.split(
        r"(?m)^#+ (?:Sources|Cited passages|Belegstellen|Quellen|References)\b", report
    )[0]
    body = re.sub(r"\A# .*\n+(?:\*.*\*\n)?", "", body.strip())
    body = re.sub(r"\\([\\`*_.:{}\[\]()#+!|<>-])", r"\1", body)
    return _REFERENCE.sub("", body).strip()


def blind(folder: Path, reports: Sequence[Row], chains: Sequence[Row]) -> None:
    """The reports of each question under letters in random order."""
    (folder / "blind").mkdir(exist_ok=True)
    key: dict[str, dict[str, str]] = {}
    for name in (row["id"] for row in reports):
        files = {kind: folder / kind / f"{name}.md" for kind in ("ours", "by_hand")}
        texts = {kind: each.read_text("utf-8") for kind, each in files.items() if each.exists()}
        texts["chain"] = next(row["answer"] for row in chains if row["id"] == name)
        kinds_in_order = random.sample(sorted(texts), len(texts))
        key[name] = dict(zip("ABC", kinds_in_order, strict=False))
        for letter, kind in key[name].items():
            path = folder / "blind" / f"{name}_{letter}.md"
            path.write_text(plain(texts[kind]) + "\n", encoding="utf-8")
    (folder / "blind.json").write_text(json.dumps(key, indent=1), encoding="utf-8")


def main() -> None:
    parser = common.arguments(__doc__, "home", "out")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--reading", required=True, help="a server of OpenAI's chat completions")
    options = parser.parse_args()
    reports = list(common.read_lines(options.out / "reports.jsonl"))
    tasks = {r["id"]: [each["task"] for each in r["report"]["todo"]] for r in reports}
    chain = Chain(options.home, options.reading)
    chain.warm_up()
    questions = [each for each in common.read_lines(options.questions) if each["id"] in tasks]
    with ThreadPoolExecutor(len(questions)) as pool:
        chains = list(pool.map(lambda each: chain.report(each, tasks[each["id"]]), questions))
    lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in chains)
    (options.out / "chain.jsonl").write_text("".join(lines), encoding="utf-8")
    blind(options.out, reports, chains)


if __name__ == "__main__":
    main()
