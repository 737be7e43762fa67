"""Keeps garbage collection cheap: Streamlit collects everything after every run of a script."""

import gc
import sys

_settled = 0
"""How many modules were loaded when the last was done."""


def settle() -> None:
    """Takes what loaded modules brought along out of garbage collection.

    Modules stay as long as the process, and there are hundreds of thousands of objects in them:
    walking through these took 100 ms after every click and every look at a run. Costs nothing
    unless a module has been loaded since the last call.
    """
    global _settled
    loaded = len(sys.modules)
    if loaded != _settled:
        _settled = loaded
        gc.collect()  # garbage of this moment would stay for good
        gc.freeze()
