"""Quantities in sentences: exchanged for others, or written in another format."""

import re
from random import Random

from tests.benchmarks.train_cross_encoder.construct.words import pairs, pattern, words

WORDS = {"de": words("numbers.words_de"), "en": words("numbers.words_en")}
ROUND = (14, 15, 18, 20, 30, 40, 50, 60, 90)
TENS = {"de": words("numbers.tens_de"), "en": words("numbers.tens_en")}
UNITS = {"de": dict(pairs("numbers.units_de")), "en": dict(pairs("numbers.units_en"))}
NOT_A_QUANTITY = re.compile(pattern("numbers.not_a_quantity"))
FIGURE = re.compile(pattern("numbers.figure"))
CITED = re.compile(r"BGBl|[Gg]esetz|[Vv]erordnung|[Rr]ichtlinie|\bAct\b|\(\d{4}\)")
YEAR = re.compile(r"(?<![\w.,/–\-])(?:1[5-9]\d\d|20[0-2]\d)(?![\w/–\-]|[.,]\d)")


def quantities(sentence: str, lang: str) -> list[tuple[int, int, str]]:
    """(start, end, text) of figures that count or measure, and of number words before a word."""
    found = []
    for match in FIGURE.finditer(sentence):
        after = sentence[match.end() : match.end() + 2]
        measured = re.match(r"[ \u00a0][\w%°]|%|[ .,;)]?$|[.,;)]", after)
        if measured and not NOT_A_QUANTITY.search(sentence[: match.start()]):
            found.append((match.start(), match.end(), match[0]))
    for match in re.finditer(rf"\b(?:{'|'.join(WORDS[lang])})\b(?= \w{{3}})", sentence):
        found.append((match.start(), match.end(), match[0]))
    if not CITED.search(sentence):
        found += [(match.start(), match.end(), match[0]) for match in YEAR.finditer(sentence)]
    return found


def other(text: str, lang: str, rng: Random) -> str:
    """Another number that looks like this one."""
    if text in WORDS[lang]:
        return rng.choice([word for word in WORDS[lang] if word != text])
    if YEAR.fullmatch(text):
        return str(
            int(text) + rng.choice([-30, -21, -12, -10, -8, -5, -3, -2, -1, 1, 2, 3, 4, 7, 9, 11])
        )
    digits = re.match(r"\d+", text)
    assert digits
    value = int(digits[0])
    if "000" in text or len(text) > len(digits[0]):
        choices = [value + step for step in (-4, -3, -2, -1, 1, 2, 3, 5, 10)]
    else:
        choices = [
            value * 2,
            value // 2,
            value + 1,
            value - 1,
            value + 5,
            value + 10,
            value * 3,
            value - 2,
        ]
    fitting = [choice for choice in choices if choice > 1 and choice != value]
    return str(rng.choice(fitting or [value + 2])) + text[digits.end() :]


def exchange(sentence: str, lang: str, rng: Random) -> str | None:
    """The sentence with one number replaced by another."""
    found = quantities(sentence, lang)
    if not found:
        return None
    start, end, text = rng.choice(found)
    changed = other(text, lang, rng)
    return None if changed in sentence.split() else sentence[:start] + changed + sentence[end:]


def borrow(sentence: str, others: str, lang: str, rng: Random) -> str | None:
    """The sentence with a number that stands elsewhere in the quote, of the same kind."""
    found = quantities(sentence, lang)
    lent = {text for _, _, text in quantities(others, lang)}
    found = [f for f in found if sentence[f[0] - 1 : f[0]] not in "^("]
    pairs = [(f, text) for f in found for text in sorted(lent) if alike(f[2], text)]
    if not pairs:
        return None
    (start, end, _), text = rng.choice(pairs)
    return None if text in sentence.split() else sentence[:start] + text + sentence[end:]


def alike(one: str, two: str) -> bool:
    """Both years, both words, or both figures that are not years."""
    kinds = [("y" if YEAR.fullmatch(t) else "w" if t.isalpha() else "f") for t in (one, two)]
    if one == two or kinds[0] != kinds[1] or "1" in (one, two):
        return False
    sizes = sorted(float(re.sub(r"\D", "", t) or 0) + 1 for t in (one, two))
    return kinds[0] != "f" or (sizes[1] < 20 * sizes[0] and ("," in one) == ("," in two))


def rewrite(sentence: str, lang: str, rng: Random) -> str | None:
    """The same quantity in another format: a word for a figure, another separator, another unit."""
    options = []
    for start, end, text in quantities(sentence, lang):
        for changed in formats(text, lang):
            if changed[:1].isalpha() and not spelt(sentence, start, end):
                continue
            options.append(sentence[:start] + changed + sentence[end:])
        unit = re.match(r"([ \u00a0]?)([A-Za-zäöü]+|%|°)(?=[\s,.;)]|$)", sentence[end:])
        if unit and not text.isalpha() and unit[2] in UNITS[lang]:
            gap = "" if UNITS[lang][unit[2]] == "°" else " "
            options.append(
                sentence[:end] + gap + UNITS[lang][unit[2]] + sentence[end + unit.end() :]
            )
    return rng.choice(options) if options else None


def spelt(sentence: str, start: int, end: int) -> bool:
    """Whether a figure may stand as a word here: after a small word, before a word, in no date."""
    before, after = sentence[:start].rstrip().split(" ")[-1:], sentence[end : end + 3]
    return bool(
        before and re.fullmatch(r"[a-zäöüß]+,?", before[0]) and re.match(r" [A-Za-zäöü]", after)
    )


def formats(text: str, lang: str) -> list[str]:
    """Other ways of writing one number."""
    if text in WORDS[lang]:
        return [str(WORDS[lang].index(text) + 2)]
    if text.isdigit():
        value = int(text)
        if 2 <= value <= 12:
            return [WORDS[lang][value - 2]]
        if value in ROUND:
            return [TENS[lang][ROUND.index(value)]]
        return [f"{text[:-3]} {text[-3:]}"] if len(text) > 4 else []
    mark = "." if lang == "de" else ","
    if re.fullmatch(rf"\d{{1,3}}(?:[{mark} ]\d{{3}})+", text):
        bare = re.sub(r"[^\d]", "", text)
        return [bare, re.sub(r"[^\d]", " ", text), re.sub(r"[^\d]", mark, text)]
    return []
