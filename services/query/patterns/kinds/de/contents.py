"""How German asks for what stands written: overviews and facts."""

from typing import Final

from services.query.patterns.base import TypePatterns

EXPLORATORY: Final = TypePatterns(
    decisive=(
        r"was gibt es neues|eindruck (?:von|der|des)",
        r"kern(?:aussagen?|punkte?|gedanken|themen|inhalte?)|(?:befass|beschäftig)\w* sich|handelt"
        r" von",
        r"das (?:wichtigste|wesentliche)|das wesentlichste|was wissen wir|in \w+ \w+ einführen"
        r"|einführ(?:en|e)",
        r"überblick\w*|übersicht|zusammenfass\w*|zusammengefasst|fass\w* …\bzusammen|kurzfassung"
        r"|resümee",
        r"grundzüge\w*|grundlagen (?:des|der|von|zu\w*)|einführung|einstieg|einleitung (?:in"
        r"|zu\w*)|abriss",
        r"worum (?:geht|dreht|handelt)|wovon (?:handelt|handeln)|was (?:ist|sind) …\binhalt\w*"
        r"|(?:wesentliche\w*|hauptsächliche\w*|zentrale\w*|wichtigste\w*) (?:inhalte?n?|punkte?n?"
        r"|themen|aussagen?|ergebnisse?n?|aspekte?n?|regelungen|pflichten|gedanken|erkenntnisse?n?"
        r"|thesen)",
        r"was (?:steht|findet sich|finden wir|finde ich|gibt es|haben wir|weiß man|wissen wir)"
        r" …\b(?:über|zum thema|zu|zum|zur)|was (?:sagt|sagen|schreibt|schreiben) …\b(?:zu|zum|zur"
        r"|über)",
        r"(?:welche|was für) themen|themen …\b(?:behandel\w*|angesprochen|vorkommen|kommen"
        r"|besprochen|abgedeckt|diskutiert)|themenfelder|schwerpunkte?n?",
        r"was (?:sollte|muss|müsste|soll) (?:ich|man|wir) …\b(?:wissen|kennen)|stand der"
        r" (?:technik|forschung|dinge|diskussion)|sachstand|auf den (?:neuesten )?stand|im groben"
        r"|in groben zügen",
        r"erzähl\w*|alles (?:wissenswerte|wichtige|über|zum|zur)|querschnitt|rundumschlag|bild"
        r" (?:machen|verschaffen|von)|verschaff\w*|kennenlernen|einlesen|einarbeiten|vertraut",
        r"(?:fällt|fallen) …\bunter …\b(?:geregelt|dazu)|gern(?:e)? verstehen|verstehen, (?:was"
        r"|worum|wie)",
        # short accounts
        r"(?:ein paar|einige|zwei|drei|wenige\w*) (?:sätze\w*|worte\w*|zeilen|stichworte\w*)"
        r"|großen und ganzen|im wesentlichen|unterm strich|in kürze",
        # where a subject stands
        r"forschungsstand\w*|stand der (?:wissenschaft|kenntnis\w*|literatur)|was hat es mit "
        r"…\bauf sich|wie steht es um|wie sieht …\baus",
        # where to begin reading
        r"(?:wo|womit) …\b(?:anfang|anfäng|beginn|fang|fäng|einsteig)\w* …\b(?:les|einles)\w*",
        # help to understand
        r"hilf mir|helfen sie mir|einblick\w*|was ist …\bbekannt|bekannt (?:über|zu)"
        r"|nahebringen|zum einstieg|steht (?:so |da |denn |alles )*drin|drinsteht|erzähl\w*"
        r"|was haben wir (?:zu|über)",
        # a picture of a subject
        r"(?:allgemeines|grobes|erstes|rundes) bild|im überblick|rundgang|umreiß\w*"
        r"|skizzier\w*|worum es",
    ),
    clear=(
        r"was …\b(?:zur sprache|besprochen|diskutiert)|was wir …\bhaben",
        r"^(?:bitte )?(?:erklär|erläuter|beschreib|stell|skizzier|umreiß|schilder)\w*",
        r"rund um|hintergr[uü]nde?|kontext|allgemein\w*|was alles (?!zu)|so alles|landschaft",
        r"was (?:regelt|enthält|behandelt|beinhaltet|umfasst|steht in|steht im|deckt)|inhalt"
        r" (?:von|des|der)|wie ist …\b(?:geregelt|aufgebaut|gegliedert|organisiert)|wie"
        r" funktioniert|geschichte de[rs]",
        r"neu hier|informier\w* (?:mich|uns)|mehr (?:über|zu\w*) …\b(?:erfahren|wissen)"
        r"|orientierung",
    ),
    hint=(r"themen?|thema|grob|ungefähr|kurz|wichtig\w*|insgesamt|generell",),
)
FACTUAL: Final = TypePatterns(
    decisive=(
        # a summary as a thing, not as what is wanted
        r"^(?:wer|wann|wo|bis wann) …\b(?:zusammenfassung|übersicht|kurzfassung)",
        # what a form or a list has in a place
        r"(?:was|wer|welche\w*) (?:ist|steht|sind|wurde) …\b(?:eingetragen|angekreuzt|vermerkt"
        r"|angegeben|aufgeführt)$",
    ),
    clear=(
        r"erlaubt|gestattet|verboten|untersagt|vorgeschrieben",
        r"^(?:der |die |das )?[\w-]*(?:halbwertszeit|vertreter\w*|eigentümer\w*|inhaber\w*"
        r"|standort|ort|aktivität|breite|länge|hersteller|versicherer|vermieter\w*"
        r"|ansprechpartner\w*|seriennummer|passwort|iban|beginn|ende|ablaufdatum|umfang)",
        r"^(?:bitte )?sag\w* mir|steht …\b(?:etwas|was) (?:zu|über|von)",
        r"^(?:der |die |das )?(?:[\w-]+e[rns]? )?[\w-]*(?:frist(?:en)?|grenzwerte?|datum|termin"
        r"|betrag|höhe|anzahl|nummer|adresse|name|dauer|laufzeit|temperatur|preis|kosten|gebühr"
        r"|miete|laufzeitende|höchst\w+|mindest\w+|kaution|wert|titel|verfasser\w*|zeitpunkt"
        r"|schwelle|telefonnummer|alter|größe|gewicht|zinssatz|stichtag|sitz)\b …",
        r"wie (?:hoch|lange?|oft|viele?n?|groß|stark|schwer|weit|alt|häufig|tief|dick|teuer|breit"
        r"|schnell|heiß|warm|kalt|spät|früh|dicht|niedrig)|wieviele?",
        r"(?:bis|seit|ab|von)? ?wann|^(?:zum|am|an|in|im|bei|auf|unter|nach|für|von|aus|mit|gegen)"
        r" welche[mnrs]?|^ab welche[mnr]|^welche[mnrs]? (?:datum|tag|jahr|wert|dosis|seite"
        r"|temperatur|adresse|nummer|frist|druck|höhe)",
        r"^(?:wer|wen|wessen|wo)|(?:wüsst|wiss|sag)\w* …\bob|stimmt es, dass|wie (?:heißt|heißen"
        r"|lautet|lauten)",
        r"was (?:ist|sind|heißt|bedeutet|bezeichnet|meint) …\b(?:ein\w*|der|die|das|mit|unter)?"
        r"|versteht …\bunter|definition|definier\w*|begriff\w*",
        r"(?:nenne?|liste|finde?|suche?|gib|zähle?|zeige?|zitier\w*)(?: sie| mir)?(?: bitte)?"
        r" (?:die|den|das|alle|jede\w*|sämtliche|mir|auf|höhe)|aufzähl\w*|auflist\w*|aufgelistet"
        r"|auflistung",
        r"erwähn\w+|vorkomm\w*|komm(?:t|en) …\bvor|auftauch\w*|tauch(?:t|en) …\bauf|genannt"
        r"|vorkommt",
        # what one clause says
        r"(?:laut|gemäß|nach) (?:ziffer|§|artikel|klausel|abschnitt|paragraph|ziff\.|art\.) "
        r"?\d+|^wozu (?:verpflicht|berechtig|ermächtig)\w*",
        # all places of a kind
        r"^(?:alle|sämtliche|jede\w*) [\w-]+,? (?:an|in|wo|die|unter|mit|zu)",
        # bare names of values
        r"^(?:der |die |das )?[\w-]*(?:satz|summe|dosis|druck|leistung|spannung|gehalt|lohn"
        r"|rate|quote|pauschale|abstand|stärke|dicke|pegel|spanne)\b …",
        # names
        r"wie (?:nennt|bezeichnet|definiert|schreibt)|wie (?:wird|werden|ist) …\b(?:genannt"
        r"|bezeichnet|definiert|abgekürzt)",
        # the store
        r"(?:dokument|datei|pdf)\w* …\b(?:hochgeladen|hinzugefügt|importiert|gespeichert"
        r"|eingelesen)|^haben wir",
        # a value wished for
        r"^(?:ich|wir) (?:bräuchte|brauche|brauchen|bräuchten|suche|suchen|hätte gerne?) "
        r"(?:mal |bitte )*(?:das|den|die) (?!schritte|anleitung|übersicht|überblick)[\w-]+",
    ),
    hint=(
        r"darf|dürfen|erlaubt|verboten|vorgeschrieben|verpflichtet|zulässig ist|gestattet|maximal"
        r"|mindestens|höchstens|spätestens|ob",
        r"gibt es|gilt|gelten|laut|gemäß|welche[mnrs]? (?:\w+ ){0,3}(?:muss|darf|gilt|fordert"
        r"|verlangt|schreibt)",
    ),
)
