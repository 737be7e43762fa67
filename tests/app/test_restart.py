"""``curl`` follows a research over the end of its server and the next one's beginning."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agent.engine.engine import connect
from services.settings import Settings
from tests.support.app_server import ROOT, free_port
from tests.support.desk import QUESTION
from tests.support.shell import Shell
from tests.support.waiting import answers, until

CURL = shutil.which("curl")


class Server:
    """``rabbithole api`` as a process of its own."""

    def __init__(self, shell: Shell) -> None:
        self._env = {**os.environ, "RABBITHOLE_HOME": str(shell.home), "RABBITHOLE_LLM": "none"}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "app.cli.main", "api", "--port", str(self.port)]
        self._process = subprocess.Popen(command, env=self._env, cwd=ROOT)
        until(lambda: answers(f"{self.url}/readyz"))

    def end(self, by: signal.Signals) -> None:
        self._process.send_signal(by)
        self._process.wait(30)


def followed(url: str, token: str, last: str = "") -> Iterator[tuple[str, str]]:
    """Number and kind of each event that ``curl`` writes; no number for ``end``."""
    going_on = ["-H", f"Last-Event-ID: {last}"] if last else []
    command = [str(CURL), "-sN", "-H", f"Authorization: Bearer {token}", *going_on, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as curl:
        assert curl.stdout is not None
        number = ""
        for line in curl.stdout:
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "id":
                number = value
            elif name == "event":
                yield number, value
                number = ""


@pytest.mark.slow
@pytest.mark.skipif(CURL is None, reason="needs curl; on Debian: apt-get install curl")
def test_curl_goes_on_where_it_was_cut_off(own_shell: Shell) -> None:
    token = own_shell.json("tokens", "create", "curl", "--scope", "write")["token"]
    server = Server(own_shell)
    server.start()
    heard = {}
    for by in (signal.SIGTERM, signal.SIGKILL):
        thread, told = over_a_restart(server, token, by)
        assert told.pop() == ("", "end") and told[-1][1] == "run_finished"
        heard[thread] = [int(number) for number, _ in told]
    server.end(signal.SIGTERM)
    with connect(Settings(home=own_shell.home, llm="none")) as engine:
        for thread, numbers in heard.items():
            assert numbers == sorted(set(numbers)), "an event came twice, or out of order"
            log = {record.seq for record in engine.threads.events(thread)}
            assert log <= set(numbers), "an event was lost"


def over_a_restart(
    server: Server, token: str, by: signal.Signals
) -> tuple[str, list[tuple[str, str]]]:
    """A research whose server ends amid its search and begins again, with what ``curl`` heard."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=60) as http:

        def post(path: str, **body: Any) -> dict[str, Any]:
            return http.post(path, json=body).raise_for_status().json()

        thread = post("research", question=QUESTION, options={"clarify": False})["thread_id"]
        events = f"{server.url}/api/v1/runs/{thread}/events"
        heard = list(followed(events, token))
        assert heard.pop() == ("", "end")
        pending = http.get(f"runs/{thread}").json()["pending"]
        post(f"runs/{thread}/approve", interrupt_id=pending["interrupt_id"])
        for told in followed(events, token, heard[-1][0]):
            heard.append(told)
            if told[1] == "plan_approved":
                server.end(by)
        server.start()
        heard = [each for each in heard if each[0]]
        if http.get(f"runs/{thread}").json()["status"] != "done":
            post(f"runs/{thread}/resume")
        return thread, heard + list(followed(events, token, heard[-1][0]))
