"""The real loading code of the cross-encoder, on a network that is made here and knows nothing."""

from pathlib import Path

import pytest

from services.domain.errors import InvalidInput, NoModel
from services.retrieval.rerank import CrossEncoderReranker
from tests.contracts.reranker_contract import ANSWER, NEAR, QUESTION, UNRELATED, passages

pytestmark = pytest.mark.slow


def save_network(folder: Path, labels: int) -> str:
    """A BERT of two thousand numbers with random weights; the path of its folder."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(7)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    (folder / "vocab.txt").write_text("\n".join([*words, *(f"##{word}" for word in words[5:])]))
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    config = BertConfig(
        vocab_size=57,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        num_labels=labels,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


async def test_a_network_with_one_label_scores_between_0_and_1(tmp_path: Path) -> None:
    reranker = CrossEncoderReranker(save_network(tmp_path, labels=1))
    long = f"{UNRELATED} " * 400
    scores = await reranker.score(QUESTION, passages(NEAR, ANSWER, long))
    assert len(scores) == 3 and all(0 < score < 1 for score in scores)
    again = await reranker.score(QUESTION, passages(ANSWER, NEAR))
    assert again == pytest.approx([scores[1], scores[0]], abs=1e-5)


async def test_a_network_with_three_labels_is_refused(tmp_path: Path) -> None:
    reranker = CrossEncoderReranker(save_network(tmp_path, labels=3))
    with pytest.raises(InvalidInput, match="one label"):
        await reranker.score(QUESTION, passages(NEAR, ANSWER))


async def test_a_folder_without_a_model_is_named_with_its_setting(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match="RABBITHOLE_CROSS_ENCODER"):
        await CrossEncoderReranker(str(tmp_path)).score(QUESTION, passages(ANSWER))
