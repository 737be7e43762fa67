"""Loads a page again that its own scripts have emptied.

Streamlit draws the whole page in one tree. An error while it is changed, such as the one that
follows when a browser's translator has moved texts about, takes the tree away: the page is white
and stays so. What it showed is in its address and in the catalog, so loading it again is enough.
"""

import streamlit as st

_ONCE_IN_MS = 5000
_SCRIPT = f"""
<script>
if (!window.rabbitholeRevival) {{
  const root = document.getElementById("root");
  window.rabbitholeRevival = new MutationObserver(() => {{
    const last = Number(sessionStorage.getItem("rabbithole-revived")) || 0;
    if (root.childElementCount || Date.now() - last < {_ONCE_IN_MS}) return;
    sessionStorage.setItem("rabbithole-revived", Date.now());
    console.warn("Rabbithole: the page was empty and is loaded again");
    location.reload();
  }});
  window.rabbitholeRevival.observe(root, {{ childList: true }});
}}
</script>
"""


def watch() -> None:
    """Has the browser look after the page; the script is the same whatever is shown."""
    st.html(_SCRIPT, unsafe_allow_javascript=True)
