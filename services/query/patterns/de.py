"""How German asks."""

from typing import Final

from services.query.patterns.base import Asking, Splitting, Table
from services.query.patterns.kinds.de import TYPES

_ARTICLE: Final = r"(?:der|die|das|den|dem|des|ein|eine|einer|einem|einen|unser\w*|mein\w*)"
_THING: Final = rf"(?:{_ARTICLE} )?(?P<{{}}>[^,;:?\n]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_FILES: Final = r"(?:dokumente?n?s?|dateien?|pdfs?|unterlagen|schriftstücke?)"
_STORE: Final = (
    r"(?:datenbank|sammlung(?:en)?|bibliothek|bestand|index|korpus|wissensbasis|archiv|ablage"
    r"|katalog|system|speicher)"
)

TABLE: Final = Table(
    types=TYPES,
    openers=(
        r"(?:hallo|moin|hi|entschuldigung|bitte|kurze frage|also|und|aber|sag mal|sagen sie mal|so"
        r"|ok|na)[,:]?",
        r"(?:(?:kannst|könntest|können|könnten|würdest|würden) (?:du|sie) (?:mir |uns |bitte "
        r"|kurz |mal )*(?:sagen|nennen|verraten|mitteilen|heraussuchen|nachsehen)|(?:weißt|weiß"
        r"|wissen|weisst|weiss) (?:du|sie|jemand|man)|(?:ich|wir) (?:möchte|möchten|will|wollen"
        r"|würde|würden|muss|müssen) (?:gerne? )?wissen|mich (?:würde )?interessier(?:t|en)|ich "
        r"frage mich|sag(?:en sie)? mir(?: bitte)?|keine ahnung)(?=,? (?:\w{2,5} )?(?:was|wer"
        r"|wen|wem|wessen|wo\w*|wann|wie|welche\w*|warum|wieso|weshalb)\b),?",
    ),
    asked=(
        r"(?:(?:in|an|auf|aus|bei|mit|von|zu|zum|zur|bis|seit|ab|für|gegen|nach|unter) )?(?:was"
        r"|wer|wen|wem|wessen|wo|wohin|woher|worauf|woran|worin|wofür|womit|wovon|wann|wie|wozu"
        r"|warum|wieso|weshalb|welche[mnrs]?)",
    ),
    facts=(
        r"^(?:was|wer|wem|wen|wessen|wo|woher|wohin|wann|welche[mnrs]?|womit|worin|woraus|worauf"
        r"|wofür)",
        r"^(?:ist|sind|war|waren|hat|haben|darf|dürfen|muss|müssen|kann|können|soll|sollen|gibt"
        r"|gilt|gelten|wird|werden|wurde|wurden|steht|hast|habt|habe|findet|enthält|braucht"
        r"|brauchen|zählt|fällt|fallen|besteht)",
        r"(?:was|wer|wo|wann|welche[mnrs]?)$",
    ),
    reasons=(r"^(?:warum|wieso|weshalb|wie|wodurch)",),
    fragments=(
        r"wie (?:vorhin|zuvor|eben|gestern|oben|vorher|gehabt)",
        r"(?:und |aber )?was ist mit (?:dem|der|den|die|das) (?:\w+ten?|anderen?)",
        r"(?:und |also )?(?:dann|danach|jetzt|nun|sonst)|vergiss es|egal|was noch",
        r"(?:seite|kapitel|abschnitt|anlage|tabelle|s\.) \d+",
        r"(?:ok(?:ay)?|ja|nein|danke\w*|vielen dank|bitte|hallo|guten (?:morgen|tag|abend)|moin"
        r"|servus|super|passt|prima|klar|gut|genau|richtig|tschüss?|hi|hey|grüß"
        r" gott)(?:[ ,.!]+\w+){0,3}",
        r"(?:und |aber |also )?(?:das|die|der|den|dem) (?:andere|erste|zweite|dritte|letzte"
        r"|nächste|gleiche|obige)[nrs]?(?: \w+)?(?: bitte| nochmal| noch mal)?",
        r"(?:und |aber )?(?:stimmt|ist|war|gilt|geht|heißt|meinst du|meinen sie)? ?(?:das|es"
        r"|dies)(?: \w+)?(?: so| richtig| wahr| sicher| korrekt| ernst)?",
        r"(?:und |aber )?(?:was ist mit|wie ist es (?:bei|mit)|für|bei|mit|von) (?:ihm|ihr|ihnen"
        r"|dem|der|denen|den|diesem|diesen|uns|mir)",
        r"(?:kannst du|können sie) (?:das )?(?:\w+ )?(?:wiederholen|nochmal \w+)|noch ?mal(?:"
        r" bitte)?|weiter|wirklich|mehr|und weiter|wie (?:immer|üblich|gehabt|bitte)",
        r"(?:kannst du|können sie) mir helfen|hilfe|test|was kannst du(?: alles)?",
        r"(?:etwas |noch )?(?:kürzer|länger|einfacher|genauer)(?: bitte)?|auf (?:deutsch|englisch)",
        r"(?:und|aber) (?:der|die|das|den|dem|im|in|bei|beim|für|am|zum|zur) (?:[\w-]+ ?){1,3}",
        r"(?:was|wie) ist (?:damit|dabei|daran|es damit)|warum nicht|wieso nicht",
        r"wie (?:geht es|geht's|gehts)(?: dir| ihnen| euch)?(?: so| heute)?|wer bist du|bist du"
        r" (?:eine? )?(?:\w+ )?(?:mensch|roboter|ki|bot|maschine|da|sicher)",
        r"(?:und |aber |auch )+(?:für|bei|mit|in|nach|ab) (?:die|der|den|das|dem)? ?\w+(?: auch)?"
        r"|für (?:die|den|das) \w+ auch",
        r"(?:das|die sache|die geschichte|da) (?:mit|von|da|wegen) …|du weißt schon|wie gesagt",
    ),
    keywords={
        "causal": (
            r"warum|wieso|weshalb|weswegen",
            r"ursachen?|gründe?|aufgrund|verursach\w+",
            r"folgen|konsequenz\w*|auswirk\w+",
        ),
        "analysis": (
            r"analys\w+|bewert\w+|beurteil\w+|untersuch(?:e|en|ung)",
            r"erklär\w*|erläuter\w*|begründ\w*|interpret\w+",
        ),
        "comparison": (
            r"vergleich\w*|versus|vs",
            r"unterschied\w*|unterscheide\w*|gemeinsamkeit\w*|ähnlich\w*",
            r"vorteile?n?|vor(?=- und nachteile?n?)",
            r"nachteile?n?",
        ),
        "steps": (
            r"schritte?n?|stufen|phasen",
            r"prozess\w*|verfahren\w*|abl[aä]uf\w*|vorgehen\w*",
        ),
        "synthesis": (r"zusammenfass\w*|überblick|übersicht|fass\w* …\bzusammen",),
    },
    pairs=(
        rf"zwischen {_A} und {_B}(?=$|[,;:?]| (?:in|im|bei|für|nach|mit|bestehen|besteht|steht"
        rf"|gibt|ist|sind)\b)",
        rf"unterscheide[nt] sich {_A} (?:von|und) {_B}(?=$|[,;:?]| (?:in|im|bei|nach)\b)",
        rf"vergleiche?n? (?:sie )?(?:bitte )?{_A} (?:und|mit) {_B}(?=$|[,;:?.]| (?:in|im|bei)\b)",
        rf"was (?:unterscheidet|trennt) {_A} vo[nm] {_B}(?=$|[,;:?]| (?:in|im|bei|beim|nach)\b)",
        rf"häng(?:en|t) {_A} (?:und|mit) {_B} zusammen",
        rf"(?:gemeinsamkeiten|unterschiede?|vergleich|abgrenzung) (?:von|der|des|zwischen) {_A}"
        rf" (?:und|mit|zu) {_B}(?=$|[,;:?])",
        rf"^{_A} (?:vs\.?|versus|gegenüber|im vergleich (?:zu|mit)) {_B}(?=$|[,;:?.])",
        rf"(?:haben) {_A} und {_B} (?:\w+ )?gemein(?:sam)?",
        rf"^(?:ist|sind) {_A} (?:\w+er) als {_B}(?=$|[,;:?])",
    ),
    asking=Asking(
        database=(
            rf"wie ?viele {_FILES} (?:sind|gibt|hast|haben|liegen|enthält|befinden|umfasst|wurden"
            rf"|stehen|hat)\b …(?:{_STORE}|insgesamt|da|hier|gespeichert|vorhanden|hinterlegt"
            rf"|abgelegt|eingelesen|geladen|es|du|wir|sie|hochgeladen|erfasst|drin)",
            rf"wie ?viele {_FILES}$|wie ?viele sammlungen|welche sammlungen",
            rf"(?:wie ?viele|welche|was für) {_FILES} (?:habe ich|sind|liegen)"
            r"(?: (?:hier|da|drin|darin|eigentlich|bisher|alles|alle|schon))*$",
            rf"(?:worum geht es|was (?:steht|ist)) (?:alles )?in (?:den|meinen|diesen|unseren)"
            rf" {_FILES}$|wovon handeln (?:die|meine|diese|unsere) {_FILES}$",
            rf"(?:liste|zeige?|nenne?)(?: mir| uns| sie)?(?: bitte)? (?:alle|sämtliche|die)?"
            rf" ?(?:vorhandenen|gespeicherten|eingelesenen|verfügbaren)? ?{_FILES}(?: auf| an)?(?:"
            rf" (?:in|aus) (?:der|dem|meiner|dieser|diesem) {_STORE})?(?: auf| an)?$",
            rf"(?:welche|was für) {_FILES} (?:sind|gibt|hast|haben|liegen|enthält|befinden|wurden"
            rf"|kennst|stehen)\b …(?:{_STORE}|gespeichert|vorhanden|hinterlegt|abgelegt|eingelesen"
            rf"|geladen|es|hochgeladen|zur verfügung|du|wir)",
            r"(?:eingelesen|hochgeladen|indexiert|indiziert)"
            r"(?: worden| ist| sind| wurde| wurden| hast)?$",
            rf"(?:schon|bereits|hast du|haben (?:wir|sie)|habe ich|{_STORE}) …\b"
            r"(?:importiert|eingespielt|gespeichert|aufgenommen|hinterlegt)"
            r"(?: worden| ist| sind| wurde| wurden| hast)?$",
            rf"(?:gespeicherten?|eingelesenen?|hochgeladenen?|abgelegten?|vorhandenen?) {_FILES}",
            rf"(?:größe|umfang|stand|inhalt) (?:der|des|meiner|dieser) {_STORE}|wie (?:groß"
            rf"|umfangreich) ist …\b{_STORE}|was (?:liegt|ist) (?:alles )?in (?:der|dem|meiner)"
            rf" {_STORE}",
            rf"(?:neueste|älteste|zuletzt|jüngste)\w* …\b(?:{_FILES}|hinzugefügt|hochgeladen"
            rf"|eingelesen) …(?:{_STORE}|hinzugefügt|hochgeladen|eingelesen|gespeichert)",
            r"(?:welche|was für) (?:dateiformate?|formate?|dateitypen|sprachen)"
            rf" …\b(?:{_STORE}|{_FILES}|gespeichert|vor|abgelegt)",
        ),
        content=(
            r"erwähn\w*|nenn\w*|behandel\w*|beschäftig\w*|über|zum thema|sprech\w*|das wort"
            r"|vorkomm\w*|komm(?:t|en)",
        ),
        threshold=(
            r"(?:ab|über|unter|bis|oberhalb|unterhalb|jenseits) (?:welche[mnrs]?|wie ?viele?|wie"
            r" (?:hoch|viel))",
            r"ab wann gilt|(?:schwelle|schwellenwerte?n?|auslösewert|eingreifschwelle"
            r"|grenzbereich)",
            r"(?:bei|von) welche[mnr] (?:\w+ ){1,4}(?:schaltet|greift|muss|müssen|ist|sind|gilt"
            r"|wird|werden|löst)",
            r"überschr(?:itt|eit)\w+|überst(?:eigt|iegen|eigen)\w*|unterschr(?:itt|eit)\w+"
            r"|überzogen",
            r"(?:über|unter|oberhalb|unterhalb) (?:dem|der|des|den) (?:\w+)?(?:grenz|richt"
            r"|schwellen|höchst|referenz|mindest)\w*",
            r"wie (?:hoch|viel|lange|groß) (?:darf|dürfen|muss|müssen) …\b(?:sein|damit|bevor)",
        ),
        count=(r"(?:in |an |bei |auf )?wie ?vielen?|wie oft|anzahl|wie häufig|zähle?",),
        listing=(
            r"^(?:bitte )?(?:liste|nenne?|finde?|suche?|zeige?|gib|zähle?|stelle?|sammle)(?: mir|"
            r" uns| sie)?(?: bitte)? (?:alle\w*|jede\w*|sämtliche\w*)",
            r"(?:alle|jede[nrms]?|sämtliche[nr]?) (?:\w+ )?(?:paragra(?:ph|f)en|vorschriften"
            r"|abschnitte?n?|stellen|artikeln?|dokumente?n?|verträge\w*|unterlagen|passagen"
            r"|kapiteln?|fundstellen|regelungen|stelle|vorschrift|erwähnung(?:en)?|bestimmungen"
            r"|klauseln?|berichte?n?|absätze?n?)",
            r"überall|vollständige (?:liste|aufstellung)|ausnahmslos|lückenlos\w*|jede erwähnung",
            r"(?:welche[nrms]?|in welche[mnr]) (?:der |unserer |meiner |dieser )?(?:\w+e[nr]?"
            r" )?(?:paragra(?:ph|f)en|vorschriften|abschnitte?n?|stellen|artikeln?|dokumente?n?"
            r"|verträge\w*|unterlagen|passagen|kapiteln?|regelungen|bestimmungen|klauseln?"
            r"|berichte?n?|protokolle?n?|schreiben|mails?|e-mails?|firmen|unternehmen|personen"
            r"|lieferanten|absätze?n?|anlagen|§§)",
            r"^wo (?:wird|werden|ist|kommt|kommen|taucht|tauchen) …\b(?:erwähnt|genannt|vor|auf"
            r"|zitiert|verwendet)",
        ),
        mentions=(
            r"(?:denen|dem|der|wo|worin) (?P<term>.+?) (?:vorkomm\w*|auftauch\w*|steht|stehen"
            r"|fällt|(?:erwähnt|genannt|verwendet|zitiert|gebraucht) (?:wird|werden|ist|sind))",
            r"(?:das |den |die |der |dem )?(?:wort|wörter|begriff|ausdruck|bezeichnung"
            r"|zeichenfolge|name[n]?|stichwort|phrase) (?P<term>.+?) (?:vor|auf|erwähnt|genannt"
            r"|benutzt|verwendet|gebraucht|enthalten|vorkommt|vorkommen|auftaucht|steht|zu finden"
            r"|enthält|enthalten|gefunden)",
            r"(?:komm(?:t|en)|tauch(?:t|en)) (?P<term>.+?) (?:vor|auf)(?= in\b| im\b|$|\?)",
            r"(?:vorkommen|erwähnung(?:en)?|nennung(?:en)?|fundstellen) (?:von|des wortes|des"
            r" begriffs|der) (?P<term>.+)",
            r"(?:wird|werden|ist|sind) (?P<term>.+?) (?:auch |ausdrücklich |bereits |noch |so"
            r" )?(?:erwähnt|genannt|zitiert|verwendet|gebraucht|benutzt|angesprochen)",
            r"(?:erwähn|nenn|verwend|enthalt|benutz|gebrauch)(?:t|en|et) (?:das wort |den begriff "
            r"|den ausdruck |die )?(?P<term>.+)",
            r"(?:enthält|enthalten) (?:das wort|den begriff|den ausdruck) (?P<term>.+)",
            r"(?:vom|von) (?P<term>.+?) (?:die rede|gesprochen)|ist die rede von (?P<term_b>.+)",
            r"(?:das |den |die |der |dem )?(?:wort|begriff|ausdruck|stichwort|zeichenfolge)"
            r" (?P<term>.+)",
        ),
        section_words=(
            r"paragra(?:ph|f)(?:en|s)?|§§?|vorschriften|abschnitte?n?|artikeln?|absätze?n?"
            r"|kapiteln?|bestimmungen|regelungen|klauseln?|anlagen",
        ),
        document_words=(
            r"dokumente?n?|dateien|pdfs?|unterlagen|verträge?n?|berichte?n?|protokolle?n?"
            r"|schreiben|gesetze?n?|studien|gutachten|rechnungen|e-?mails?|mails|briefe?n?|akten"
            r"|verordnungen|normen|bescheide?n?",
        ),
        occurrence_words=(r"wie oft|wie häufig|mal|vorkommen|häufigkeit|erwähnungen|nennungen",),
        settled=(r"^(?:auf|an|zu|von|durch|nach|gemäß) welche[mnrs]?",),
        passage_words=(
            r"stellen?|passagen?|fundstellen?|erwähnung(?:en)?|nennung(?:en)?|sätze?n?"
            r"|textstellen?",
        ),
    ),
    splitting=Splitting(
        conjunctions=(r"und(?: auch| dann)?", r"oder", r"sowie", r"aber", r"beziehungsweise|bzw\."),
        interrogatives=(
            r"(?:in|unter|für|bei|von|mit|nach|ab|bis|seit|zu|an|auf|aus|gegen|über)"
            r" (?:welche[mnrs]?|wann|wem|wen|was)",
            r"was|welche[mnrs]?|wer|wem|wen|wessen|wann|wo|woher|wohin|warum|weshalb|wieso"
            r"|weswegen|wie|wodurch|womit|wofür|worin|ob|inwieweit|inwiefern",
            r"(?:darf|dürfen|muss|müssen|kann|können|soll|sollen|ist|sind|gilt|gelten|gibt|hat"
            r"|haben|wird|werden) (?:ich|wir|man|er|sie|es|der|die|das|ein|eine|dies|diese)",
        ),
        verbs_first=(
            r"darf|dürfen|muss|müssen|kann|können|soll|sollen|sollte|ist|sind|war|waren|gilt|gelten"
            r"|gibt|hat|haben|wird|werden|wurde|wurden|brauche?|brauch(?:t|en)|bedarf|bedürfen"
            r"|besteh(?:t|en)|benötig(?:e|t|en)",
        ),
        listed=(
            r"(?:wie|warum|weshalb|wieso|wann|woher|wohin|womit|wodurch|wofür)",
            r"(?:wer|was|wo|wem|wen|welche[mnrs]?)(?=\s*(?:,|\?|und\b|oder\b))",
        ),
        imperatives=(
            r"(?:bitte )?(?:vergleiche?|nenne?|liste|erkläre?|erläutere?|beschreibe?|fasse|finde"
            r"|zeige?|gib|bewerte|analysiere|skizziere|stelle)(?:n sie)?",
        ),
        between=(r"zwischen", r"sowohl"),
        either="oder",
    ),
)
