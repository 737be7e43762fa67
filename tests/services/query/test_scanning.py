import pytest

from services.query.scanning import about_database, about_threshold, scan_wish


@pytest.mark.parametrize(
    ("question", "language", "wanted", "unit", "term"),
    [
        (
            "In wie vielen Paragraphen des Strahlenschutzgesetzes kommt das Wort Freigrenze vor?",
            "de", "count", "section", "Freigrenze",
        ),
        ("Wie oft kommt „Dosis“ im Gesetz vor?", "de", "count", "occurrence", "Dosis"),
        ("Welche Paragraphen erwähnen die Freigrenze?", "de", "list", "section", "Freigrenze"),
        ("Wie viele Dokumente erwähnen Radon?", "de", "count", "document", "Radon"),
        (
            "Liste alle Paragraphen auf, in denen Freigrenze vorkommt",
            "de", "list", "section", "Freigrenze",
        ),
        ("Nenne alle Stellen, an denen Radon erwähnt wird", "de", "list", "passage", "Radon"),
        ("Where is radon mentioned?", "en", "list", "passage", "radon"),
        ("Où le mot radon apparaît-il ?", "fr", "list", "passage", "radon"),
        ("Which sections mention radon?", "en", "list", "section", "radon"),
        ("List all sections that mention radon.", "en", "list", "section", "radon"),
        ("How many sections mention the word exemption?", "en", "count", "section", "exemption"),
        (
            "How many times does the word “dose” occur in the act?",
            "en", "count", "occurrence", "dose",
        ),
        ("Dans combien d'articles le mot seuil apparaît-il ?", "fr", "count", "section", "seuil"),
        ("Quels articles mentionnent le radon ?", "fr", "list", "section", "radon"),
        (
            "¿Cuántas veces aparece la palabra dosis en la ley?",
            "es", "count", "occurrence", "dosis",
        ),
        ("¿Qué artículos mencionan el radón?", "es", "list", "section", "radón"),
    ],
)  # fmt: skip
def test_a_word_to_look_for(
    question: str, language: str, wanted: str, unit: str, term: str
) -> None:
    found = scan_wish(question, language)
    assert found is not None
    assert (found.wanted, found.unit, found.term) == (wanted, unit, term)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Welche Abschnitte erwähnen weder Radon noch Thoron?", "de"),
        ("Which of our contracts contain a penalty?", "en"),
        ("Welche Vorschriften setzen auf der Rechtfertigung auf?", "de"),
        ("List all clauses under which the tenant has to pay for repairs", "en"),
    ],
)
def test_where_only_meaning_can_tell_there_is_no_term(question: str, language: str) -> None:
    found = scan_wish(question, language)
    assert found is not None
    assert found.term is None


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie hoch ist der Grenzwert?", "de"),
        ("How many patients left the trial?", "en"),
        ("Wie oft ist der Strahler zu prüfen?", "de"),
        ("À quels articles renvoie l'annexe 13-7 ?", "fr"),
        ("What is radon?", "en"),
    ],
)
def test_what_one_place_settles_is_no_scan(question: str, language: str) -> None:
    assert scan_wish(question, language) is None


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How many documents are there?", "en"),
        ("Is the 2019 safety report already loaded?", "en"),
        ("Hast du den Bericht schon eingelesen?", "de"),
        ("Ist das Gesetz schon gespeichert?", "de"),
        ("Wurde die Verordnung eingelesen?", "de"),
        ("Liste alle Dokumente auf", "de"),
        ("Wie viele Dokumente habe ich?", "de"),
        ("Was für Dateien sind hier drin?", "de"),
        ("Worum geht es in den Dokumenten?", "de"),
        ("What's in my documents?", "en"),
        ("Quels documents sont disponibles ?", "fr"),
        ("Show me the documents uploaded last week.", "en"),
        ("Est-ce que le rapport annuel a bien été importé ?", "fr"),
        ("¿Has guardado el informe de 2019?", "es"),
        ("¿Qué archivos hay en la colección?", "es"),
    ],
)
def test_about_the_store(question: str, language: str) -> None:
    assert about_database(question, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How many documents mention radon?", "en"),
        ("Wie viele Dokumente in der Sammlung erwähnen Radon?", "de"),
        ("Which contracts were signed in 2019?", "en"),
        ("Was steht im Dokument über Fristen?", "de"),
        ("Was steht in den Unterlagen zum Bußgeld?", "de"),
        ("Welche Unterlagen sind vorzulegen?", "de"),
        ("Where is the world's fresh water stored?", "en"),
        ("How much iodine was ingested?", "en"),
        ("Wie lange werden Daten im Strahlenschutzregister gespeichert?", "de"),
        ("Wann wird radioaktiver Abfall importiert?", "de"),
        ("Où les déchets sont-ils enregistrés ?", "fr"),
        ("¿Dónde se han almacenado los residuos?", "es"),
    ],
)
def test_what_documents_say_is_not_about_the_store(question: str, language: str) -> None:
    assert not about_database(question, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Above what value must the authority be informed?", "en"),
        ("Ab welcher Dosis gilt ein Raum als Sperrbereich?", "de"),
        ("Was gilt, wenn der Grenzwert überschritten wird?", "de"),
        ("Au-delà de quel montant faut-il un appel d'offres ?", "fr"),
        ("¿A partir de qué dosis se clasifica a un trabajador?", "es"),
    ],
)
def test_thresholds(question: str, language: str) -> None:
    assert about_threshold(question, language)


def test_a_plain_value_is_no_threshold() -> None:
    assert not about_threshold("Wie hoch ist der Grenzwert der Dosis?", "de")
