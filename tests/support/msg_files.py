"""Messages of Outlook (.msg): compound files with a stream for each property, by MS-CFB."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

SECTOR = 512
SMALLEST = 4096
"""Bytes of a stream in sectors of its own; shorter ones are padded."""
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
Tree = Mapping[str, Union[bytes, "Tree"]]


@dataclass
class Entry:
    """An entry of the directory: 1 is a storage, 2 a stream, 5 the root."""

    name: str
    kind: int
    right: int = _FREE
    child: int = _FREE
    stream: int | None = None
    size: int = 0


def text(number: int, value: str, encoding: str = "utf-16-le") -> dict[str, bytes]:
    kind = "001F" if encoding == "utf-16-le" else "001E"
    return {f"__substg1.0_{number:04X}{kind}": value.encode(encoding)}


def message(streams: Tree, header: int = 32, **fixed: int) -> dict[str, "bytes | Tree"]:
    """Return a storage with properties; ``fixed`` are integers, such as ``x3FFD=1251``."""
    table = [struct.pack("<HHIQ", 3, int(name[1:], 16), 6, value) for name, value in fixed.items()]
    return {"__properties_version1.0": b"\0" * header + b"".join(table), **streams}


def compound_file(tree: Tree) -> bytes:
    """Return a compound file that holds the streams and storages of a tree."""
    entries = [Entry("Root Entry", 5)]
    contents: list[bytes] = []

    def add(storage: Tree, parent: int) -> None:
        previous = 0
        for name, value in storage.items():
            at = len(entries)
            if previous:
                entries[previous].right = at
            else:
                entries[parent].child = at
            if isinstance(value, bytes):
                padded = value.ljust(SMALLEST, b"\0")
                entries.append(Entry(name, 2, stream=len(contents), size=len(padded)))
                contents.append(padded)
            else:
                entries.append(Entry(name, 1))
                add(value, at)
            previous = at

    add(tree, 0)
    return _written(entries, contents)


def _written(entries: list[Entry], contents: list[bytes]) -> bytes:
    sizes = [-(-len(content) // SECTOR) for content in contents]
    directory = -(-len(entries) // 4)
    tables = next(n for n in range(1, 99) if n * 128 >= n + directory + sum(sizes))
    starts = [tables + directory + sum(sizes[:n]) for n in range(len(sizes))]
    chain = [_FAT] * tables
    for size in (directory, *sizes):
        chain += [*range(len(chain) + 1, len(chain) + size), _END]
    chain += [_FREE] * (tables * 128 - len(chain))
    counts = (0, tables, tables, 0, SMALLEST, _END, 0, _END, 0)
    head = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 16
    head += struct.pack("<5H6x9I", 0x3E, 3, 0xFFFE, 9, 6, *counts)
    head += struct.pack("<109I", *range(tables), *[_FREE] * (109 - tables))
    rows = b"".join(_row(entry, starts) for entry in entries).ljust(directory * SECTOR, b"\0")
    data = [
        content.ljust(size * SECTOR, b"\0") for content, size in zip(contents, sizes, strict=True)
    ]
    return b"".join([head, struct.pack(f"<{len(chain)}I", *chain), rows, *data])


def _row(entry: Entry, starts: list[int]) -> bytes:
    name = entry.name.encode("utf-16-le")
    start = starts[entry.stream] if entry.stream is not None else _END * (entry.kind == 5)
    links = struct.pack("<HBBIII", len(name) + 2, entry.kind, 1, _FREE, entry.right, entry.child)
    return name.ljust(64, b"\0") + links + b"\0" * 36 + struct.pack("<IQ", start, entry.size)
