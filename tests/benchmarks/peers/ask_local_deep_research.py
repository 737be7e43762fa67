"""local-deep-research: ``quick_summary`` over a LangChain retriever, as its README has it.

The retriever is FAISS on chunks of 1000 characters; everything else is the function's default.
"""

from importlib.metadata import version
from typing import Any

import peer
from langchain_community.document_loaders import TextLoader
from langchain_community.vectorstores import FAISS
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from local_deep_research.api import quick_summary

NAME = "peers"


def ingest(given: peer.Given) -> FAISS:
    embedding = OpenAIEmbeddings(
        model=peer.EMBEDDING,
        base_url=given.url,
        api_key=peer.NO_KEY,
        check_embedding_ctx_length=False,
    )
    saved = given.home / "faiss"
    if saved.exists():
        return FAISS.load_local(str(saved), embedding, allow_dangerous_deserialization=True)
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
    loaded = [d for path in given.documents for d in TextLoader(path, "utf-8").load()]
    chunks = splitter.split_documents(loaded)
    for chunk in chunks:
        chunk.metadata["title"] = chunk.metadata["source"].rpartition("/")[2]
    store = FAISS.from_documents(chunks, embedding)
    store.save_local(str(saved))
    return store


def ask(given: peer.Given, store: FAISS, question: str) -> peer.Answer:
    model = ChatOpenAI(
        model=given.model, base_url=given.url, api_key=peer.NO_KEY, max_retries=0, timeout=900
    )
    said = quick_summary(
        question,
        retrievers={NAME: store.as_retriever()},
        llms={NAME: model},
        provider=NAME,
        search_tool=NAME,
    )
    cited = {str(s.get("index", at)): [citation(s)] for at, s in enumerate(said["sources"], 1)}
    text = said["summary"].partition("\n## Sources")[0]
    return peer.Answer(text, peer.by_marks(text, cited, r"\[(\d+)\]"))


def citation(source: dict[str, Any]) -> peer.Citation:
    words = source.get("full_content") or source.get("content") or source.get("snippet") or ""
    return {"file": source.get("title", ""), "text": words}


if __name__ == "__main__":
    peer.run(
        "local-deep-research",
        ingest,
        ask,
        versions={n: version(n) for n in ("local-deep-research", "faiss-cpu")},
    )
