"""Which sentence of a passage answers: asked of a language model, beside the cross-encoder.

    python -m tests.benchmarks.reading_model [--model embedded] [--first N]

On the contrasts held back (a rule and its exception, lists, questions that a passage does not
answer). One call a question: the numbered sentences, and the number of the one that answers, 0 for
none, constrained by a schema. Prints each kind with what both have right, paired.
"""

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from services.models.base import ChatModel, ChatRequest, Message
from services.models.factory import make_model
from services.parts import Parts
from services.settings import Settings
from tests.benchmarks.common import Row, read_lines
from tests.benchmarks.train_cross_encoder.written import CONTRASTS, held_back, shown

PROMPT = """Text:
{lines}

Question: {question}

Which one sentence of the text answers exactly this question? Watch for "not", exceptions and \
conditions: a rule does not answer a question for its exception. If no sentence answers it, 0."""
NOBODY_WAITS_S = 300.0


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--first", type=int, help="questions")
    chosen = parser.parse_args()
    model = await make_model(Settings(llm=chosen.model))
    if model is None:
        sys.exit("there is no such model")
    encoder = Parts(Settings(llm="none")).encoder
    right: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for number, (passage, question, gold, kind) in enumerate(asked()):
        if number == chosen.first:
            break
        said = await read(model, question, passage["s"])
        logits = encoder.read(question, [shown(passage)])[0].sentences[1:]
        # Of a question without an answer the encoder's best is judged by a bound, not here.
        right[kind].append((said in (gold or [-1]), int(np.argmax(logits)) in gold))
        print(f"{number} {kind}: {said}, {gold}", file=sys.stderr, flush=True)
    await model.close()
    for kind, both in right.items():
        ours, theirs = (sum(each[n] for each in both) / len(both) for n in (0, 1))
        gained, lost = (sum(a and not b for a, b in both), sum(b and not a for a, b in both))
        print(f"{kind}: {len(both)}, model {ours:.3f}, encoder {theirs:.3f}, +{gained} -{lost}")


def asked() -> Iterator[tuple[Row, str, list[int], str]]:
    """Passage, question, the sentences that answer it (none for some), kind."""
    for passage in filter(held_back, read_lines(CONTRASTS)):
        for (question, gold), kind in zip(passage["q"], passage["kinds"]["q"], strict=True):
            yield passage, question, gold, kind
        for question, kind in zip(passage["n"], passage["kinds"]["n"], strict=True):
            yield passage, question, [], kind


async def read(model: ChatModel, question: str, sentences: list[str]) -> int:
    """The place of the sentence that the model names, -1 for none."""
    numbered = "\n".join(f"[{n}] {sentence}" for n, sentence in enumerate(sentences, 1))
    number = {"type": "integer", "enum": list(range(len(sentences) + 1))}
    request = ChatRequest(
        messages=(Message(role="user", content=PROMPT.format(lines=numbered, question=question)),),
        json_schema={
            "type": "object",
            "properties": {"sentence": number},
            "required": ["sentence"],
        },
        max_tokens=16,
        deadline_s=NOBODY_WAITS_S,
        task="read",
    )
    return int(json.loads((await model.complete(request)).text)["sentence"]) - 1


if __name__ == "__main__":
    asyncio.run(main())
