"""gpt-researcher: ``report_source="local"`` with ``DOC_PATH``, as its README has it.

One setting of its own list is changed: ``TOTAL_WORDS`` 200 instead of 1200, since a report of the
default length does not end in the time that a question gets. Its loader of Markdown fetches a spaCy
model from GitHub, so without that network it reads the same files as plain text. It names files as
its sources.
"""

import asyncio
import os
import shutil
from importlib.metadata import version

import peer


def ingest(given: peer.Given) -> type:
    texts = given.home / "texts"
    texts.mkdir(exist_ok=True)
    for path in given.documents:
        shutil.copyfile(path, texts / f"{path.stem}.txt")
    model = f"openai:{peer.MODEL}"
    os.environ |= {
        "OPENAI_API_KEY": peer.NO_KEY,
        "OPENAI_BASE_URL": given.url,
        "FAST_LLM": model,
        "SMART_LLM": model,
        "STRATEGIC_LLM": model,
        "EMBEDDING": f"custom:{peer.EMBEDDING}",
        "DOC_PATH": str(texts),
        "TOTAL_WORDS": "200",
        "LANGCHAIN_OPENAI_STREAM_CHUNK_TIMEOUT_S": "0",  # else it gives up after two minutes
    }
    from gpt_researcher import GPTResearcher  # reads the environment when it is imported

    return GPTResearcher


def ask(given: peer.Given, researcher: type, question: str) -> peer.Answer:
    async def report() -> str:
        asked = researcher(query=question, report_type="research_report", report_source="local")
        await asked.conduct_research()
        return await asked.write_report()

    text = asyncio.run(report())
    cited = {path.stem: [{"file": path.name, "text": ""}] for path in given.documents}
    return peer.Answer(text, peer.by_marks(text, cited, r"([\w-]+)\.(?:txt|md)"))


if __name__ == "__main__":
    peer.run("gpt-researcher", ingest, ask, versions={"gpt-researcher": version("gpt-researcher")})
