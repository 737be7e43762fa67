"""A plain LangChain chain, as its tutorial on retrieval builds it, with the sources numbered.

Recursive splitter (1000, overlap 200), Chroma, the four nearest, one prompt, one call, streamed.
``PASSAGES`` in the environment is another number of them.
"""

import os
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import peer
from langchain_chroma import Chroma
from langchain_community.document_loaders import Docx2txtLoader, PyPDFLoader, TextLoader
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

PASSAGES = int(os.environ.get("PASSAGES", "4"))
PROMPT = ChatPromptTemplate.from_template(
    "Use the following pieces of context to answer the question at the end.\n"
    "If you don't know the answer, just say that you don't know, don't try to make up an answer.\n"
    "Use three sentences maximum and keep the answer as concise as possible.\n"
    "End every sentence with the number of the piece it comes from, for example [2].\n\n"
    "{context}\n\nQuestion: {question}\n\nHelpful Answer:"
)
"""The tutorial's prompt, and one line that asks for the number."""


def loader(path: Path) -> Docx2txtLoader | PyPDFLoader | TextLoader:
    """The loader that LangChain's documentation names first for the kind of file."""
    if path.suffix == ".docx":
        return Docx2txtLoader(path)
    return PyPDFLoader(path) if path.suffix == ".pdf" else TextLoader(path, "utf-8")


def ingest(given: peer.Given) -> Chroma:
    embedding = OpenAIEmbeddings(
        model=peer.EMBEDDING,
        base_url=given.url,
        api_key=peer.NO_KEY,
        check_embedding_ctx_length=False,
    )
    store = Chroma("peers", embedding, persist_directory=str(given.home))
    if not store.get(limit=1)["ids"]:
        splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
        loaded = [d for path in given.documents for d in loader(path).load()]
        store.add_documents(splitter.split_documents(loaded))
    return store


def ask(given: peer.Given, store: Chroma, question: str) -> peer.Answer:
    found = store.similarity_search(question, k=PASSAGES)
    context = "\n\n".join(f"[{at}] {d.page_content}" for at, d in enumerate(found, start=1))
    model = ChatOpenAI(
        model=given.model, base_url=given.url, api_key=peer.NO_KEY, temperature=0, max_retries=0
    )
    chain = PROMPT | model | StrOutputParser()
    begun, first_s, text = time.monotonic(), None, ""
    for piece in chain.stream({"context": context, "question": question}):
        if piece and first_s is None:
            first_s = round(time.monotonic() - begun, 1)
        text += piece
    cited = {str(at): [citation(d)] for at, d in enumerate(found, start=1)}
    return peer.Answer(text, peer.by_marks(text, cited, r"\[(\d+)\]"), first_s)


def citation(document: Any) -> peer.Citation:
    name = document.metadata["source"].rpartition("/")[2]
    return {"file": name, "text": document.page_content}


if __name__ == "__main__":
    peer.run(
        "langchain",
        ingest,
        ask,
        versions={n: version(n) for n in ("langchain-core", "langchain-chroma", "chromadb")},
    )
