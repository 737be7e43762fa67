"""`rabbithole review`: decide about the doubtful sentences of an answer, and sign it off."""

from typing import Any

import click
from pydantic_core import to_jsonable_python

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown
from app.formats import one_line

SHOWN = 160


@click.command()
@click.argument("thread")
@click.option("--turn", default=1, help="Which answer of a conversation.")
@click.option("--accept", type=int, metavar="N", help="Accept sentence N as it is.")
@click.option("--quote", type=int, metavar="N", help="Replace it by its quote.")
@click.option("--edit", type=(int, str), metavar="N TEXT", help="Replace it by these words.")
@click.option("--remove", type=int, metavar="N", help="Take it out.")
@click.option("--reopen", type=int, metavar="N", help="Undo the decision.")
@click.option("--note", type=(int, str), metavar="N TEXT", help="Add a note to any sentence.")
@click.option("--sign", is_flag=True, help="Sign the answer off, once all is decided.")
@of_engine()
def review(
    engine: Engine,
    thread: str,
    turn: int,
    edit: tuple[int, str] | None,
    note: tuple[int, str] | None,
    sign: bool,
    **decided: int | None,
) -> Shown:
    """Review the doubtful sentences of an answer, and sign it off.

    Without options they are listed by number.
    """
    numbers = {"open": decided.pop("reopen"), **decided}
    for name, number in numbers.items():
        if number is not None:
            engine.reviews.decide(thread, number, name, turn=turn)  # type: ignore[arg-type]
    if edit is not None:
        engine.reviews.decide(thread, edit[0], "edit", edit[1], turn)
    if note is not None:
        engine.reviews.decide(thread, note[0], "note", note[1], turn)
    if sign:
        engine.reviews.sign(thread, turn)
    value = to_jsonable_python(engine.reviews.listed(thread, turn))
    return Shown(value, lambda: _text(value))


def _text(value: dict[str, Any]) -> str:
    lines = []
    for each in value["sentences"]:
        lines.append(f"{each['n']:>3} {each['standing']:<12} {one_line(each['text'], SHOWN)}")
        if each["reason"]:
            lines.append(f"    {one_line(each['reason'], SHOWN)}")
        if done := each["review"]:
            lines.append(f"    -> {done['decision']} by {done['user']}, {done['at'][:10]}")
    for note in value["notes"]:
        lines.append(
            f"{note['sentence']:>3} note by {note['user']}: {one_line(note['text'], SHOWN)}"
        )
    signed = value["signed"]
    end = f"signed by {signed['user']}, {signed['at'][:10]}" if signed else "not signed"
    return "\n".join([*lines, f"{len(value['open'])} to decide, {end}"])
