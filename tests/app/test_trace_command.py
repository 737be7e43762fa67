"""`rabbithole trace` and `verify` over a real home without a language model."""

import json
from pathlib import Path

from tests.support.desk import QUESTION
from tests.support.shell import Shell


def test_an_answer_is_traced_replayed_and_verified(shell: Shell, tmp_path: Path) -> None:
    thread = shell.json("ask", QUESTION, "--collection", "laerm")["thread_id"]
    file = tmp_path / "trace.json"
    told = shell.json("trace", "export", thread, "-o", file)
    assert (told["thread_id"], told["replies"]) == (thread, 0)
    assert shell.json("trace", "replay", file)["identical"] is True
    found = shell.json("verify", file, "--documents", shell.home.parent)
    assert found["ok"] and found["checked"] > 0

    trace = json.loads(file.read_text(encoding="utf-8"))
    trace["report"]["turns"][0]["answer"] += "\x1b[31m"
    file.write_text(json.dumps(trace), encoding="utf-8")
    different = shell.run("trace", "replay", file)
    assert different.exit_code == 1
    assert "different: turn 1: the answer differs" in different.stdout
    assert "\x1b" not in different.stdout
    assert shell.run("trace", "export", thread, "-o", file).exit_code == 1  # it exists


def test_a_printed_trace_steers_no_terminal(shell: Shell) -> None:
    hidden = "\u202e"
    thread = shell.json("ask", f"{QUESTION} {hidden}", "--collection", "laerm")["thread_id"]
    printed = shell.run("trace", "export", thread).stdout
    assert hidden not in printed
    assert hidden in json.dumps(json.loads(printed), ensure_ascii=False), "and nothing is lost"
