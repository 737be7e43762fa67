"""LightRAG with its default storages and mode ``mix``, as its README's first program has it.

Entities come as JSON, which its README recommends for small models; its time limits are raised,
since the model is slow, and it asks one thing at a time, as the model does. Its marks name files,
so a citation here has no words.
"""

import asyncio
import os
from functools import partial
from importlib.metadata import version

import peer

os.environ |= {"ENTITY_EXTRACTION_USE_JSON": "true", "LLM_TIMEOUT": "7200", "MAX_ASYNC_LLM": "1"}

from lightrag import LightRAG, QueryParam
from lightrag.llm.openai import openai_complete_if_cache, openai_embed
from lightrag.utils import EmbeddingFunc

LOOP = asyncio.new_event_loop()


def ingest(given: peer.Given) -> LightRAG:
    reached = {"base_url": given.url, "api_key": peer.NO_KEY}

    async def complete(prompt, system_prompt=None, history_messages=None, **more):
        return await openai_complete_if_cache(
            peer.MODEL,
            prompt,
            system_prompt=system_prompt,
            history_messages=history_messages or [],
            timeout=7200,
            **{**more, **reached},
        )

    embed = partial(openai_embed.func, model=peer.EMBEDDING, **reached)
    rag = LightRAG(
        working_dir=str(given.home),
        llm_model_func=complete,
        llm_model_name=peer.MODEL,
        embedding_func=EmbeddingFunc(embedding_dim=peer.DIMENSION, max_token_size=8192, func=embed),
    )
    LOOP.run_until_complete(rag.initialize_storages())
    texts = [path.read_text(encoding="utf-8") for path in given.documents]
    names = [path.name for path in given.documents]
    LOOP.run_until_complete(rag.ainsert(texts, file_paths=names))
    return rag


def ask(given: peer.Given, rag: LightRAG, question: str) -> peer.Answer:
    param = QueryParam(mode="mix", enable_rerank=False, include_references=True)
    said = LOOP.run_until_complete(rag.aquery_llm(question, param=param))
    text = said["llm_response"]["content"] or ""
    cited = {
        each["reference_id"]: [{"file": each["file_path"], "text": ""}]
        for each in said.get("data", {}).get("references", [])
    }
    return peer.Answer(text, peer.by_marks(text, cited, r"\[(\d+)\]"))


if __name__ == "__main__":
    peer.run("lightrag", ingest, ask, versions={"lightrag-hku": version("lightrag-hku")})
