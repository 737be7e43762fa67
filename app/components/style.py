"""What every page brings along besides its widgets: the style sheet, and a watch in the browser."""

from pathlib import Path

import streamlit as st

SHEET = Path(__file__).parent.parent / "app.css"
_PAUSE_MS = 3000
"""At least so long a page lives before it is loaded once more."""
_SCRIPT = f"""
<script>
if (!window.rabbitholeRevival) {{
  const root = document.getElementById("root");
  window.rabbitholeRevival = new MutationObserver(() => {{
    if (root.childElementCount) return;
    console.warn("Rabbithole: the page was empty and is loaded again");
    setTimeout(() => location.reload(), Math.max(0, {_PAUSE_MS} - performance.now()));
  }});
  window.rabbitholeRevival.observe(root, {{ childList: true }});
}}
</script>
"""


def apply() -> None:
    """Adds the style sheet to the page."""
    st.html(SHEET)


def watch_for_empty_page() -> None:
    """Has the browser load a page again that its own scripts have emptied.

    Streamlit draws the whole page in one tree. An error while the tree is changed takes it away,
    and the page is white for good. It happens when a part that is drawn again and again comes
    late, after the page has moved on ("'setIn' cannot be called on an ElementNode", seen on busy
    cores), and when a browser's translator has moved texts about. What the page showed is in its
    address and in the catalog, so loading it again is enough.
    """
    st.html(_SCRIPT, unsafe_allow_javascript=True)
