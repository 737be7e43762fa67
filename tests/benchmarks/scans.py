"""How well are pages that are only pictures read, and are quotes marked at their place?

    python -m tests.benchmarks.scans [--pages 20] [--only CONDITION] [FILE.pdf...]

Prints pages of PDF files with a text layer (the laws of the samples) as pictures and has them read.
The text layer is the truth. *rough*: turned by .7 degrees, blurred, noisy, JPEG at quality 50.
*150 read at 150*: what drawing all at one resolution is worth. A sentence is *placed* if the union
of its marked boxes covers that of the true ones with an intersection over union of at least .5.
*blamed*: of the sentences with a letter read wrong, those whose least certain word, which the
proof shows, is one that the page does not have. Seconds are those of a processor.
"""

import io
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image, ImageFilter

from services.domain import RecognisedLine, RecognisedWord
from services.ingestion.parsers.pdf.ocr import DPI, Tesseract
from services.language.text import sentences
from services.library.pages.draw import Characters
from services.library.pages.marks import BoxTuple, RenderRequest, Words, letters, quote_boxes
from tests.benchmarks import common
from tests.support.scanned import of_images

LAWS = Path(__file__).parents[2] / "kb" / "samples" / "strahlenschutz"
Read = Callable[[Image.Image], Image.Image]


def rough(image: Image.Image) -> Image.Image:
    """What a hurried scanner makes of a page."""
    turned = image.convert("L").rotate(0.7, fillcolor=255, resample=Image.Resampling.BICUBIC)
    grey = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.8)), dtype=float)
    noise = np.random.default_rng(0).normal(0, 18, grey.shape)
    stream = io.BytesIO()
    Image.fromarray(np.clip(grey + noise, 0, 255).astype("uint8")).save(stream, "JPEG", quality=50)
    return Image.open(stream)


CONDITIONS: dict[str, tuple[int, int, Read]] = {
    "300 dpi": (300, DPI, lambda image: image),
    "150 dpi": (150, DPI, lambda image: image),
    "150 read at 150": (150, 150, lambda image: image),
    "200 dpi, rough": (200, DPI, rough),
}
"""Dots of the picture, dots at which it is read, and what happens to it in between."""


class Page:
    """A page with a text layer: its words, and where its sentences stand."""

    def __init__(self, document: pypdfium2.PdfDocument, number: int) -> None:
        self.page = document[number]
        text_page = self.page.get_textpage()
        self.characters = Characters(self.page, text_page)
        self.text = " ".join(text_page.get_text_range().replace("\ufffe", "-").split())
        spans = sentences(self.text)
        self.sentences = [self.text[a:b] for a, b in spans if 40 <= b - a <= 400]


def read(page: Page, condition: str, engine: Tesseract) -> tuple[list[RecognisedLine], float]:
    """The lines of the page, printed and read, and the seconds of a processor."""
    printed, dots, change = CONDITIONS[condition]
    image = change(page.page.render(scale=printed / 72).to_pil())
    with pypdfium2.PdfDocument(of_images([image], printed)) as scan:
        began = time.process_time()
        drawn = scan[0].render(scale=dots / 72, grayscale=True).to_pil()
        return engine.lines(drawn, dots), time.process_time() - began


def score(page: Page, lines: Sequence[RecognisedLine]) -> Counter[str]:
    """Counts: characters, and those read wrong; signs and digits, and those read right; …"""
    words = [word for line in lines for word in line.words]
    found: Counter[str] = Counter()
    for same, true, said in _runs(page.text.split(), [word.text for word in words]):
        for name, wanted in (("§", "§"), ("digits", "0123456789")):
            number = sum(letter in wanted for letter in true)
            found[name] += number
            found[f"{name} right"] += number * same
        if "§" in true and not same:
            found[f"§ as {said!r}"] += 1
        found["wrong"] += max(len(true), len(said)) * (not same)
    found["characters"] = len(page.text)
    for sentence in page.sentences:
        found["sentences"] += 1
        found += _placed(page, sentence, words)
    return found


def _runs(true: Sequence[str], said: Sequence[str]) -> Iterator[tuple[bool, str, str]]:
    """Both texts in runs that are the same or not: by words, and where these differ by letters."""
    for kind, a, b, c, d in SequenceMatcher(None, true, said, autojunk=False).get_opcodes():
        one, other = " ".join(true[a:b]), " ".join(said[c:d])
        if kind == "equal":
            yield True, one, other
            continue
        for within, e, f, g, h in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
            yield within == "equal", one[e:f], other[g:h]


def _placed(page: Page, sentence: str, words: list[RecognisedWord]) -> Counter[str]:
    there = quote_boxes(page.characters, RenderRequest(1, sentence))
    marked = Words(words)
    if letters(sentence).text in letters(marked.text).text:
        here = quote_boxes(marked, RenderRequest(1, sentence))
        return Counter({"same letters": 1, "placed": int(_overlap(here, there) >= 0.5)})
    inside = [word for word in words if any(_within(word, box) for box in there)]
    worst = min(inside, key=lambda word: word.confidence, default=None)
    known = set(page.text.split())
    return Counter({"blamed": int(worst is not None and worst.text not in known), "misread": 1})


def _within(word: RecognisedWord, box: BoxTuple) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _overlap(some: list[BoxTuple], others: list[BoxTuple]) -> float:
    """Intersection over union, on a grid of half points."""
    masks = []
    for boxes in (some, others):
        mask = np.zeros((2400, 2400), dtype=bool)
        for box in boxes:
            x0, y0, x1, y1 = (round(2 * side) for side in box)
            mask[y0:y1, x0:x1] = True
        masks.append(mask)
    union = (masks[0] | masks[1]).sum()
    return float((masks[0] & masks[1]).sum() / union) if union else 0.0


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("files", type=Path, nargs="*", default=sorted(LAWS.glob("*.pdf")))
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--only", choices=CONDITIONS, action="append")
    options = parser.parse_args()
    pages = []
    for path in options.files:
        document = pypdfium2.PdfDocument(path)
        count = options.pages // len(options.files)
        pages += [Page(document, (2 * n + 1) * len(document) // (2 * count)) for n in range(count)]
    with closing(Tesseract()) as engine:
        for condition in options.only or CONDITIONS:
            total: Counter[str] = Counter()
            seconds = 0.0
            for page in pages:
                lines, took = read(page, condition, engine)
                seconds += took
                total += score(page, lines)
            print(
                f"{condition}: {len(pages)} pages, character error "
                f"{total['wrong'] / total['characters']:.2%}, "
                f"§ {total['§ right']} of {total['§']}, "
                f"digits {total['digits right']} of {total['digits']}, "
                f"{seconds / len(pages):.1f} s a page; of {total['sentences']} sentences "
                f"{total['same letters']} have the same letters, {total['placed']} of them placed; "
                f"of {total['misread']} misread {total['blamed']} blamed; "
                f"{[pair for pair in total.most_common() if pair[0].startswith('§ as')][:5]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
