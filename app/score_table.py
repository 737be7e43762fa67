"""What measured answers are worth, as text."""

from collections.abc import Mapping
from typing import Any, Final

MEASURES: Final = {
    "facts": "facts stated",
    "all_facts": "answers with all facts",
    "gold": "gold sections cited",
    "gold_any": "... by any sentence",
    "gold_seen": "... among the evidence",
    "support": "sentences proven",
    "right": "right where answered",
}


def scores_table(result: Mapping[str, Any]) -> str:
    """A line a question, then means with their 95 % intervals, for every system."""
    blocks = [
        "\n".join(
            [
                f"{system} on {result['questions']}: {len(scores)} questions, "
                f"model {', '.join(result['models'])}",
                *(_question(score) for score in scores),
                *_means(result["summary"][system]),
            ]
        )
        for system, scores in result["scores"].items()
    ]
    failed = [f"{row['id']}: {row['error']}" for row in result["rows"] if "error" in row]
    return "\n\n".join([*blocks, *failed])


def difference_table(value: Mapping[str, Any]) -> str:
    """The mean difference of each measure with its 95 % interval."""
    a, b = value["a"], value["b"]
    lines = [f"a: {a['system']}, {a['file']}", f"b: {b['system']}, {b['file']}", "a - b"]
    lines += [
        f"  {label:<24}{_mean(value['differences'][name], signed=True)}"
        for name, label in MEASURES.items()
        if name in value["differences"]
    ]
    return "\n".join(lines)


def claims_table(result: Mapping[str, Any]) -> str:
    """What judged claims are worth, all of them and by language."""
    blocks = [("all", result)]
    if len(result["by_language"]) > 1:
        blocks += list(result["by_language"].items())
    return "\n".join(line for name, value in blocks for line in _claims(name, value))


def _claims(name: str, value: Mapping[str, Any]) -> list[str]:
    shown = [
        (f"'{label}' shown as proof", share) for label, share in value["shown_as_proof"].items()
    ]
    kept = [("'says' kept as proof", value["kept_as_proof"])] if value["kept_as_proof"] else []
    f1 = ", ".join(f"{label} {found:.3f}" for label, found in value["f1"].items())
    rows = [("accuracy", value["accuracy"]), *shown, *kept]
    return [
        f"{name}: {value['pairs']} pairs",
        *(f"  {label:<30}{_mean(share)}" for label, share in rows),
        f"  {'F1':<30}{f1}",
    ]


def _question(score: Mapping[str, Any]) -> str:
    if score["type"] == "unanswerable":
        facts = "refused" if score["refusal_right"] else "answered"
    else:
        facts = f"{sum(score['found'])}/{len(score['found'])} facts"
    gold = "" if score["gold"] is None else f", gold {score['gold']:.0%}"
    sure = f", {score['certainty']}" if score.get("certainty", "answered") != "answered" else ""
    return f"  {score['id']:<28}{facts}{gold}{sure}, {score['seconds']:.1f} s"


def _means(summary: Mapping[str, Any]) -> list[str]:
    lines = [
        f"  {label:<24}{_mean(summary['measures'][name])}"
        for name, label in MEASURES.items()
        if name in summary["measures"]
    ]
    lines += [f"  {name:<24}{_mean(value)}" for name, value in summary.get("certainty", {}).items()]
    refused = summary["unanswerable"]
    if refused["n"]:
        lines.append(f"  {'unanswerable refused':<24}{refused['refused']} of {refused['n']}")
    lines.append(f"  {'refused wrongly':<24}{summary['false_refusals']}")
    mean_s = summary["seconds"] / summary["questions"]
    lines.append(f"  {'seconds':<24}{mean_s:.1f} a question")
    return lines


def _mean(value: Mapping[str, Any], *, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    return (
        f"{value['mean']:{form}} [{value['low']:{form}}, {value['high']:{form}}] (n={value['n']})"
    )
