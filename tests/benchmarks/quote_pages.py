"""Share of random sentences that another PDF library finds on the page that we state.

    python -m tests.benchmarks.quote_pages FILE.pdf …

Each sentence is clipped to the page on which it begins, as a citation is. White space, hyphens
and Unicode forms are ignored on both sides, nothing else.
"""

import random
import re
import sys
import unicodedata
from bisect import bisect_right
from pathlib import Path

from pypdf import PdfReader

from services.ingestion.parse import parse_file
from services.language.text import sentences

_SENTENCES = 300
_IGNORED = re.compile(r"[\s\-\u00ad\u2010-\u2012]+")


def squash(text: str) -> str:
    """What both libraries must agree on."""
    return _IGNORED.sub("", unicodedata.normalize("NFKC", text))


def main(paths: list[str]) -> int:
    """Print the share for each file, and every sentence that is not found."""
    complete = True
    for path in map(Path, paths):
        parsed = parse_file(path, language="de", timeout_s=120, memory_mb=2048)
        pages = [squash(page.extract_text()) for page in PdfReader(path).pages]
        spans = sentences(parsed.text)
        sample = random.Random(0).sample(spans, min(_SENTENCES, len(spans)))
        found = 0
        for start, end in sample:
            page = bisect_right(parsed.pages, start)
            stop = min(end, parsed.pages[page]) if page < len(parsed.pages) else end
            quote = parsed.text[start:stop]
            on_page = squash(quote) in pages[page - 1]
            found += on_page
            if not on_page:
                print(f"  page {page}: {quote[:100]!r}")
        complete &= found == len(sample)
        print(f"{path.name}: {found} of {len(sample)} sentences ({found / len(sample):.1%})")
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
