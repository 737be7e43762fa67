"""Everything the agent calls; knows nothing of LangGraph or Streamlit."""

import os

from services.tracing import trace_only_where_named

trace_only_where_named(os.environ)

# Read when onnxruntime is first loaded. Since 1.29 it would send the machine, the path of Python
# and the names and hashes of models to its maker.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# Read when OpenMP is first loaded. By default its threads turn in circles while one waits for
# another, which takes the core from what the other is waiting for where the machine is busy.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
