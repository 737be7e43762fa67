"""``rabbithole eval``: measuring the product on questions with known answers."""

from pathlib import Path
from typing import Any

import click

from app.commands.common import as_json, guarded, make_settings, show

MEASURES = ("ndcg@10", "recall@10", "recall@50", "mrr@10")


@click.group("eval")
def evaluate() -> None:
    """Measure the product on questions with known answers."""


@evaluate.command()
@click.option(
    "--beir",
    "folder",
    required=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with corpus.jsonl, queries.jsonl and qrels/test.tsv.",
)
@click.option("--language", default="auto", show_default=True, help="Of the texts: de, en, …")
@click.option(
    "--modes",
    default="hybrid,vector,keyword",
    show_default=True,
    help="The first is compared with the others.",
)
@click.option(
    "--reranking",
    type=click.Choice(["none", "sentences", "llm", "cross-encoder"]),
    default="none",
    show_default=True,
    help="What orders the hits of each mode.",
)
@click.option(
    "--limit-queries",
    "limit",
    type=click.IntRange(min=1),
    help="Ask a sample only, always the same.",
)
@click.option(
    "--cache-embeddings",
    "cache",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the vectors of the texts here for the next run.",
)
@as_json
@guarded
def retrieval(
    folder: Path,
    language: str,
    modes: str,
    reranking: str,
    limit: int | None,
    cache: Path | None,
    json_: bool,
) -> None:
    """Measure search on a question set in BEIR's format, in a collection made for it."""
    from app.terminal import Progress
    from services.build import measure_retrieval

    wanted = [mode.strip() for mode in modes.split(",") if mode.strip()]
    with Progress() as progress:
        report = measure_retrieval(
            make_settings(),
            folder,
            language=language,
            modes=wanted,
            reranking=reranking,
            limit=limit,
            cache=cache,
            on_event=progress.show,
        )
    show(report, json_, lambda: retrieval_table(report))


def retrieval_table(report: dict[str, Any]) -> str:
    """The report as a table: a row a mode, means with their 95 % intervals."""
    ingest, embedding = report["ingest"], report["query_embedding"]
    return "\n".join(
        [
            f"{report['dataset']}: {report['documents']} documents, {report['chunks']} chunks, "
            f"{report['queries']} queries",
            f"{'':<8}" + "".join(f"{name:>22}" for name in MEASURES) + f"{'ms p50':>9}{'p95':>8}",
            *(_row(mode, values) for mode, values in report["modes"].items()),
            *(_difference(pair, values) for pair, values in report["differences"].items()),
            f"ingested in {ingest['seconds']:.1f} s: parse {ingest['parse_s']:.1f}, embed "
            f"{ingest['embed_s']:.1f} ({ingest['embedded']} passages), index "
            f"{ingest['index_s']:.1f}; a query's embedding {embedding['ms_p50']:.1f} ms, "
            "not in the times above",
        ]
    )


def _row(mode: str, values: dict[str, Any]) -> str:
    cells = [
        f"{values[name]:.3f} [{values['intervals'][name][0]:.3f}, "
        f"{values['intervals'][name][1]:.3f}]"
        for name in MEASURES
    ]
    times = f"{values['ms_p50']:>9.1f}{values['ms_p95']:>8.1f}"
    return f"{mode:<8}" + "".join(f"{cell:>22}" for cell in cells) + times


def _difference(pair: str, values: dict[str, Any]) -> str:
    first, second = pair.split("-")
    found = values["ndcg@10"]
    return (
        f"{first} minus {second}: ndcg@10 {found['mean']:+.3f} "
        f"[{found['low']:+.3f}, {found['high']:+.3f}]"
    )
