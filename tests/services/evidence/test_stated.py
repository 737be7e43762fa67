"""Numbers and labels of true sentences stand in their sources."""

import gzip
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from services.evidence.stated import other_names, unstated_labels, unstated_numbers
from services.evidence.verification.claims import CitedSection
from tests.support.parsed_texts import body

WRITTEN = Path(__file__).parents[2] / "benchmarks/data/written/train.jsonl.gz"


@given(body, st.sampled_from(["de", "en"]))
def test_a_text_states_its_own_numbers_and_labels(text: str, language: str) -> None:
    sections = [CitedSection("", "", text, language)]
    assert unstated_numbers(text, "", sections, language) == ()
    assert unstated_labels(text, "", sections) == ()


def test_hardly_a_true_claim_has_a_number_in_a_name_that_its_quote_lacks() -> None:
    with gzip.open(WRITTEN, "rt", encoding="utf-8") as written:
        passages = [json.loads(line) for line in written]
    pairs = [
        (claim, " ".join([passage["heading"], *(passage["s"][n] for n in quoted)]), passage)
        for passage in passages
        for claim, quoted, meaning in passage["c"]
        if meaning == "s"
    ]
    lost = [claim for claim, quote, row in pairs if other_names(claim, quote, row["lang"])]
    assert len(pairs) > 7_000 and len(lost) <= 1
