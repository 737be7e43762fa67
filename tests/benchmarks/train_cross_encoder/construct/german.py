"""What the edits know of German: the finite verb, the first constituent, who is the subject."""

import re

from tests.benchmarks.train_cross_encoder.construct.lexicon import lower_first
from tests.benchmarks.train_cross_encoder.construct.tables import (
    AUXILIARIES_DE,
    FINITE_DE,
    PLURAL_DE,
    PREPOSITIONS_DE,
)

FINITE = frozenset(FINITE_DE)
AUXILIARIES = frozenset(AUXILIARIES_DE)
PLURAL = frozenset(PLURAL_DE)
PREPOSITIONS = frozenset(PREPOSITIONS_DE)
CONDITION = r"wenn|soweit|sofern|solange|falls|es sei denn|vorausgesetzt|sobald"
CONNECTIVE = re.compile(
    r"\b(daher|deshalb|deswegen|somit|dadurch|weil|denn|dabei|damit|insofern|folglich|hierdurch|"
    r"dennoch|trotzdem|jedoch|aber|hingegen|dagegen|außerdem|zudem|sondern|dafür|hierfür|hierzu|"
    r"insoweit|stattdessen|allerdings|so dass|sodass)\b",
    re.I,
)
NEGATION = re.compile(
    r"\b(nicht|kein\w*|nie|niemals|ohne|weder|nur|kaum|selten|sondern|lediglich|auch|erst|noch|"
    r"nichts|niemand|ausschließlich|außer|allein|sowohl|un\w+bar)\b",
    re.I,
)
ANAPHOR = re.compile(
    r"^(Er|Sie|Es|Dies\w*|Jene\w*|Dabei|Hierbei|Hier|Dort|Dadurch|Damit|Daher|Deshalb|Dazu|Darüber|"
    r"Ihm|Ihnen|Ihn|Ihr\w*|Ersterer|Letztere|Sein\w*|Dann|So|Außerdem|Zudem|Ferner|Jedoch|"
    r"Allerdings|Das gilt|Satz|Solche\w*|"
    r"Darin|Darauf|Hierzu|Hierfür|Dem|Davon|Später|Anschließend|Danach|Zuvor|Letzter\w*|Auch|"
    r"Darunter|Dessen|Deren|Beide|Absatz|Im Übrigen|Gleiches|Dasselbe|Das Gleiche)\b"
)
NO_NOUN = re.compile(
    r"^(?:Ge\w+t|(?:Be|Ver|Er|Ent|Auf|An|Ab|Aus|Ein|Vor|Um|Über)\w*(?:t|en)|\w+(?:lich|"
    r"isch|ig|weise|wärts|"
    r"mals|dem|falls|end)|Intern|Links|Rechts|Heute|Damals|Oft|Meist|Zunächst|Anfangs|Wenn|"
    r"Ebenso|Wie|"
    r"Als|Nur|Erst|Bereits|Höchstens|Mindestens|Zusammen|Wieder|Nun|Dass|Ob|Was|Wer|Den|"
    r"Dem|Des|Einem|"
    r"Einen|Eines|Man|Weder|Sowohl|Spätestens|Teile|Sofern|Soweit|Nachdem|\w+seits|\w+teils|Hingegen|Dagegen|Immerhin|Weil|Da|Bevor|"
    r"Sobald|Solange|Falls|Wird|Ist|Hat|Welche\w*|Jedoch|Einst|Bald|Fast)$"
)
# Ends of nouns for those who can have duties.
PERSONS = (
    r"(geber|nehmer|[Bb]ehörde|inhaber|[Bb]etreiber|[Aa]nstalt|[Aa]mt|[Mm]inisterium|"
    r"steller|schuldner|[Gg]läubiger|[Uu]nternehmer|[Bb]ank|[Vv]ersicherer|[Rr]at|"
    r"[Nn]otar|[Kk]ammer|[Rr]egierung|[Gg]esellschaft|[Kk]asse|führer|leiter|"
    r"[Gg]ericht|[Ss]telle|[Aa]usschuss|[Vv]erwalter|[Vv]ermieter|[Mm]ieter|"
    r"[Kk]äufer|halter|träger|[Aa]genten|[Kk]apitän|[Pp]rüfling|[Vv]ermittler|"
    r"[Vv]orstand|[Kk]ommission|[Ee]igentümer|nehmerin|[Vv]erein|[Ll]ehrer|[Aa]rzt|[Ll]änder|[Bb]etriebe|[Uu]nternehmen|"
    r"[Bb]ehörden|[Bb]eschäftigten|[Mm]itglied|[Mm]itglieder|steller|ende|enden|händler)$"
)
QUANTIFIED = re.compile(
    r"^(Ein|Eine|Einige|Manche|Viele|Mehrere|Teile|Die meisten|Höchstens|Mindestens|Wenige)\b"
)


def verb_second(sentence: str) -> tuple[str, str, str] | None:
    """(what stands before the finite verb, the verb, the rest without full stop)."""
    if not sentence.endswith("."):
        return None
    words = sentence[:-1].split(" ")
    for place, word in enumerate(words[:13]):
        if word.endswith((",", ";", ":")):
            return None
        if place and word in FINITE:
            front, rest = " ".join(words[:place]), " ".join(words[place + 1 :])
            return (front, word, rest) if rest and one_constituent(words[:place]) else None
    return None


def one_constituent(front: list[str]) -> bool:
    """No clause of its own before the verb, such as an unknown verb with its pronoun."""
    inner = {"er", "sie", "es", "sich", "man", "dass", "wer"}
    opening = front[0].lower() in {
        "wer",
        "wenn",
        "soweit",
        "sofern",
        "ob",
        "was",
        "wie",
        "als",
        "und",
    }
    return not opening and not inner & set(front)


def is_subject(front: str) -> bool:
    """A noun phrase that is likely the subject: an article in the nominative or a bare noun."""
    first = front.split(" ")[0]
    if first.lower() in PREPOSITIONS or ANAPHOR.match(front) or NO_NOUN.match(first):
        return False
    return first[:1].isupper() and len(front.split(" ")) <= 9


def verb_last(front: str, verb: str, rest: str) -> str | None:
    """The clause as it reads after "weil"; only of verbs that lose no prefix that way."""
    if (
        verb not in AUXILIARIES
        or "," in rest
        or re.search(r"\b(und|oder|sowie)\b.*\b(ist|sind|hat|wird|gehört|kann|war|wurde)\b", rest)
    ):
        return None
    if re.search(r" und [a-zäöü]+t ", f"{rest} "):
        return None
    return f"{lower_first(front, 'de')} {rest} {verb}"


def final_cluster(verb: str, rest: str) -> int | None:
    """Where the closing verbs or the predicate begin in the rest: the place for "nicht"."""
    words = rest.split(" ")
    if "," in rest or len(words) < 2 or not re.fullmatch(r"[a-zäöüß]{4,}", words[-1]):
        return None
    at = len(words) - 1
    if words[-1] in {"werden", "sein", "haben", "worden", "lassen"}:
        at -= 1
        if at and words[at] in {"worden", "werden"}:
            at -= 1
    if at and words[at - 1] == "zu":
        at -= 1
    if at < 1 or not re.fullmatch(r"zu|[a-zäöüß]{4,}", words[at]):
        return None
    closing = AUXILIARIES - {"hat", "haben", "hatte", "hatten"}
    return len(" ".join(words[:at])) + 1 if verb in closing else None


NOUN_PHRASE = (
    r"(?:der|die|das|ein|eine|dieser|diese|dieses)(?: [a-zäöüß]+(?:e|er|es|en))? [A-ZÄÖÜ][\wäöüß-]+"
)
NO_TAIL = (
    r"(?!des |der |dieser |dieses |und |oder |von |nach |eines |einer |seines |ihres "
    r"|in |im |für |sowie |gemäß |als |ein |sich |bei |zu |mit |§|[A-ZÄÖÜ])"
)


def inverted(clause: str) -> tuple[str, str, str] | None:
    """(subject, verb, rest) of "hat der Arbeitgeber … zu tun.": first the verb."""
    found = re.match(rf"(\w+) (er|sie|{NOUN_PHRASE}) {NO_TAIL}(.+)$", clause)
    if not found or found[1] not in FINITE:
        return None
    return found[2], found[1], found[3]


def leading_condition(sentence: str) -> tuple[str, str] | None:
    """The condition at the head of a sentence, and the main clause with its subject first."""
    found = re.fullmatch(
        r"((?:Wenn|Soweit|Sofern|Solange|Falls|Sobald|Weil|Da) [^,;]+), (\w+ [^,;]+\.)", sentence
    )
    main = inverted(found[2]) if found else None
    if not found or not main:
        return None
    subject, verb, rest = main
    return found[1], f"{subject[:1].upper()}{subject[1:]} {verb} {rest}"
