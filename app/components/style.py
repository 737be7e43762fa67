"""What the theme cannot say: measure, reading type, figures, and the proof beside its text."""

import streamlit as st

_CARD = '[class*="st-key-card-"]'
_PARAGRAPH = f':is([class*="st-key-para-"], [class*="st-key-quote-para-"], {_CARD})'
_RUNS_ON = (
    ':is([class*="st-key-para-"], [class*="st-key-quote-para-"], [class*="st-key-marked-"],'
    f" {_CARD})"
)
_PROOF = ":is(.st-key-proof, .st-key-proof-first)"
_MARK = '[class*="st-key-mark-"]'
_SERIF = (
    ':is([class*="st-key-para-"], [class*="st-key-quote-"], [class*="st-key-marked-"],'
    f' {_CARD}, [class*="st-key-side-"])'
    ' :is([data-testid="stText"], [data-testid="stText"] span)'
)
_ACCENT = "#38868f"
_READING = '[class*="st-key-reading-"]'
_LINE = "color-mix(in srgb, currentColor 18%, transparent)"
_INLINE = (
    ':is([data-testid="stLayoutWrapper"], [data-testid="stVerticalBlock"], .stElementContainer,'
    ' [data-testid="stText"], [data-testid="stText"] span, [data-testid="stTooltipIcon"],'
    " .stButton, .stMarkdown, .stMarkdown :is(div, p))"
)

# A paragraph is a container whose elements are made to run on as one text. In a wide window the
# proof is lifted out of the order of the paragraphs into a second column that stays in sight; in a
# narrow one it lies over the lower part of the window until it is closed, so that a tap on a mark
# moves nothing and closing leads back to the same line. (The browser's own scroll anchoring takes
# a paragraph that changes its place among the elements for one that has moved.)
READING = f"""
{_RUNS_ON} {{ display: block; }}
{_RUNS_ON} {_INLINE} {{ display: inline; width: auto; min-width: 0; }}
{_RUNS_ON} [data-testid="stTooltipHoverTarget"] {{ display: inline !important; }}
{_PARAGRAPH} {{ margin-bottom: .95rem; }}
{_PARAGRAPH} > * + *, [class*="st-key-unproven-"] > * + * {{ margin-left: .28em; }}
[class*="st-key-unproven-"] [data-testid="stText"] span {{
  text-decoration: underline dotted 1px; text-underline-offset: .28em;
}}
{_RUNS_ON} :has(> :is([class*="st-key-case-"], [class*="st-key-place-"])) {{
  display: block !important;
}}
{_PARAGRAPH} > :has(> :is([class*="st-key-case-"], [class*="st-key-place-"])) + * {{
  margin-left: 0;
}}
{_RUNS_ON} :is([class*="st-key-case-"], [class*="st-key-place-"]) {{ opacity: .75; }}
[class*="st-key-side-"] strong {{
  background: color-mix(in srgb, currentColor 12%, transparent); border-radius: .15rem;
}}
{_CARD} {{ border: 1px solid {_LINE}; border-radius: .5rem; padding: .7rem .9rem .8rem; }}
{_SERIF} {{
  font-family: "Source Serif", Georgia, serif; font-size: 1.06rem; line-height: 1.62;
}}
[class*="st-key-marked-"] :is([data-testid="stText"], [data-testid="stText"] span) {{
  font-size: .97rem;
}}
:is([class*="st-key-case-"], [class*="st-key-place-"])
    :is([data-testid="stText"], [data-testid="stText"] span) {{
  font-family: inherit; font-size: .9rem; line-height: 1.5;
}}
[class*="st-key-span-"] [data-testid="stText"] {{
  background: color-mix(in srgb, {_ACCENT} 30%, transparent);
  padding: .1em 0; border-radius: .15rem; box-decoration-break: clone;
}}

{_MARK} .stButton > div {{ display: none; }}
{_MARK} .stButton > div:first-child {{ display: inline; }}
{_MARK} button {{
  display: inline-flex; width: auto; min-height: 0; min-width: 1.5em; margin: 0;
  padding: .1em .35em;
  vertical-align: .3em; line-height: 1.2; border-radius: .25rem;
  border: 1px solid color-mix(in srgb, {_ACCENT} 50%, transparent);
}}
{_MARK} button p {{ font-size: .72rem; line-height: 1.2; font-weight: 600; }}

{_READING} {{ gap: 0; }}
{_READING} [class*="st-key-head-"] {{ margin: .6rem 0 .5rem; }}
{_PROOF} {{
  border: 1px solid {_LINE}; border-radius: .5rem; padding: .8rem .9rem .6rem;
  background: color-mix(in srgb, currentColor 3.5%, transparent);
}}
[class*="st-key-sheet-"] img {{
  border: 1px solid {_LINE}; border-radius: .2rem; background: #fff;
}}
.st-key-document-bar {{ margin-bottom: .4rem; }}
.st-key-sheet-whole {{ max-width: 50rem; margin: 0 auto; }}
.st-key-marked-section, .st-key-marked-page {{ max-width: 46rem; }}
[class*="st-key-dropped-"] [data-testid="stCaptionContainer"] {{ padding-left: 1.55rem; }}
@media (min-width: 56rem) {{
  {_READING} {{
    display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.05fr);
    column-gap: 2.4rem; align-items: start;
  }}
  {_READING} > * {{ grid-column: 1; }}
  {_READING} > :has(> {_PROOF}) {{
    grid-column: 2; grid-row: 1 / span 500; position: sticky; top: 4.4rem;
  }}
  {_PROOF} {{ max-height: calc(100vh - 5.4rem); overflow-y: auto; flex-wrap: nowrap; }}
}}
.st-key-proof-bar {{ flex-wrap: nowrap; }}
.st-key-proof-bar [data-testid="stText"] > * {{
  display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden;
  font-family: "Source Serif", Georgia, serif;
}}
@media (min-width: 56rem) {{
  {_PROOF} > :has(> .st-key-proof-bar) {{ display: none; }}
}}
@media (max-width: 56rem) {{
  {_READING} > :has(> .st-key-proof-first) {{ display: none; }}
  .st-key-proof {{
    position: fixed; z-index: 100; inset: auto 0 0 0; width: auto;
    max-height: 66vh; overflow-y: auto; overscroll-behavior: contain; flex-wrap: nowrap;
    background: Canvas; background: light-dark(#fcfbf8, #1a1c1e);
    border-width: 1px 0 0; border-radius: .8rem .8rem 0 0;
    box-shadow: 0 -.4rem 1.6rem rgb(0 0 0 / 22%);
  }}
  {_READING}:not(:has(.st-key-proof)) {_MARK} button {{
    background: transparent; color: inherit;
  }}
  [data-testid="stMain"]:has({_READING}) {{ overflow-anchor: none; }}
  .stMainBlockContainer:has(.st-key-proof) {{ padding-bottom: 68vh; }}
  .st-key-proof > :has(> .st-key-proof-bar) {{
    position: sticky; top: -.8rem; z-index: 1; background: inherit;
    border-bottom: 1px solid {_LINE};
  }}
}}
"""


_CSS = """
.stMainBlockContainer { max-width: 74rem; padding-top: 4.25rem; }
[data-testid="stBottomBlockContainer"] { max-width: 74rem; padding-bottom: 1.5rem; }
.stApp { font-variant-numeric: tabular-nums; }
.stMainBlockContainer [data-testid="stText"] { white-space: pre-wrap; overflow-wrap: anywhere; }
[class*="st-key-answer"] [data-testid="stText"], [class*="st-key-answer"] [data-testid="stText"] * {
  font-family: "Source Serif", Georgia, serif; font-size: 1.06rem; line-height: 1.6;
}
[class*="st-key-closest-"] [data-testid="stText"] span { font-weight: 600; }
[class*="st-key-row-"] textarea {
  field-sizing: content; height: auto !important; min-height: 2.5rem !important;
}
:is([class*="st-key-show-"], [class*="st-key-example-"]) button {
  justify-content: flex-start; text-align: left;
}
[data-testid="stPopover"] button[aria-expanded="true"] { color: inherit !important; }
[class*="st-key-quote-"] {
  border-left: 3px solid color-mix(in srgb, currentColor 22%, transparent); padding-left: .9rem;
}
.st-key-progress, .st-key-progress * { transition: none !important; }
@media (max-width: 640px) {
  .st-key-working > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"]
    > [data-testid="stColumn"]:last-child { order: -1; }
  [class*="st-key-active-"] > :first-child { flex-basis: 100%; }
}
.st-key-status-bar {
  flex-wrap: nowrap;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  padding-bottom: .4rem;
}
"""


def apply() -> None:
    """Adds the style sheet to the page."""
    st.html(f"<style>{_CSS}{READING}</style>")


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


def watch_for_empty_page() -> None:
    """Has the browser load a page again that its own scripts have emptied.

    Streamlit draws the whole page in one tree. An error while the tree is changed takes it away,
    and the page is white for good. It happens when a part that is drawn again and again comes
    late, after the page has moved on ("'setIn' cannot be called on an ElementNode", seen on busy
    cores), and when a browser's translator has moved texts about. What the page showed is in its
    address and in the catalog, so loading it again is enough.
    """
    st.html(_SCRIPT, unsafe_allow_javascript=True)
