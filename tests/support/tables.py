"""Tables of examples, written as text: a line for each, its cells apart by ``|``."""

import re


def rows(table: str) -> list[tuple[str, ...]]:
    r"""The cells of each line without outer spaces.

    ``\n`` stands for a line break; a line that ends with ``\`` goes on in the next.
    """
    lines = re.sub(r"\\\n\s*", "", table).strip().splitlines()
    return [tuple(cell.strip().replace(r"\n", "\n") for cell in line.split("|")) for line in lines]
