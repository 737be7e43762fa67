"""What people wrote into a PDF later: the values of its fields, and comments on its pages."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfPage

from services.ingestion.extraction import clean

_CHECKED, _UNCHECKED = "\u2612", "\u2610"
_BOXES: Final = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_TEXTS: Final = (
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
)
_COMMENTS: Final = frozenset(
    {
        pdfium.FPDF_ANNOT_CARET,
        pdfium.FPDF_ANNOT_FREETEXT,
        pdfium.FPDF_ANNOT_HIGHLIGHT,
        pdfium.FPDF_ANNOT_SQUIGGLY,
        pdfium.FPDF_ANNOT_STRIKEOUT,
        pdfium.FPDF_ANNOT_TEXT,
        pdfium.FPDF_ANNOT_UNDERLINE,
    }
)
_HIDDEN: Final = 2 | 32
"""The flags Hidden and NoView of an annotation (PDF 32000-1, table 165)."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """What a field of a form holds, in one line, and its box in the page's own points."""

    text: str
    box: tuple[float, float, float, float]


def read_notes(document: PdfDocument, page: PdfPage) -> tuple[list[FieldValue], int]:
    """Return the filled fields and all boxes to tick of a page, and the number of its comments.

    Fields are read where the document's forms were initialised before.
    """
    values, comments = [], 0
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        kind = pdfium.FPDFAnnot_GetSubtype(note)
        comments += kind in _COMMENTS and bool(
            _string(pdfium.FPDFAnnot_GetStringValue, note, b"Contents")
        )
        if kind == pdfium.FPDF_ANNOT_WIDGET and document.formenv:
            text = _value(document.formenv.raw, note)
            if text and not pdfium.FPDFAnnot_GetFlags(note) & _HIDDEN:
                box = pdfium.FS_RECTF()
                pdfium.FPDFAnnot_GetRect(note, box)
                values.append(FieldValue(text, (box.left, box.bottom, box.right, box.top)))
        pdfium.FPDFPage_CloseAnnot(note)
    return values, comments


def _value(form: pdfium.FPDF_FORMHANDLE, field: pdfium.FPDF_ANNOTATION) -> str:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, field)
    if kind in _BOXES:
        return _CHECKED if pdfium.FPDFAnnot_IsChecked(form, field) else _UNCHECKED
    if kind in _TEXTS:
        return _string(pdfium.FPDFAnnot_GetFormFieldValue, form, field)
    return ""


def _string(get: Callable[..., int], *arguments: object) -> str:
    """Return what a function of PDFium writes in UTF-16 into a buffer, in one line."""
    size = get(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size)
    get(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return " ".join(clean(buffer.raw[:size].decode("utf-16-le", "replace").rstrip("\0")).split())


def attached_names(document: PdfDocument) -> list[str]:
    """Return the names of the files that are attached to a document."""
    count = pdfium.FPDFDoc_GetAttachmentCount(document.raw)
    files = (pdfium.FPDFDoc_GetAttachment(document.raw, index) for index in range(count))
    return [_string(pdfium.FPDFAttachment_GetName, file) for file in files]
