from services.language.query import understand


def test_everything_in_one_value() -> None:
    found = understand(
        "Worin unterscheiden sich § 17 und § 19 StrlSchG seit 2018, und wer ist zuständig?"
    )
    assert found.language == "de"
    assert found.classification.type == "comparative"
    assert {"§ 17", "§ 19", "StrlSchG"} <= set(found.classification.entities)
    assert len(found.subquestions) == 2
    assert found.dates is not None
    assert found.dates.since is not None
    assert found.scan is None
    assert not found.about_database
    assert found.complexity.level in ("moderate", "complex")


def test_a_question_about_the_store_is_no_scan() -> None:
    found = understand("How many documents are there?")
    assert found.about_database
    assert found.scan is None


def test_thresholds_of_the_collection_decide_the_level() -> None:
    question = "Wie unterscheiden sich Anzeige und Genehmigung?"
    usual = understand(question)
    lowered = understand(question, enhanced=0.1, agent=0.2)
    assert lowered.complexity.score == usual.complexity.score
    assert (usual.complexity.level, lowered.complexity.level) == ("moderate", "complex")
