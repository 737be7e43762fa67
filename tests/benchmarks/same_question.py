"""Cosines of questions that are the same, and of questions that differ in one decisive word.

    python -m tests.benchmarks.same_question

The reason why the cache of answers compares words and asks vectors only to confirm.
"""

from services.library.answer_cache import content_words, same_words, unit
from services.retrieval.embedders import make_embedder
from services.settings import Settings

PAIRS = (
    ("de", "Was ist eine Freigrenze?", "Erkläre mir bitte die Freigrenze"),
    ("de", "Was ist die effektive Dosis?", "Beschreibe die effektive Dosis."),
    ("en", "What is an exemption limit?", "Tell me about the exemption limit"),
    ("en", "What is variance?", "Explain variance"),
    ("fr", "Qu'est-ce que la dose efficace ?", "Explique-moi la dose efficace"),
    ("es", "¿Qué es la dosis efectiva?", "Explícame la dosis efectiva"),
    ("de", "Welcher Grenzwert gilt mindestens?", "Welcher Grenzwert gilt höchstens?"),
    ("de", "Wer informiert den Arbeitgeber?", "Wer informiert den Arbeitnehmer?"),
    ("de", "Sind 20 mSv zulässig?", "Sind 30 mSv zulässig?"),
    ("de", "Ist das zulässig?", "Ist das nicht zulässig?"),
    ("de", "Was ist zulässig?", "Ist das zulässig?"),
    ("de", "Was regelt § 78?", "Was regelt § 79?"),
)


def main() -> None:
    embedder = make_embedder(Settings())
    for language, one, other in PAIRS:
        vectors = [unit(embedder.embed_query(each)) for each in (one, other)]
        same = same_words(content_words(one, language), content_words(other, language), language)
        verdict = "same" if same else "different"
        print(f"{float(vectors[0] @ vectors[1]):.3f} {verdict:9} {one} | {other}")


if __name__ == "__main__":
    main()
