"""`rabbithole eval`: measure answers or search on questions with known answers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, get_args

import click

from agent.engine.engine import Engine
from agent.engine.evaluation import compared, evaluate_retrieval, measure_answers
from app.cli import params
from app.cli.common import Result, command, engine_command, make_settings
from app.cli.terminal import ProgressPrinter
from services.domain import Reranking

RETRIEVAL_MEASURES = ("ndcg@10", "recall@10", "recall@50", "mrr@10")


evaluate = click.Group(
    "eval", help="Measure how good answers or search are, on questions with known answers."
)


@command(evaluate)
@click.option(
    "--beir",
    "folder",
    required=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with corpus.jsonl, queries.jsonl and qrels/test.tsv.",
)
@params.language
@click.option(
    "--modes", default="hybrid,vector,keyword", help="The first mode is compared with the others."
)
@click.option(
    "--reranking",
    type=click.Choice(get_args(Reranking)),
    default="none",
    help="Reranker for the hits of each mode.",
)
@click.option(
    "--limit-queries",
    "limit",
    type=click.IntRange(min=1),
    help="Use a sample of N queries (the same sample every time).",
)
@click.option(
    "--cache-embeddings",
    "cache",
    metavar="FILE",
    type=params.any_file,
    help="Store the vectors of the texts here for the next run.",
)
def retrieval(folder: Path, modes: str, **options: Any) -> Result:
    """Measure search on a data set in BEIR format, in a temporary collection."""
    names = [mode.strip() for mode in modes.split(",") if mode.strip()]
    with ProgressPrinter() as progress:
        result = evaluate_retrieval(
            folder, make_settings(), modes=names, on_event=progress.show, **options
        )
    return Result(result, _retrieval_table(result))


def _print_row(done: int, total: int, row: dict[str, Any]) -> None:
    state = row.get("error", "answered")
    click.echo(f"{done}/{total} {row['id']}: {state} in {row['seconds']} s", err=True)


@engine_command(evaluate)
@click.option(
    "--questions",
    "file",
    required=True,
    metavar="FILE.jsonl",
    type=params.existing_file,
    help="One record per line: id, lang, q, gold, must, type.",
)
@params.collections
@click.option(
    "--depth",
    type=click.Choice([*params.DEPTHS, "research"]),
    default="auto",
    help="How thorough to be; research: a whole run.",
)
@params.k_passages
@params.profile
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N questions.")
@click.option(
    "--out",
    metavar="FILE.json",
    type=params.any_file,
    help="Store answers and scores here; a second run continues where the first stopped.",
)
def answers(engine: Engine, file: Path, depth: str, **options: Any) -> Result:
    """Ask questions with known answers, and score facts, citations and refusals.

    `gold` lists the sections that answer the question ("StrlSchG § 78"). The answer must contain
    at least one of the spellings in each group of `must`; a question of type "unanswerable" must
    be refused.
    Exit status: 1 if any question got no answer.
    """
    result = measure_answers(engine, file, depth, on_row=_print_row, **options)
    failed = [row for row in result["rows"] if "error" in row]
    return Result(result, _scores_table(result), ok=not failed)


@command(evaluate)
@click.argument("a", type=params.existing_file)
@click.argument("b", type=params.existing_file)
def compare(a: Path, b: Path) -> Result:
    """Compare two results of `eval answers` over the same questions, question by question."""
    result = compared(a, b)
    sides = [f"{side}: {result[side]['system']}, {result[side]['file']}" for side in "ab"]
    lines = [*sides, "a - b", *_measure_lines(result["differences"], form="+.3f")]
    return Result(result, lines)


def _retrieval_table(report: dict[str, Any]) -> Iterator[str]:
    """Return a row for each mode with 95 % intervals, and the lead of the first over the others."""
    ingest, embedding = report["ingest"], report["query_embedding"]["ms_p50"]
    heading = "".join(f"{name:>22}" for name in RETRIEVAL_MEASURES)
    yield (
        f"{report['dataset']}: {report['documents']} documents, {report['chunks']} chunks, "
        f"{report['queries']} queries"
    )
    yield f"{'':<8}{heading}{'ms p50':>9}{'p95':>8}"
    for mode, values in report["modes"].items():
        spans = (_span(values[name], *values["intervals"][name]) for name in RETRIEVAL_MEASURES)
        cells = "".join(f"{span:>22}" for span in spans)
        yield f"{mode:<8}{cells}{values['ms_p50']:>9.1f}{values['ms_p95']:>8.1f}"
    for pair, values in report["differences"].items():
        lead = values["ndcg@10"]
        span = _span(lead["mean"], lead["low"], lead["high"], form="+.3f")
        yield f"{pair.replace('-', ' minus ')}: ndcg@10 {span}"
    yield (
        f"ingested in {ingest['seconds']:.1f} s: parse {ingest['parse_s']:.1f}, embed "
        f"{ingest['embed_s']:.1f} ({ingest['embedded']} passages), index {ingest['index_s']:.1f}; "
        f"a query's embedding {embedding:.1f} ms, not in the times above"
    )


MEASURES: Final = {
    "facts": "facts stated",
    "all_facts": "answers with all facts",
    "gold": "gold sections cited",
    "gold_any": "... by any sentence",
    "gold_seen": "... among the evidence",
    "support": "sentences proven",
    "right": "correct when answered",
}


def _scores_table(result: Mapping[str, Any]) -> str:
    """Return a line for each question, then means with 95 % intervals, for every system."""
    blocks, models = [], ", ".join(result["models"])
    for system, scores in result["scores"].items():
        heading = f"{system} on {result['questions']}: {len(scores)} questions, model {models}"
        means = _means(result["summary"][system])
        blocks.append("\n".join([heading, *map(_question, scores), *means]))
    failed = [f"{row['id']}: {row['error']}" for row in result["rows"] if "error" in row]
    return "\n\n".join([*blocks, *failed])


def _measure_lines(measures: Mapping[str, Any], *, form: str = ".3f") -> list[str]:
    """Return the mean or the mean difference of each measure with its 95 % interval."""
    return [
        f"  {label:<24}{_mean(measures[name], form=form)}"
        for name, label in MEASURES.items()
        if name in measures
    ]


def _question(score: Mapping[str, Any]) -> str:
    if score["type"] == "unanswerable":
        facts = "refused" if score["refusal_right"] else "answered"
    else:
        facts = f"{sum(score['found'])}/{len(score['found'])} facts"
    gold = "" if score["gold"] is None else f", gold {score['gold']:.0%}"
    sure = f", {score['certainty']}" if score.get("certainty", "answered") != "answered" else ""
    return f"  {score['id']:<28}{facts}{gold}{sure}, {score['seconds']:.1f} s"


def _means(summary: Mapping[str, Any]) -> Iterator[str]:
    yield from _measure_lines(summary["measures"])
    for name, value in summary.get("certainty", {}).items():
        yield f"  {name:<24}{_mean(value)}"
    refused = summary["unanswerable"]
    if refused["n"]:
        yield f"  {'unanswerable refused':<24}{refused['refused']} of {refused['n']}"
    yield f"  {'refused wrongly':<24}{summary['false_refusals']}"
    yield f"  {'seconds':<24}{summary['seconds'] / summary['questions']:.1f} per question"


def _mean(value: Mapping[str, Any], *, form: str = ".3f") -> str:
    return f"{_span(value['mean'], value['low'], value['high'], form=form)} (n={value['n']})"


def _span(mean: float, low: float, high: float, form: str = ".3f") -> str:
    return f"{mean:{form}} [{low:{form}}, {high:{form}}]"
