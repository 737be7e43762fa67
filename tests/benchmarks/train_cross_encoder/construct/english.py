"""What the edits know of English: the main clause, participles, what cannot stand alone."""

import re

from tests.benchmarks.train_cross_encoder.construct.words import IRREGULAR_EN, pattern

ANAPHOR = re.compile(pattern("english.anaphor"))
CONNECTIVE = re.compile(pattern("english.connective"), re.I)
NEGATION = re.compile(pattern("english.negation"), re.I)
AUX = pattern("english.aux")
MAIN = re.compile(
    rf"^((?!(?:If|When|Where|While|Although|Unless|As|Because|What|How|Who|Please|Note|"
    rf"Whether)\b)[^,;:]{{2,90}}?) ({AUX}) ([^;:]+\.)$"
)
INNER = re.compile(r"\b(that|which|who|whose|where|when|if|as|than|what|how|whether|so)\b")
IRREGULAR = dict(IRREGULAR_EN)


def main_clause(sentence: str) -> tuple[str, str, str] | None:
    """(subject, auxiliary, rest with full stop) where no other clause comes before."""
    found = MAIN.match(sentence)
    if not found or INNER.search(found[1]):
        return None
    if found[2] in {"has", "have", "had"} and not re.match(
        r"\w+ed\b|been\b|become\b|shown\b", found[3]
    ):
        return None
    return found[1], found[2], found[3]


def is_subject(front: str) -> bool:
    """A noun phrase that is likely the subject and can stand alone."""
    start = (
        r"(Nothing|Nobody|Example|In|On|At|For|By|With|To|From|During|After|Before|"
        r"Under|We|You|I|Otherwise|Not|Using|Of|All of|Some of|Each of|Once|Only|Given|"
        r"Based)\b"
    )
    return not ANAPHOR.match(front) and not re.match(start, front) and len(front.split(" ")) <= 9


def is_plural(subject: str) -> bool | None:
    """Whether the subject is plural; None where that is not clear."""
    if re.match(r"(You|We|They|All|These|Those|Many)\b", subject) or " and " in subject:
        return True
    if re.match(r"(An?|Each|Every|This|It|He|She|Any)\b", subject):
        return False
    last = re.split(r" (?:of|for|in|to|with|from|on|at|by|or)\b", subject)[0].split(" ")[-1]
    if " or " in subject or not last:
        return None
    if re.search(r"(?<!s)(?<!u)(?<!i)s$", last):
        return True
    return False if re.match(r"(The|Our|Your|Their|Its|[A-Z])", subject) else None


def participle(verb: str) -> str:
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    return verb + "ed"


def replace_word(sentence: str, old: str, new: str) -> str | None:
    """One word exchanged where it stands as a word, with "a" or "an" before it set right."""
    if old not in sentence:
        return None
    found = re.search(
        rf"(?:(?<![\w:./-])([Aa]n?) )?(?<![\w:./-]){re.escape(old)}(?![\w/-])", sentence
    )
    if not found or old == new:
        return None
    article = found[1]
    if article:
        article = article[0] + ("n" if new[0] in "aeiou" else "")
    before = f"{article} " if article else ""
    return sentence[: found.start()] + before + new + sentence[found.end() :]
