"""Keeps garbage collection cheap, of modules above all: they stay as long as the process."""

import gc
import sys

_settled = 0
"""How many modules were loaded when the last was done."""


def hold() -> None:
    """No collection until ``release`` or ``settle``, while modules are loaded that all stay.

    Walking through what there is of them, again and again, was a fifth of a server's start.
    """
    gc.disable()


def release() -> None:
    """Collects again, but for what there is by now: that is of modules, as good as all of it."""
    gc.freeze()
    gc.enable()


def settle() -> None:
    """Takes what loaded modules brought along out of garbage collection.

    Streamlit collects everything after every run of a script, and there are hundreds of thousands
    of objects in modules: walking through these took 100 ms after every click and every look at a
    run. Costs nothing unless a module has been loaded since the last call.
    """
    global _settled
    loaded = len(sys.modules)
    if loaded != _settled:
        _settled = loaded
        gc.collect()  # garbage of this moment would stay for good
        gc.freeze()
        gc.enable()
