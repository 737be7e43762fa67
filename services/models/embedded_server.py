"""The embedded model's own process: llama.cpp's HTTP server on loopback.

A separate process, because loading holds Python's global lock for seconds, closing a busy server
can wait forever, and an abort in native code would take the application along. It ends when its
standard input closes, however its parent ended.

Protocol: one JSON object on the first line of standard input (``ServerOptions`` of embedded.py),
one on standard output: ``{"url": ...}`` or ``{"error": ...}``. This file is run by its path and
imports nothing of the project.
"""

import json
import os
import select
import sys
from typing import Any

PARENT_CHECK_S = 2.0
BATCH_TOKENS = 256
"""Tokens read in one go; an abandoned call holds the server up no longer than that takes."""


def main() -> int:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # native code may print; the answer must stay alone on its stream
    parent = os.getppid()
    options = json.loads(sys.stdin.buffer.readline())
    try:
        server = start(options)
    except (RuntimeError, ImportError, ValueError, OSError) as error:
        print(json.dumps({"error": str(error)}), file=answers, flush=True)
        return 1
    print(json.dumps({"url": server.listening_address}), file=answers, flush=True)
    wait_while_child_of(parent)
    # No destructors: they wait for running generations, and the system frees all at once.
    os._exit(0)


def start(options: dict[str, Any]) -> Any:
    """Load the model and listen on a free port of 127.0.0.1."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options["path"]
    params.n_ctx = options["context_tokens"]
    params.n_parallel = 1
    # A cancelled call is noticed between batches only.
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    cores = usable_cores()
    params.cpuparams_batch.n_threads = cores
    # Threads wait for each other at every token: with one core taken by anything
    # else, two threads on two cores wrote 1-2 tokens/s, one thread 10-16.
    params.cpuparams.n_threads = max(1, cores - 1)
    params.cache_prompt = options["cache_mib"] > 0
    params.cache_ram_mib = options["cache_mib"]
    params.api_keys = [options["api_key"]]
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.port = 0
    params.verbosity = 0
    return xllamacpp.Server(params)


def usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def wait_while_child_of(parent: int) -> None:
    """Block until standard input closes or another process has become the parent."""
    while os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], PARENT_CHECK_S)
        if readable and not os.read(0, 1024):
            return


if __name__ == "__main__":
    sys.exit(main())
