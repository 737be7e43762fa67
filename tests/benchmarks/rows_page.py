"""The page of the founding rows, written from what ``tests.benchmarks.rows`` kept."""

from collections.abc import Iterator, Mapping
from typing import Any

Row = dict[str, Any]
Results = Mapping[str, Mapping[str, Row]]
"""By model: what came of each row."""

SHOWN = 220
HEAD = """# The founding rows, run

Every row of the founding design with the commands, pages and calls that show it, what they printed
and the tests that hold it. `python -m tests.benchmarks.rows --home DIR --out ROWS.md` ran all
of it in a fresh home for each of the models below and judged each row by the assertions in
`tests/benchmarks/data/rows.yaml`. A row *holds* if all of them are true and its tests exist; *in
part* says what it still waits for.
"""


def page_of(table: Row, results: Results) -> str:
    rows = [row for row in table["rows"] if any(row["id"] in each for each in results.values())]
    parts = [HEAD, summary(rows, results), overview(rows, results)]
    parts += ["## Setup\n", *steps_of("setup", results)]
    for row in rows:
        parts += [f"## {row['id']} {row['promise']}\n", *section(row, results)]
    return "\n".join(parts).rstrip() + "\n"


def verdict(row: Row, result: Row | None) -> str:
    if result is None:
        return ""
    if result["failed"]:
        return "**does not hold**"
    if later := row.get("later"):
        return "in part" if row.get("do") else f"not begun ({later})"
    return "holds"


def summary(rows: list[Row], results: Results) -> str:
    lines = []
    for llm, came in results.items():
        verdicts = [verdict(row, came.get(row["id"])).partition(" (")[0] for row in rows]
        counts = {name: verdicts.count(name) for name in dict.fromkeys(verdicts) if name}
        seconds = sum(result["seconds"] for result in came.values())
        told = ", ".join(f"{count} {name.strip('*')}" for name, count in counts.items())
        lines.append(f"- `RABBITHOLE_LLM={llm}`: {told}; {seconds / 60:.1f} minutes")
    return "\n".join([*lines, ""])


def overview(rows: list[Row], results: Results) -> str:
    heads = [*(f"{llm} | s" for llm in results)]
    lines = [f"| row | what | {' | '.join(heads)} |", f"|---|---|{'---|---|' * len(heads)}"]
    for row in rows:
        cells = []
        for came in results.values():
            result = came.get(row["id"])
            cells += [verdict(row, result), f"{result['seconds']:.0f}" if result else ""]
        name = f"[{row['id']}](#{anchor(row)})"
        lines.append(f"| {name} | {cell(row['promise'])} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def anchor(row: Row) -> str:
    """The address of a row's heading, as code hosts make it."""
    kept = (c for c in f"{row['id']} {row['promise']}".lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")


def section(row: Row, results: Results) -> Iterator[str]:
    yield from steps_of(row["id"], results)
    for llm, came in results.items():
        result = came.get(row["id"])
        for failed in result["failed"] if result else ():
            yield f"- with `{llm}` not as it must be: `{plainly(failed)}`"
    if row.get("later"):
        yield f"- waits for: {row['later']}"
    if row.get("note"):
        yield f"- {row['note']}"
    tests = ", ".join(f"`{each.removeprefix('tests/')}`" for each in row.get("tests", ()))
    yield f"- tests: {tests or 'none yet'}\n"


def steps_of(name: str, results: Results) -> Iterator[str]:
    """The steps of a row; where models differ, what came with each."""
    by_model = {llm: came[name]["steps"] for llm, came in results.items() if name in came}
    if not by_model:
        return
    longest = max(by_model.values(), key=len)
    for number, step in enumerate(longest):
        if not step["words"]:
            continue
        yield f"```console\n{prompt(step['words'])}\n```"
        others = {llm: steps[number] for llm, steps in by_model.items() if number < len(steps)}
        for label, value in step["shown"].items():
            told = {llm: each["shown"].get(label, "") for llm, each in others.items()}
            if len(set(told.values())) == 1:
                yield f"- {label}: {short(value)}"
            else:
                yield f"- {label}: " + "; ".join(f"*{k}* {short(v)}" for k, v in told.items())
        yield ""


def short(text: str) -> str:
    plain = cell(text)
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"


def prompt(words: str) -> str:
    """A step as in a transcript: what is shown here was run, and is no example to try."""
    return f"$ {words}" if words.startswith("rabbithole") else words


def plainly(text: str) -> str:
    """A line within marks of code."""
    return " ".join(text.split()).replace("`", "'")


def cell(text: str) -> str:
    """A line that Markdown takes for nothing else."""
    line = " ".join(str(text).split()).replace("`", "'").replace("|", "\\|")
    return line.replace("<", "&lt;").replace("*", "\\*")
