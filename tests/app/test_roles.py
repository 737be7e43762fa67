"""Every page for every role: who is offered what, on a real desk with one owner.

``local`` is who sits at a browser on the machine itself without any account.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from services.domain import Principal
from tests.support.desk import LAW, QUESTION, ask, make_services, until_ended
from tests.support.library_window import keys, shown
from tests.support.pages import open_app, texts_of

LOCAL = Principal()
BEN = Principal(user="ben")
NAMED = Principal(user="anna")
"""Named in ``RABBITHOLE_ADMINS``: sets values and locks, reads nothing of others."""
ADMIN = Principal(user="root", role="admin")
ROLES = pytest.mark.parametrize(
    "who", [LOCAL, BEN, NAMED, ADMIN], ids=["local", "user", "named", "admin"]
)
CHANGING = {"files-0", "rename", "share", "delete", "remove", "edit", "check", "rebuild"}
SECTIONS = ("models", "parameters", "program")


@dataclass(frozen=True)
class Desk:
    """What ``local`` owns: a private and a public collection, and a finished thread."""

    client: Engine
    private: str
    public: str
    secret: str
    open: str
    thread: str

    def window(self, who: Principal, page: str = "ask", **where: str) -> AppTest:
        """A new window of somebody on a page, at the place that the address names."""
        return shown(open_app(self.client.acting_as(who), page=page, **where))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    home = tmp_path_factory.mktemp("desk")
    services = make_services(home)
    settings = services.settings.model_copy(update={"admins": ("local", "anna")})
    with (
        pytest.MonkeyPatch.context() as patch,
        connect_to(services.replaced(settings), LOCAL) as client,
    ):
        patch.setenv("RABBITHOLE_HOME", str(home))
        yield _filled(client, home)


def _filled(client: Engine, home: Path) -> Desk:
    for name, text in (("geheim", LAW), ("offen", LAW.replace("85", "86"))):
        (home / f"{name}.txt").write_text(text, encoding="utf-8")
        client.library.ingest([home / f"{name}.txt"], name)
    client.library.change_collection("offen", visibility="public")
    options = RunOptions(clarify=False, approve_plan=False)
    thread = client.threads.start(QUESTION, collections=["geheim"], options=options)
    assert until_ended(client, thread) == "done"
    return Desk(
        client,
        private=client.library.collection("geheim").collection_id,
        public=client.library.collection("offen").collection_id,
        secret=client.library.documents("geheim")[0].document_id,
        open=client.library.documents("offen")[0].document_id,
        thread=thread,
    )


def sees_all(who: Principal) -> bool:
    return who in (LOCAL, ADMIN)


@ROLES
def test_a_new_session_offers_what_one_may_read(desk: Desk, who: Principal) -> None:
    at = desk.window(who)
    assert not at.error and at.chat_input(key="question")
    ticks = {each.label for each in at.checkbox if str(each.key).startswith("box-in-")}
    assert ticks == ({"geheim", "offen"} if sees_all(who) else set()), "one needs no choice"
    assert "offen" in texts_of(at) and ("geheim" in texts_of(at)) == sees_all(who)
    assert (f"show-{desk.thread}" in keys(at)) == sees_all(who)


@ROLES
def test_a_thread_is_its_owners_and_the_administrators(desk: Desk, who: Principal) -> None:
    report = desk.window(who, thread=desk.thread)
    replay = desk.window(who, "runs", replay=desk.thread)
    listed = desk.window(who, "runs")
    assert not listed.error and (f"show-{desk.thread}" in keys(listed)) == sees_all(who)
    if sees_all(who):
        assert re.search(r"\d Zitate?", texts_of(report))
        assert f"replay-{desk.thread}-on" in keys(replay)
    for at in () if sees_all(who) else (report, replay):
        assert at.warning and QUESTION not in texts_of(at)


@pytest.mark.parametrize("kind", ["research", "conversation"])
def test_nobody_takes_the_vote_of_another_for_their_own(desk: Desk, kind: str) -> None:
    answers = desk.client.answers
    thread = desk.thread if kind == "research" else ask(desk.client, QUESTION)["thread_id"]
    answers.vote(thread, up=True, turn=1)
    thumbs = {who.user: desk.window(who, thread=thread).feedback[0].value for who in (LOCAL, ADMIN)}
    assert thumbs == {LOCAL.user: 1, ADMIN.user: None}


@ROLES
def test_a_document_is_read_by_who_reads_its_collection(desk: Desk, who: Principal) -> None:
    assert "86 Dezibel" in texts_of(desk.window(who, "document", doc=desk.open, section="1"))
    secret = desk.window(who, "document", doc=desk.secret, section="1")
    assert ("85 Dezibel" in texts_of(secret)) == sees_all(who)
    if not sees_all(who):
        plain = secret.error[0].value.replace("\\", "")
        assert "gibt es nicht, oder Sie dürfen es nicht lesen" in plain
    at = desk.window(who, "library", collection=desk.private)
    assert ("geheim" in texts_of(at)) == sees_all(who)
    assert ("collection" in at.query_params) == sees_all(who), "the page forgets the address"


@ROLES
def test_readers_of_a_collection_change_nothing(desk: Desk, who: Principal) -> None:
    offered: set[str] = set()
    for view in ("documents", "search", "graph", "health", "manage"):
        at = desk.window(who, "library", collection=desk.public, view=view, doc=desk.open)
        assert not at.error
        offered |= keys(at)
    assert offered & CHANGING == (CHANGING if sees_all(who) else set())
    assert {"search", "export"} <= offered
    choices = at.selectbox(key="new-visibility").options
    assert ("zentral gepflegt" in choices) == (who == ADMIN)


@ROLES
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_of_the_settings_opens(desk: Desk, who: Principal, section: str) -> None:
    at = desk.window(who, "settings", section=section)
    at.session_state["expert"] = True
    at.run()
    assert not at.error
    locks = {key for key in keys(at) if key.startswith("lock-")}
    admin = who != BEN
    assert bool(locks) == (admin and section == "parameters")
    if section == "program":
        assert ("exit" in keys(at)) == admin
        assert f"**{who.user}**" in texts_of(at)
        assert ("Administrator: Sie können" in texts_of(at)) == (who == ADMIN)
