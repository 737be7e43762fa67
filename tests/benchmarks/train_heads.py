"""Fit the heads that tell what a question wants, and measure them on what they have not seen.

    python -m tests.benchmarks.train_heads --searched PAIRS.jsonl.gz [--write]

Sources: ``tests/data/query_types`` (three authors, four languages; the half ``held`` of the first
is never fitted to), ``tests/data/question_kinds`` (another author, fields of their own) and
``tests/data/follow_ups`` (its half ``kept`` is never fitted to). Figures are for authors and fields
left out in turn, with 95 % Wilson intervals. Only with ``--write`` the weights are kept.

``--searched`` are questions of other people, with a passage each (``q``, ``lang``, ``src``): what a
passage answers does not ask where a word stands. Nearly all that people ask is so, which the
questions written for the heads do not show.

Each head is a linear discriminant: class means, and one covariance of what is left, drawn half way
to the identity (Friedman 1989). Its posterior is a softmax of a linear function, so that nothing
but weights is needed to use it. A temperature is chosen for the likelihood of the left-out
questions.
"""

import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from services.language.query import heads
from services.language.query.heads import FOLLOWS, FRAME, SIGNS, TYPES, features_of, follow_features
from services.language.vocabulary import FUNCTION_WORDS
from services.retrieval.embedders.base import cache_queries
from services.retrieval.embedders.bundled import BundledEmbedder
from tests.benchmarks import common

DATA = Path(__file__).parents[1] / "data"
WEIGHTS = Path(heads.__file__).with_name("heads.npz")
SHRINKAGE = 0.5
FOLDS = 4
PRECISION = 0.9
"""Of those that a head tells to be something; what it misses is searched for as any question."""
LETTERS = dict(zip("FPRCEAU", ("factual", "procedural", "relational", "comparative", "exploratory",
                               "analytical", "unknown"), strict=True))  # fmt: skip
FLAGS = dict(zip("xmsty", SIGNS, strict=True))
OF_MAIN = {"exhaustive": "everything", "database_meta": "store", "conditional": "threshold"}
MENTIONS = {"en-e96b0381", "de-b310f546", "fr-352b6cae", "fr-a732857a", "es-b3bc7126",
            "es-d0188692", "es-ef8d45cc", "es-96c4150c"}  # fmt: skip
"""Questions of the first set that ask where a word or a name stands."""
SEARCHED = 600
"""Questions of each source of those that a passage answers."""


@dataclass(frozen=True)
class Labelled:
    """A question; ``signs`` are True or False, and absent where nobody said. ``group`` left out.

    ``kind`` is empty where nobody said.
    """

    question: str
    language: str
    kind: str
    group: str
    signs: dict[str, bool]


@dataclass(frozen=True)
class Head:
    """``softmax((features - mean) / scale @ weights.T + bias)``, folded into weights and bias."""

    weights: np.ndarray
    bias: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        values = x @ self.weights.T + self.bias
        powers = np.exp(values - values.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    def cooled(self, temperature: float) -> "Head":
        return Head(self.weights / temperature, self.bias / temperature)


def fitted(x: np.ndarray, y: np.ndarray, classes: int) -> Head:
    mean, scale = x.mean(0), x.std(0) + 1e-9
    z = (x - mean) / scale
    centres = np.stack([z[y == each].mean(0) for each in range(classes)])
    rest = z - centres[y]
    within = rest.T @ rest / len(z)
    mixed = (1 - SHRINKAGE) * within + SHRINKAGE * np.eye(len(within))
    weights = np.linalg.solve(mixed, centres.T).T
    priors = np.log(np.bincount(y, minlength=classes) / len(y))
    bias = priors - 0.5 * (weights * centres).sum(1)
    weights = weights / scale
    return Head(weights, bias - weights @ mean)


def left_out(x: np.ndarray, y: np.ndarray, groups: Sequence[str], classes: int) -> np.ndarray:
    """Log odds of every question, from a head that saw nothing of its group; shape (n, classes)."""
    values = np.zeros((len(y), classes))
    names = np.asarray(groups)
    for group in np.unique(names):
        test = names == group
        head = fitted(x[~test], y[~test], classes)
        values[test] = x[test] @ head.weights.T + head.bias
    return values


def temperature(values: np.ndarray, y: np.ndarray) -> float:
    """The one under which what was left out is likeliest."""

    def loss(t: float) -> float:
        scaled = values / t
        peak = scaled.max(1)
        total = np.log(np.exp(scaled - peak[:, None]).sum(1)) + peak
        return float((total - scaled[np.arange(len(y)), y]).mean())

    return min(np.arange(0.5, 6.0, 0.1), key=loss)


def of_types() -> Iterator[Labelled]:
    for file in ("questions", "fresh", "third"):
        for record in common.read_lines(DATA / "query_types" / f"{file}.jsonl"):
            group = "held" if record["half"] == "held" else file
            signs = {}
            if file == "questions":
                signs = {name: key in record for key, name in OF_MAIN.items()}
                signs["mention"] = record["id"] in MENTIONS
            yield Labelled(
                record["question"], record["language"], record["type"].lower(), group, signs
            )


def of_kinds() -> Iterator[Labelled]:
    text = (DATA / "question_kinds" / "questions.txt").read_text(encoding="utf-8")
    field, language, asked = "", "", list[str]()
    for line in text.splitlines():
        if line.startswith("#"):
            field, language, *asked = line[2:].split()
        elif " | " in line:
            labels, question = line.split(" | ", 1)
            letter, flags = labels[0], labels[1:].strip()
            signs = {name: flag in flags for flag, name in FLAGS.items()}
            question = question.replace("[", "").replace("]", "")
            if asked:
                signs = {name: signs[name] for name in asked}
            kind = "" if asked else LETTERS[letter]
            yield Labelled(question, language, kind, field, signs)


def of_searched(path: Path) -> Iterator[Labelled]:
    """So many of each source, in an order that says nothing."""
    found: dict[str, dict[str, str]] = {}
    for pair in common.read_lines(path):
        found.setdefault(pair["src"].partition("+")[0], {})[pair["q"]] = pair["lang"]
    for source, questions in found.items():
        asked = sorted(questions, key=lambda each: zlib.crc32(each.encode()))
        for question in asked[:SEARCHED]:
            yield Labelled(question, questions[question], "", source, {"mention": False})


def half_of(identifier: str) -> str:
    """``dev`` or ``kept``, by the hash of the id."""
    return ("dev", "kept")[hashlib.sha256(identifier.encode()).digest()[0] % 2]


def of_follow_ups() -> Iterator[tuple[str, str, str, bool, str]]:
    """Question, the one before, language, whether it needs that, and the group."""
    for line in (DATA / "question_kinds" / "follow_ups.txt").read_text("utf-8").splitlines():
        if " | " in line and not line.startswith("#"):
            language, before, question = line.split(" | ")
            fold = f"fold {zlib.crc32(before.encode()) % FOLDS}"
            yield question[2:], before, language, question[0] == "+", fold
    for record in common.read_lines(DATA / "follow_ups" / "follow_ups.jsonl"):
        half = half_of(record["id"])
        before = record["turns"][-1]["question"]
        yield record["follow_up"], before, record["language"], record["needs_context"], half


def content_of(text: str) -> list[str]:
    """The words of a text that are no function words."""
    small = FUNCTION_WORDS
    words = re.findall(r"[^\W_][\w.'’-]*\w|\w", text)
    return [word for word in words if word.casefold() not in small]


def of_terms() -> Iterator[tuple[str, bool, str]]:
    """Words of questions for a mention: whether it only says that, and the field."""
    text = (DATA / "question_kinds" / "questions.txt").read_text(encoding="utf-8")
    field = ""
    for line in text.splitlines():
        if line.startswith("#"):
            field = line[2:].split()[0]
        elif "[" in line:
            before, term, after = re.split(r"[\[\]]", line.split(" | ", 1)[1])
            yield from ((word, False, field) for word in content_of(term))
            yield from ((word, True, field) for word in content_of(f"{before} {after}"))


def interval(right: int, n: int) -> str:
    """A share with its Wilson interval of 95 %."""
    low, high = common.wilson(right, n)
    return f"{right / n:6.1%} ({low:.1%}-{high:.1%}) of {n}"


def types(rows: Sequence[Labelled], x: np.ndarray) -> Head:
    y = np.asarray([TYPES.index(each.kind) for each in rows])  # type: ignore[arg-type]
    groups = [each.group for each in rows]
    values = left_out(x, y, groups, len(TYPES))
    right = values.argmax(1) == y
    _by("type", rows, right, lambda each: each.group if each.group in AUTHORS else "own fields")
    _by("type", rows, right, lambda each: each.language)
    _by("type", rows, right, lambda each: each.kind)
    return fitted(x, y, len(TYPES)).cooled(temperature(values, y))


AUTHORS = ("questions", "fresh", "third", "held")


def _by(
    what: str, rows: Sequence[Labelled], right: np.ndarray, key: Callable[[Labelled], str]
) -> None:
    names = [key(each) for each in rows]
    for name in dict.fromkeys(names):
        of = np.asarray([other == name for other in names])
        print(f"{what:10} {name:12} {interval(int(right[of].sum()), int(of.sum()))}")


def least(odds: np.ndarray, truth: np.ndarray) -> float:
    """The log odds from which nine of ten that are told so are so, of what was left out."""
    order = np.argsort(-odds)
    right = np.cumsum(truth[order]) / np.arange(1, len(odds) + 1)
    last = np.flatnonzero(right >= PRECISION)
    return float(odds[order][last[-1]]) if len(last) else float(odds.max())


def raised(head: Head, cut: float) -> Head:
    return Head(head.weights, head.bias - np.asarray([0.0, cut]))


def two_sided(head: Head) -> tuple[np.ndarray, float]:
    """Weights and bias of the log odds of True."""
    return head.weights[1] - head.weights[0], float(head.bias[1] - head.bias[0])


def signs(
    rows: Sequence[Labelled], x: np.ndarray, unseen: Sequence[Labelled], x_unseen: np.ndarray
) -> Iterator[tuple[np.ndarray, float]]:
    for name in SIGNS:
        own = [n for n, each in enumerate(rows) if name in each.signs]
        y = np.asarray([int(rows[n].signs[name]) for n in own])
        groups = [rows[n].group for n in own]
        values = left_out(x[own], y, groups, 2)
        head = raised(fitted(x[own], y, 2), cut := least(values[:, 1] - values[:, 0], y))
        told(name, y, (values[:, 1] - values[:, 0] >= cut).astype(int))
        held = [n for n, each in enumerate(unseen) if name in each.signs]
        if held:
            truth = np.asarray([int(unseen[n].signs[name]) for n in held])
            told(f"{name} held", truth, head(x_unseen[held]).argmax(1))
        yield two_sided(head)


def told(name: str, truth: np.ndarray, guess: np.ndarray) -> None:
    found, all_true, all_told = int((truth & guess).sum()), int(truth.sum()), int(guess.sum())
    share = interval(int((truth == guess).sum()), len(truth))
    print(f"{name:16} {share}, {found} of {all_true} found, {all_told - found} wrongly")


def follows(embedded: heads.EmbedQuery, rows: Sequence[Labelled]) -> tuple[np.ndarray, float]:
    """Follow-ups, against complete ones, and other questions after one of another field."""
    talk = list(of_follow_ups())
    whole = [each for each in rows if each.kind != "unknown"]
    strange = [whole[(7 * n + 11) % len(whole)] for n in range(len(whole))]
    talk += [
        (each.question, other.question, each.language, False, f"fold {n % FOLDS}")
        for n, (each, other) in enumerate(zip(whole, strange, strict=True))
    ]
    x = np.stack([
        follow_features(question, before, embedded, language)
        for question, before, language, _, _ in talk
    ])  # fmt: skip
    y = np.asarray([int(needs) for _, _, _, needs, _ in talk])
    groups = [group for *_, group in talk]
    guess = left_out(x, y, groups, 2).argmax(1)
    pairs = np.asarray([n < len(talk) - len(whole) for n in range(len(talk))])
    told("follows", y[pairs], guess[pairs])
    told("follows, whole", y[~pairs], guess[~pairs])
    seen = np.asarray([group != "kept" for group in groups])
    head = fitted(x[seen], y[seen], 2)
    told("follows kept", y[~seen], head(x[~seen]).argmax(1))
    return two_sided(head)


def frames(embedded: heads.EmbedQuery) -> tuple[np.ndarray, float]:
    """Words that only say that something is mentioned, against the words that are looked for.

    Also against words of content of other questions, as far as they are not such words themselves.
    """
    words = dict.fromkeys(of_terms())
    frame = {word.casefold() for word, says, _ in words if says}
    others = [each for each in of_kinds() if not each.signs.get("everything", True)]
    for each in others:
        for word in content_of(each.question)[1:]:
            if word.casefold() not in frame:
                words[(word, False, each.group)] = None
    x = np.stack([embedded(word) for word, _, _ in words]).astype(np.float64)
    y = np.asarray([int(says) for _, says, _ in words])
    groups = [group for _, _, group in words]
    told("frame", y, left_out(x, y, groups, 2).argmax(1))
    return two_sided(fitted(x, y, 2))


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--write", action="store_true", help="keep the weights")
    parser.add_argument("--searched", type=Path, required=True)
    options = parser.parse_args()
    embedder = BundledEmbedder()
    embedded = cache_queries(embedder)
    everyone = [*of_types(), *of_kinds(), *of_searched(options.searched)]
    everyone.sort(key=lambda each: not each.kind)  # those that have a type first
    rows = [each for each in everyone if each.group != "held"]
    typed = [each for each in rows if each.kind]
    unseen = [each for each in everyone if each.group == "held"]
    x, x_unseen = _features(rows, embedded), _features(unseen, embedded)
    of_type = types(typed, x[: len(typed)])
    guesses = of_type(x_unseen).argmax(1)
    right = [TYPES[n] == each.kind for n, each in zip(guesses, unseen, strict=True)]
    print(f"type       held         {interval(sum(right), len(right))}")
    of_signs = list(signs(rows, x, unseen, x_unseen))
    of_follow = follows(embedded, typed)
    of_frame = frames(embedded)
    if options.write:
        _write(embedder.fingerprint, of_type, of_signs, {FOLLOWS: of_follow, FRAME: of_frame})


def _features(rows: Sequence[Labelled], embedded: heads.EmbedQuery) -> np.ndarray:
    return np.stack([
        features_of(each.question, embedded, each.language) for each in rows
    ]).astype(np.float64)  # fmt: skip


def _write(fingerprint: str, of_type: Head, of_signs: Any, more: Any) -> None:
    kept = {
        "types": of_type.weights, "types_bias": of_type.bias,
        "signs": np.stack([weights for weights, _ in of_signs]),
        "signs_bias": np.asarray([bias for _, bias in of_signs]),
    }  # fmt: skip
    for name, (weights, bias) in more.items():
        kept |= {name: weights[None, :], f"{name}_bias": np.asarray([bias])}
    arrays = {name: value.astype(np.float32) for name, value in kept.items()}
    np.savez_compressed(WEIGHTS, fingerprint=np.asarray(fingerprint), **arrays)
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
