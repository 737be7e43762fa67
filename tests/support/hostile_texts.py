"""Texts that have harmed engines, or may."""

from typing import Final

HOSTILE: Final = {
    "a letter that NFKC makes 18 of": "\ufdfa" * 1000,
    "a word of marks": "e" + "\u0301" * 100_000,
    "a word of letters": "a" * 100_000,
    "a word of unknown letters": "\U00013000" * 100_000,
    "words that NFKC makes of a letter": "\u3300\u337f\u33a7\u247d\ufb03\u00bd\u1e9b\u0323" * 1500,
    "lone surrogates": "union \ud800\udfff types \udc80",
    "noncharacters": "union \ufdd0\ufffe\uffff\U0001ffff\U0010ffff types",
    "private use": "\ue000\uf8ff\U000f0000\U0010fffd" * 500,
    "tags": "union" + "\U000e0041\U000e007f" * 500,
    "directions": "\u202eunion\u2066\u2067types\u2069" * 200,
    "control characters": "union" + "".join(map(chr, range(1, 32))) * 50,
    "NUL": "union\0types",
    "spaces": " \u3000\u2003\t\x0b\x1c\x85" * 2000,
    "names of special tokens": "<s></s><unk><pad><mask> query: passage: " * 200,
    "one of every block": "".join(map(chr, range(1, 0x110000, 128))),
}
"""By what they are."""
