"""PaperQA2 without an agent: documents added by hand, as its README does, then ``Docs.query``.

Its README's settings for a model of one's own server; the citation is given, so that no model has
to guess it. Saved with pickle, as the README says.
"""

import asyncio
import pickle
import re
from importlib.metadata import version

import peer
from paperqa import Docs, Settings

CONTEXT_ID = r"pqac-[0-9a-f]+"


def settings(given: peer.Given) -> Settings:
    model = f"openai/{given.model}"
    reached = {"api_base": given.url, "api_key": peer.NO_KEY}
    more = {"model": model, "temperature": 0.1, "max_tokens": 512, "timeout": 900}
    config = {"model_list": [{"model_name": model, "litellm_params": more | reached}]}
    return Settings(
        llm=model,
        llm_config=config,
        summary_llm=model,
        summary_llm_config=config,
        embedding=f"openai/{peer.EMBEDDING}",
        embedding_config={"kwargs": reached},
        parsing={"use_doc_details": False, "multimodal": False},
    )


def ingest(given: peer.Given) -> Docs:
    saved = given.home / "docs.pkl"
    if saved.exists():
        return pickle.loads(saved.read_bytes())  # our own file

    async def add() -> Docs:
        docs = Docs()
        for path in given.documents:
            await docs.aadd(path, citation=path.name, docname=path.name, settings=settings(given))
        return docs

    docs = asyncio.run(add())
    saved.write_bytes(pickle.dumps(docs))
    return docs


def ask(given: peer.Given, docs: Docs, question: str) -> peer.Answer:
    said = asyncio.run(docs.aquery(question, settings=settings(given)))
    cited = {
        context.id: [{"file": context.text.doc.docname, "text": context.text.text}]
        for context in said.contexts
    }
    sentences = peer.by_marks(said.raw_answer, cited, CONTEXT_ID)
    for sentence in sentences:
        sentence["text"] = re.sub(rf"\s*\((?:{CONTEXT_ID}[,;\s]*)+\)", "", sentence["text"])
    return peer.Answer(said.answer, sentences)


if __name__ == "__main__":
    peer.run("paper-qa", ingest, ask, versions={"paper-qa": version("paper-qa")})
