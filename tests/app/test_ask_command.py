"""``rabbithole ask``: what it prints, and how it goes on."""

from tests.support.shell import Shell

QUESTION = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"


def test_the_answer_names_its_depth_and_its_verified_citation(shell: Shell) -> None:
    turn = shell.json("ask", QUESTION, "--collection", "laerm", "-k", 4, "--depth", "enhanced")
    assert (turn["depth"], turn["reason"]) == ("enhanced", "chosen by the user")
    (citation,) = turn["sentences"][0]["citations"]
    assert citation["section"] == "§ 2" and citation["verified"]


def test_a_conversation_goes_on_and_is_explained_and_listed(shell: Shell) -> None:
    thread = shell.json("ask", QUESTION, "--thread", "talk")["thread_id"]
    assert thread == "talk"
    said = shell.run("ask", "und für Auszubildende?", "--thread", "talk", "--explain").stdout
    assert "80 Dezibel" in said and "[1] " in said and "thread talk" in said
    assert "Understood as: und für Auszubildende?" in said and "Cache: " in said
    assert "Depth enhanced: score 0.428 is 0.35 or more." in said
    assert "ask " in shell.run("runs", "list").stdout
    shown = shell.run("runs", "show", "talk").stdout
    assert f"? {QUESTION}" in shown and "? und für Auszubildende?" in shown


def test_a_vote_is_kept_with_route_and_score(shell: Shell) -> None:
    thread = shell.json("ask", QUESTION)["thread_id"]
    vote = shell.json("feedback", thread, "down", "Die Ausnahme fehlt.")
    assert (vote["turn"], vote["up"], vote["text"]) == (1, False, "Die Ausnahme fehlt.")
    assert vote["route"] == vote["depth"] == "fast"
    assert vote["thresholds"]["fast"]["value"] == 0.35
    assert "threshold fast 0.35" in shell.run("feedback", thread, "up").stdout
    assert "no answer with that number" in shell.error("feedback", thread, "up", "--turn", 7)


def test_thresholds_are_shown_held_and_reset(shell: Shell) -> None:
    (row,) = shell.json("config", "thresholds")["thresholds"]
    assert (row["fast"]["value"], row["fast"]["origin"]) == (0.35, "default")
    name = row["collection"]
    (held,) = shell.json("config", "thresholds", name, "--lock")["thresholds"]
    assert held["agent"]["origin"] == "held"
    assert "0.55 (locked for this collection)" in shell.run("config", "thresholds").stdout
    (free,) = shell.json("config", "thresholds", name, "--unlock")["thresholds"]
    assert free["fast"]["origin"] == "default"
    assert shell.json("config", "thresholds", name, "--reset")["thresholds"][0]["fast"]["ups"] == 0


def test_thresholds_of_collections_of_one_name_are_told_apart(shell: Shell) -> None:
    (name,) = (row["collection"] for row in shell.json("config", "thresholds")["thresholds"])
    shell.json("collections", "share", name, "--visibility", "public")
    made = shell.json("collections", "create", name, "--user", "ben")["collection_id"]
    shell.json("config", "thresholds", made, "--lock", "--user", "ben")
    rows = shell.json("config", "thresholds", "--user", "ben")["thresholds"]
    assert {row["collection"]: row["fast"]["origin"] for row in rows}.pop(made) == "held"
    assert len(rows) == 2
