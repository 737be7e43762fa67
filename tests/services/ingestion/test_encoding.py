"""Encodings that are declared wrongly or not at all, and letters that no language has."""

from contextlib import closing
from pathlib import Path

import pytest

from services.domain.errors import UnreadableDocument
from services.ingestion.parse import FileParser
from services.ingestion.parsers.encoding import decode, decode_part
from services.ingestion.worker import parse
from services.language.legibility import is_legible
from services.settings import Settings

GERMAN = "Größe: 20 mSv – „Grenzwert“"
TEXTS = {
    "cp1251": "Срок уведомления составляет три месяца. Аренда оплачивается вперёд.",
    "koi8_r": "Велосипеды хранятся в подвале. Тишина начинается в десять часов вечера.",
    "cp1250": "Okres wypowiedzenia wynosi trzy miesiące. Czynsz płaci się z góry każdego miesiąca.",
    "cp1253": "Η προθεσμία ειδοποίησης είναι τρεις μήνες και το ενοίκιο πληρώνεται πριν.",
    "euc_jp": "解約の通知は三か月前までに行うものとします。家賃は毎月前払いです。",
    "gb18030": "通知期限为三个月，租金应在每月月初预付。请将钥匙交给门卫。",
    "cp855": "Велосипеды хранятся в подвале. Тишина начинается в десять часов вечера.",
    "mac_cyrillic": "Срок уведомления составляет три месяца. Аренда оплачивается вперёд.",
    "iso8859_6": "مدة الإشعار ثلاثة أشهر ويدفع الإيجار مقدما في بداية كل شهر من السنة",
    "big5hkscs": "通知期限為三個月，租金應於每月月初預付。請將鑰匙交給門衛。",
    "cp850": "Die Kündigungsfrist beträgt drei Monate. Die Miete ist im Voraus fällig.",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_usual_encodings_need_no_warning(encoding: str) -> None:
    assert decode(GERMAN.encode(encoding)) == (GERMAN, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_need_no_mark(encoding: str, tmp_path: Path) -> None:
    for text in ("The delivery: 20 Mai „heute“", TEXTS["cp1251"], TEXTS["gb18030"] + " 1\n"):
        assert decode(text.encode(encoding)) == (text, ())
    (tmp_path / "a.eml").write_bytes(f"Subject: Delivery\n\n{GERMAN}".encode(encoding))
    assert parse(tmp_path / "a.eml").title == "Delivery"


@pytest.mark.parametrize("encoding", TEXTS)
def test_an_encoding_is_detected_by_the_language_of_its_reading(encoding: str) -> None:
    data = TEXTS[encoding].encode(encoding)
    assert decode(data).text == TEXTS[encoding]
    read, (warning,) = decode_part(data, "iso-8859-1")
    assert read == TEXTS[encoding] and "declared as iso-8859-1" in str(warning)


@pytest.mark.parametrize(
    ("text", "declared"), [("год", "windows-1251"), ("İyi günler", "iso-8859-9")]
)
def test_a_declaration_decides_where_letters_do_not(text: str, declared: str) -> None:
    assert decode_part(text.encode(declared), declared).text == text


@pytest.mark.parametrize("encoding", ["iso2022_jp", "iso2022_kr"])
def test_escapes_tell_an_encoding_of_seven_bits(encoding: str) -> None:
    text = TEXTS["euc_jp"] if encoding == "iso2022_jp" else "해지 통지는 석 달 전까지 한다."
    assert decode(text.encode(encoding)) == (text, ())


@pytest.mark.parametrize("text", ["“Hello”, he said – and the owner’s dog went.", "It’s late …"])
def test_quotation_marks_of_windows_need_no_warning(text: str) -> None:
    assert decode(text.encode("cp1252")) == (text, ())


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("année;prix\n2001;5 €\n", "iso8859_15"),
        ("name;preis\nMüller;5\n", "mac_roman"),
        ("Größe: 20 mSv", "cp850"),
        ("имя;цена\nИван;5\n", "koi8_r"),
        ("<title>感謝再感謝</title>", "big5hkscs"),
    ],
)
def test_a_table_of_few_letters_is_right_or_doubted(text: str, encoding: str) -> None:
    read, warnings = decode(text.encode(encoding))
    assert read == text or warnings


EBCDIC = "The tenant pays a deposit of two monthly rents.".encode("cp500")


@pytest.mark.parametrize("data", [b"a\x00b", b"\xff\xfe\x00", b"\x01\x02\x03abc", EBCDIC])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="binary"):
        decode(data)


def test_two_signs_are_too_few_to_be_certain() -> None:
    text, warnings = decode("Łódź".encode("cp1250"))
    assert text == "Łódź" or warnings


@pytest.mark.parametrize("lost", ["GebÃ¼hr: fÃ¼nf Euro", "Geb\ufffdhr: f\ufffdnf Euro"])
def test_letters_that_were_lost_before_are_named(lost: str) -> None:
    assert decode(lost.encode()).warnings


def test_capitals_beside_quotation_marks_are_no_damage() -> None:
    assert not decode("Le «CAFÉ» de SÃO PAULO".encode()).warnings


def test_pages_and_mails_are_read_in_their_real_encoding(tmp_path: Path) -> None:
    text = TEXTS["cp1251"]
    (tmp_path / "a.html").write_bytes(f'<meta charset="utf-8"><p>{text}</p>'.encode("cp1251"))
    head = b"Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 8bit\n\n"
    (tmp_path / "a.eml").write_bytes(b"Subject: " + GERMAN.encode() + b"\n" + head + text.encode())
    page, message = parse(tmp_path / "a.html"), parse(tmp_path / "a.eml")
    assert text in page.text and page.warnings
    assert text in message.text and message.title == GERMAN


@pytest.mark.parametrize(
    "text", ["\ue001\ue002\ue003 \uf0b7", "\ufffd\ufffd\ufffd lost", "\x04\x05 \x06"]
)
def test_private_and_lost_characters_are_no_text(text: str) -> None:
    assert not is_legible(text)


def test_tables_lists_and_other_scripts_are_text() -> None:
    for text in (*TEXTS.values(), "A1 3.5 kg\nA2 4.0 kg\n" * 30, "東京タワーのカフェ" * 30, ""):
        assert is_legible(text)


def test_a_confined_process_tells_encodings_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXTS["cp1251"].encode("cp1251"))
    with closing(FileParser(Settings())) as parser:
        assert parser(tmp_path / "a.txt").text.strip() == TEXTS["cp1251"]
