"""Small PDF files written by hand: text at given places in Helvetica, with an outline."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PAGE_WIDTH, PAGE_HEIGHT = 595, 842
LEADING = 14
PDF_HEAD = b"%PDF-1.4\n"


@dataclass(frozen=True)
class Text:
    """A line of text whose baseline starts at ``x``, ``y`` (points from the lower left)."""

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False
    upward: bool = False


@dataclass(frozen=True)
class Entry:
    """An outline entry on the top level; ``page`` counts from 0."""

    title: str
    page: int
    top: float


def lines(y: float, *texts: str, x: float = 65, size: float = 10, bold: bool = False) -> list[Text]:
    return [Text(x, y - LEADING * number, text, size, bold) for number, text in enumerate(texts)]


def without_page(pdf: bytes, number: int) -> bytes:
    """The file with a page, from 0, that the tree names and nobody has."""
    kids = re.search(rb"/Kids \[([^\]]*)\]", pdf)
    assert kids is not None
    pages = re.findall(rb"\d+ 0 R", kids[1])
    pages[number] = b"0" * (len(pages[number]) - 5) + b"0 0 R"
    return pdf.replace(kids[0], b"/Kids [" + b" ".join(pages) + b"]")


def make_pdf(
    pages: Sequence[Sequence[Text]],
    outline: Sequence[Entry] = (),
    *,
    rotate: int = 0,
    info: Mapping[str, str] | None = None,
    mapped: Mapping[str, str] | None = None,
) -> bytes:
    """A PDF 1.4 file with these pages and information. Texts must be in Windows-1252.

    ``mapped`` is as what letters that are not bold are mapped, whatever they show.
    """
    fonts = "/Font << /F1 3 0 R /F2 4 0 R >>"
    first_map = 5 + 2 * len(pages) + bool(outline) + len(outline)
    unicode = f"/ToUnicode {first_map} 0 R" if mapped else ""
    first_page, first_entry = 5, 5 + 2 * len(pages)
    kids = " ".join(f"{first_page + 2 * number} 0 R" for number in range(len(pages)))
    catalog = "/Type /Catalog /Pages 2 0 R"
    if outline:
        catalog += f" /Outlines {first_entry} 0 R"
    objects = [
        f"<< {catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _font("Helvetica", unicode),
        _font("Helvetica-Bold", ""),
    ]
    for number, page in enumerate(pages):
        stream = b"\n".join(map(_show, page))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}] "
            f"/Rotate {rotate} /Resources << {fonts} >> "
            f"/Contents {first_page + 2 * number + 1} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    objects.extend(_outline(outline, first_entry, first_page))
    if mapped:
        objects.append(_character_map(mapped))
    if info:
        objects.append(_information(info))
    return pdf_file(objects, with_info=bool(info))


def _information(info: Mapping[str, str]) -> bytes:
    hexed = {
        name: ("\ufeff" + value).encode("utf-16-be", "surrogatepass").hex()
        for name, value in info.items()
    }
    return f"<< {' '.join(f'/{name} <{value}>' for name, value in hexed.items())} >>".encode()


def _font(name: str, unicode: str) -> bytes:
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding {unicode} >>"
    ).encode()


def _character_map(mapped: Mapping[str, str]) -> bytes:
    pairs = "\n".join(
        f"<{shown.encode('cp1252').hex()}> <{letter.encode('utf-16-be').hex()}>"
        for shown, letter in mapped.items()
    )
    stream = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def "
        "/CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange "
        f"{len(mapped)} beginbfchar\n{pairs}\nendbfchar endcmap end end"
    )
    return f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream".encode()


def _show(text: Text) -> bytes:
    encoded = text.text.encode("cp1252").hex()
    font = "F2" if text.bold else "F1"
    turn = "0 1 -1 0" if text.upward else "1 0 0 1"
    return f"BT /{font} {text.size} Tf {turn} {text.x} {text.y} Tm <{encoded}> Tj ET".encode()


def _outline(outline: Sequence[Entry], first: int, first_page: int) -> list[bytes]:
    if not outline:
        return []
    last = first + len(outline)
    objects = [f"<< /First {first + 1} 0 R /Last {last} 0 R /Count {len(outline)} >>".encode()]
    for number, entry in enumerate(outline, start=first + 1):
        title = ("\ufeff" + entry.title).encode("utf-16-be").hex()
        page = first_page + 2 * entry.page
        siblings = f"/Next {number + 1} 0 R " if number < last else ""
        siblings += f"/Prev {number - 1} 0 R " if number > first + 1 else ""
        objects.append(
            f"<< /Title <{title}> /Parent {first} 0 R {siblings}"
            f"/Dest [{page} 0 R /XYZ 0 {entry.top} 0] >>".encode()
        )
    return objects


def pdf_file(objects: Sequence[bytes], *, with_info: bool = False) -> bytes:
    """A PDF of these objects, numbered from 1: the catalog first, ``with_info`` its data last."""
    data = bytearray(PDF_HEAD)
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        data += b"%010d 00000 n \n" % offset
    info = b"/Info %d 0 R " % len(objects) if with_info else b""
    data += b"trailer\n<< /Size %d /Root 1 0 R %b>>\n" % (len(objects) + 1, info)
    data += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(data)
