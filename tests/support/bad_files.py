"""Broken and hostile files, made on the spot: none is larger than two megabytes on disk."""

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, pairwise
from pathlib import Path

import docx
from docx.enum.style import WD_STYLE_TYPE
from pypdf import PdfReader, PdfWriter

from tests.support.pdf_files import PDF_HEAD, lines, make_pdf, pdf_file

MEGABYTE = 1 << 20
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
    f'package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="{WORD}"/>'
    "</Types>"
).encode()
RELATIONS = (
    b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    b'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/'
    b'2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)
BODY_BEGIN = (
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
)
BODY_END = b"</w:body></w:document>"


@dataclass(frozen=True)
class Inflating:
    """Data that is small when it is packed: a beginning, a block many times over, an end."""

    begin: bytes
    block: bytes
    times: int
    end: bytes

    @property
    def length(self) -> int:
        return len(self.begin) + self.times * len(self.block) + len(self.end)

    def parts(self) -> Iterator[bytes]:
        return chain([self.begin], (self.block for _ in range(self.times)), [self.end])

    def deflated(self) -> bytes:
        """The raw deflate stream; the block is packed once and repeated as it is."""
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        head = packer.compress(self.begin) + packer.flush(zlib.Z_FULL_FLUSH)
        block = packer.compress(self.block) + packer.flush(zlib.Z_FULL_FLUSH)
        return head + block * self.times + packer.compress(self.end) + packer.flush()


def plain(data: bytes) -> Inflating:
    return Inflating(data, b"", 0, b"")


def zip_file(members: dict[str, Inflating]) -> bytes:
    """A ZIP archive; checksums are left out, since whoever gets to them has read all."""
    data, directory = bytearray(), bytearray()
    for name, content in members.items():
        packed, encoded, place = content.deflated(), name.encode(), len(data)
        checksum = zlib.crc32(content.begin) if not content.times else 0
        sizes = struct.pack("<III", checksum, len(packed), content.length)
        common = struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes
        data += b"PK\3\4" + common + struct.pack("<HH", len(encoded), 0) + encoded + packed
        directory += b"PK\1\2" + struct.pack("<H", 20) + common
        directory += struct.pack("<HHHHHII", len(encoded), 0, 0, 0, 0, 0, place) + encoded
    count, start = len(members), len(data)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), start, 0)
    return bytes(data + directory + b"PK\5\6" + end)


def word_file(body: Inflating, **others: Inflating) -> bytes:
    """A Word document of that XML; ``others`` are further parts by name."""
    parts = {"[Content_Types].xml": plain(CONTENT_TYPES), "_rels/.rels": plain(RELATIONS)}
    return zip_file({**parts, "word/document.xml": body, **others})


def paragraphs(times: int) -> Inflating:
    block = b"<w:p><w:r><w:t>Wort</w:t></w:r></w:p>" * 10_000
    return Inflating(BODY_BEGIN, block, times, BODY_END)


def zip_bomb() -> bytes:
    """Inflates to 3.7 gigabytes of well-formed paragraphs."""
    return word_file(paragraphs(10_000))


def entity_bomb(count: int = 10) -> bytes:
    """Entities that each stand for ten of the one before."""
    names = [f"e{n}" for n in range(count)]
    entities = "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)
    )
    head = f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e0 "Wort">{entities}]>'.encode()
    body = b"<w:p><w:r><w:t>Wort &e%d;</w:t></w:r></w:p>" % (count - 1)
    return word_file(plain(head + BODY_BEGIN + body + BODY_END))


def nested_word_file() -> bytes:
    depth = 100_000
    opening, closing = b"<w:sdt><w:sdtContent>", b"</w:sdtContent></w:sdt>"
    inner = b"<w:p><w:r><w:t>Tief</w:t></w:r></w:p>"
    return word_file(plain(BODY_BEGIN + opening * depth + inner + closing * depth + BODY_END))


def deep_page_tree(depth: int = 20_000) -> bytes:
    """A chain of page tree nodes, each the only child of the one before."""
    chain_ = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (n + 3) for n in range(depth)]
    page = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 10 10] >>" % (depth + 1)
    return pdf_file([b"<< /Type /Catalog /Pages 2 0 R >>", *chain_, page])


def page_tree_in_a_circle() -> bytes:
    return pdf_file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2000000 >>",
            b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 1000000 >>",
        ]
    )


def page_with(content: bytes, extra: bytes = b"") -> bytes:
    """A PDF of one page that shows this stream (a whole object body)."""
    return pdf_file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources "
            b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> "
            b"%b >> >>" % extra,
            content,
        ]
    )


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), entries, content)


def nested_operators() -> bytes:
    depth = 300_000
    return page_with(stream(b"q " * depth + b"[" * depth + b"]" * depth + b" TJ " + b"Q " * depth))


def nested_dictionaries() -> bytes:
    depth = 300_000
    return page_with(stream(b""), b"/X " + b"<< /X " * depth + b"1" + b" >>" * depth)


def form_in_itself() -> bytes:
    """Every use of the form uses it again, twice."""
    entries = (
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 4 0 R >> >>"
    )
    return page_with(stream(b"/A Do /A Do", entries), b"/XObject << /A 4 0 R >>")


def many_pages_claimed(count: int) -> bytes:
    return make_pdf([lines(700, "Nur diese Seite.")]).replace(b"/Count 1", b"/Count %d" % count)


def pdf_bomb(show: bytes = b"BT /F1 10 Tf 9 9 Td (Wort) Tj ET\n") -> bytes:
    """A page whose content inflates, in two steps, to 3 gigabytes."""
    content = Inflating(b"", show * (MEGABYTE // len(show)), 3000, b"")
    packed = zlib.compress(b"\x78\xda" + content.deflated() + b"\0\0\0\0", 9)
    return page_with(stream(packed, b"/Filter [/FlateDecode /FlateDecode]"))


def filters_upon_filters() -> bytes:
    """A gigabyte of blanks, packed three times: a few hundred bytes."""
    content = Inflating(b"", b" " * MEGABYTE, 1000, b"")
    packed = b"\x78\xda" + content.deflated() + b"\0\0\0\0"
    packed = zlib.compress(zlib.compress(packed, 9), 9)
    return page_with(stream(packed, b"/Filter [/FlateDecode /FlateDecode /FlateDecode]"))


def encrypted_pdf(algorithm: str = "RC4-128") -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(make_pdf([lines(700, "Geheim")]))))
    writer.encrypt("password", algorithm=algorithm)
    return saved(writer.write)


def encrypted_docx() -> bytes:
    """The head of the OLE container in which Office keeps what is encrypted."""
    return bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504) + "EncryptedPackage".encode("utf-16-le")


def locked_docx() -> bytes:
    """An archive whose members are marked as encrypted."""
    data = good_docx("Ein Satz.")
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        parts = data.split(mark)
        data = mark.join([parts[0], *(flagged(part, place - 4) for part in parts[1:])])
    return data


def compound_file(stream: str) -> bytes:
    """A file of old Office programs, whose first sector lists a stream."""
    head = bytearray(512)
    head[:8] = bytes.fromhex("d0cf11e0a1b11ae1")
    head[30:32] = (9).to_bytes(2, "little")
    return bytes(head) + stream.encode("utf-16-le").ljust(512, b"\0")


def flagged(member: bytes, place: int) -> bytes:
    return member[:place] + bytes([member[place] | 1]) + member[place + 1 :]


def good_docx(*texts: str) -> bytes:
    document = docx.Document()
    for text in texts:
        document.add_paragraph(text)
    return saved(document.save)


def style_in_a_circle() -> bytes:
    """A paragraph whose style is based on one that is based on it."""
    document = docx.Document()
    one, other = (document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH) for name in "ab")
    one.base_style, other.base_style = other, one
    document.add_paragraph("Ein Satz.", style="a")
    return saved(document.save)


def saved(write: Callable[[BytesIO], object]) -> bytes:
    target = BytesIO()
    write(target)
    return target.getvalue()


def good_pdf() -> bytes:
    return make_pdf([lines(700, "Ein ganzer Satz auf einer Seite.")])


@dataclass(frozen=True)
class BadFile:
    """A file that cannot be ingested, with what must be said about it, and how to go on."""

    name: str
    content: Callable[[], bytes]
    fault: str
    way_out: str

    def write(self, folder: Path) -> Path:
        path = folder / self.name
        path.write_bytes(self.content())
        return path


BAD_FILES = (
    BadFile("zip-bomb.docx", zip_bomb, "unpacks to", "save it again"),
    BadFile("entity-bomb.docx", entity_bomb, "entity", "save it again"),
    BadFile("entity.docx", lambda: entity_bomb(2), "XML entities", "save it again"),
    BadFile("nested.docx", nested_word_file, "damaged", "save it again"),
    BadFile("cut-off.docx", lambda: good_docx("Ein Satz.")[:-2000], "damaged", "download it again"),
    BadFile("no-text.docx", good_docx, "no text", "nothing to ingest"),
    BadFile("encrypted.docx", encrypted_docx, "password", "without a password"),
    BadFile("page-tree.pdf", deep_page_tree, "damaged", "download it again"),
    BadFile("circle.pdf", page_tree_in_a_circle, "damaged", "download it again"),
    BadFile("operators.pdf", nested_operators, "no text layer", "text recognition"),
    BadFile("dictionaries.pdf", nested_dictionaries, "no text layer", "text recognition"),
    BadFile("form.pdf", form_in_itself, "out of memory", "split the document"),
    BadFile("inflating.pdf", pdf_bomb, "out of memory", "split the document"),
    BadFile(
        "paths.pdf", lambda: pdf_bomb(b"0 0 m 1 1 l S\n"), "out of memory", "split the document"
    ),
    BadFile("filters.pdf", filters_upon_filters, "out of memory", "split the document"),
    BadFile("pages.pdf", lambda: many_pages_claimed(1_000_000), "damaged", "download it again"),
    BadFile("encrypted.pdf", encrypted_pdf, "encrypted", "without a password"),
    BadFile("cut-off.pdf", lambda: good_pdf()[:300], "damaged", "download it again"),
    BadFile("head-only.pdf", lambda: PDF_HEAD, "damaged", "download it again"),
    BadFile("empty.pdf", lambda: b"", "is empty", "download it again"),
    BadFile("empty.docx", lambda: b"", "is empty", "download it again"),
    BadFile("empty.txt", lambda: b"", "is empty", "download it again"),
    BadFile("pdf.docx", good_pdf, "content is a PDF", "rename it to pdf.pdf"),
    BadFile("text.pdf", lambda: b"Nur Worte.", "content is plain text", "rename it to text.txt"),
    BadFile("docx.pdf", lambda: good_docx("Satz."), "a Word document", "rename it to docx.docx"),
    BadFile("binary.txt", lambda: bytes(range(256)) * 40, "binary", "UTF-8"),
    BadFile("program.txt", lambda: b"\x7fELF" + bytes(99), "a program", "Rabbithole reads"),
    BadFile("page.md", lambda: b"<!DOCTYPE html>\n<html><p>Wort</p></html>", "HTML", "page.html"),
    BadFile("rich.docx", lambda: b"{\\rtf1 Wort}", "RTF", "rename it to rich.rtf"),
    BadFile("old.doc", lambda: compound_file("WordDocument"), "old Office file", "as .docx"),
    BadFile("old.xls", lambda: compound_file("Workbook"), "old Office file", "as .xlsx"),
    BadFile("locked-2.docx", lambda: compound_file("EncryptedPackage"), "encrypted", "a password"),
    BadFile("locked.docx", locked_docx, "encrypted", "without a password"),
    BadFile("huge.txt", lambda: b"Wort \n" * 4_000_000, "characters", "split it"),
)

ODD_FILES = {
    "latin-1.txt": "Grüße aus Köln, für 20 €.".encode("cp1252"),
    "utf-16.txt": "\ufeffGrüße aus Köln.".encode("utf-16-le"),
    "brackets.md": b"# " + b"[" * 200_000,
    "rules.md": b"a\n---\n" * 100_000,
    "circle.docx": style_in_a_circle(),
    "claims-more-pages.pdf": many_pages_claimed(2**31 - 1),
    "\u00e4" * 120 + ".txt": b"Ein Satz in einer Datei mit langem Namen.",
}
"""Strange, but there is a text in them."""
