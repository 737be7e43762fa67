"""Choosing a profile for a research or a search; the usual one of the person comes first."""

import streamlit as st

from app.session import client, say
from app.texts import Text


def choose(label: Text, none: Text) -> str | None:
    """A profile of one's own, where there are any; None for none."""
    names = client().profiles()
    if not names:
        return None
    known, without = client().preference("profile"), say(none)
    options = [None, *names]
    return st.selectbox(
        say(label),
        options,
        index=options.index(known) if known in names else 0,
        format_func=lambda name: without if name is None else name,
        key="profile",
    )


def usual() -> str | None:
    """The profile that ``choose`` begins with, for who is not asked."""
    known = client().preference("profile")
    return known if known is not None and known in client().profiles() else None
