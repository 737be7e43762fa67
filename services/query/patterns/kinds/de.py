"""How German puts each type of question."""

from typing import Final

from services.query.patterns.base import TypePatterns
from services.query.values import QueryType

_COMPARATIVE = TypePatterns(
    decisive=(
        r"(?:was|welche[rs]?) ist (?:(?-i:[a-zäöü])\w{2,}er|am \w+sten)(?! als)",
        r"(?P<same>\w{4,})\b …\b(?:gegen|against|contre|contra) …\b(?P=same)",
        r"oder [^?\n,]{1,40}, (?:was|wer|welche[mnrs]?)|(?:stell|halt)\w* …\b(?:gegenüber"
        r"|gegeneinander|nebeneinander)|gegeneinander|beide[nr]? …\b(?:gleich|selb)\w*|voneinander"
        r" ab",
        r"vergleich\w*|verglichen|gegenüber(?:stell\w*|gestellt)|nebeneinander\w*|abgleich\w*",
        r"unterschied\w*|unterscheide\w*|differenz(?:en)?|abweich\w+|weich\w* …\bab|divergier\w*",
        r"gemeinsamkeit\w*|gemein(?:sam)? (?:ist|sind|haben)|haben …\bgemein(?:sam)?"
        r"|ähnlichkeit\w*|ähnel\w*",
        r"vs\.?|versus|im gegensatz zu\w*|im verhältnis zu\w*|überschneid\w+|deckungsgleich",
        r"welche[rsnm]? (?:von |der |dieser |unter |unserer |meiner )*(?:beiden?|zwei|drei|vier)",
        r"vor- und nachteile …\b(?:von …\bund|gegenüber|beider|der beiden|zwischen)",
        r"(?:was|wie) (?:hat|haben|ist|wurde) …\b(?:geändert|verändert|neu)(?: seit| gegenüber|$"
        r"|\?)",
        r"(?:alt(?:e[rns]?)?|früher\w*|bisherig\w*) und (?:neu(?:e[rns]?)?|heutig\w*|künftig\w*)",
    ),
    clear=(
        r"seit der (?:letzten|vorigen|alten|ersten) (?:fassung|version|auflage|ausgabe)|gestiegen"
        r" oder|gegenüber der (?:letzten|alten|vorigen)",
        r"welche[rsmn]? …\b(?:am \w+sten|(?:das|der|die) (?:\w+ste|beste)[nr]?)|anders$",
        r"(?!(?:mehr|weniger|länger|älter|später|früher|anders|nichts|kein\w*)"
        r" als)\w{3,}er(?:e[rnms]?)? (?:[^\s?]+ ){0,8}?als(?! \d| ein(?:e[mnr]?)? (?:jahr|monat"
        r"|tag))",
        r"(?:mehr|weniger|besser|lieber|höher|größer|strenger) (?:[^\s?]+ ){1,8}?als(?! \d)",
        r"(?:genau)?so \w+ wie|ebenso \w+ wie|(?:die|der|das)selben?|gleich(?:wertig|artig"
        r"|bedeutend)",
        r"deck(?:t|en) sich|stimm(?:t|en) …\büberein|widerspr(?:echen|icht|üche?)|einig",
        r"(?:besser|schlechter|strenger|günstiger|schneller|sicherer|\w{3,}er) …\b(?:ab|ist"
        r"|sind)?, [^?]+\boder\b",
        r"(?:wer|was|welche\w*) …\b(?:besser|schlechter|mehr|weniger|strenger|günstiger|schneller"
        r"|höher|niedriger|länger|kürzer|eher|stärker|sicherer|teurer|billiger|am \w+sten)\b"
        r" …\boder\b",
        r"rangfolge|rangliste|ranking|am (?:meisten|wenigsten|strengsten|günstigsten|besten)"
        r" …\bvon",
        r"verhält sich …\bzu\b|anders als|abgrenzung|abgrenz\w+|grenz\w* …\bvoneinander",
    ),
    hint=(r"vor- und nachteile|beide[nr]?|jeweils|alternativen?|abwägen",),
)
_RELATIONAL = TypePatterns(
    decisive=(
        r"an wen (?:berichte|meld)\w*|(?:miteinander|untereinander)",
        r"beaufsichtig\w+|wer (?:bestellt|ernennt|ernannte|kontrolliert|überwacht)|auf welche[rn]?"
        r" (?:\w+ )?(?:rechts)?grundlage|worauf (?:beruh|stütz|bas|fuß|bezieh|verweis)\w+",
        r"zusammenhang|zusammenhänge\w*|zusammenhängen|häng\w* …\bzusammen|hängt …\bab von",
        r"beziehung(?:en)? (?:zwischen|zu\w*|von|der|des|steht|stehen|besteht)|beziehung(?:en)?",
        r"verbindung(?:en)?|verbind(?:et|en)|verbunden|verknüpf\w+|verflecht\w+|verflochten"
        r"|verzahn\w+",
        r"bezug (?:genommen|auf)|nimmt …\bbezug|nehmen …\bbezug|bezieh\w+ …\bsich|sich"
        r" …\bbezieh\w+",
        r"verweis(?:t|en|e|ungen)?(?: auf)?|querverweise?|verwiesen|zitier(?:t|en|te[nr]?)",
        r"unterstellt|untersteht|unterstehen|untersteh\w+|vorgesetzt\w*|weisungs\w+|berichte[nt]?"
        r" an",
        r"(?:mit|miteinander) …\bzu (?:tun|schaffen)|rolle …\b(?:spielt?|spielen|bei|für|im|in)",
        r"wechselwirk\w+|zusammenspiel|verhältnis (?:zwischen|von|zu\w*|steht|stehen)",
    ),
    clear=(
        r"hängen? …\b(?:an|am)|(?:ein|an)gebunden|zugeordnet|geht …\bzurück",
        r"(?:beruh|stütz|fuß|bas|gründ|aufbau|bau)\w* (?:sich )?…\bauf\b|setz(?:t|en) …\bauf",
        r"(?:rechts)?grundlage(?:n)? (?:für|von|der|des|ist|sind|hat)|ermächtigung\w*",
        r"(?:geändert|ersetzt|aufgehoben|abgelöst|umgesetzt|konkretisiert|erlassen|ergänzt"
        r"|bestellt|ernannt|beauftragt|kontrolliert|überwacht|geregelt) (?:durch|von|auf)",
        r"(?:durch|von|auf) …\b(?:geändert|ersetzt|aufgehoben|abgelöst|umgesetzt|konkretisiert"
        r"|erlassen|gestützt)",
        r"(?:konkretisier|umsetz|ersetz|ergänz|ausfüll|durchführ)(?:t|en)|setz(?:t|en) …\bum",
        r"gehör(?:t|en)|zugehörig\w*|teil (?:von|des|der)|mitglied\w*|tochter(?:gesellschaft"
        r"|firma)\w*",
        r"zusammen(?:arbeit\w*|gearbeitet)|arbeit\w* …\b(?:zusammen|mit)|beteilig\w+|hierarchie",
        r"wem (?:ist|sind|gehört|untersteht|berichtet)|abhäng(?:t|en|ig)\w*|hängt …\bab|zuordn\w*",
        r"wodurch …\b(?:verknüpft|verbunden)|steh(?:t|en) …\bzueinander|greif\w* …\bineinander",
    ),
    hint=(r"beeinfluss\w+|einfluss auf|netz(?:werk)?|kette",),
)
_PROCEDURAL = TypePatterns(
    decisive=(
        r"wie (?:man|ich|wir) (?:\w+ ){1,6}\w+(?:t|e|en)$",
        r"(?:erklär|erläuter|beschreib|zeig)\w*(?: \w+){0,4},? wie|was (?:jetzt|nun)$|was ist"
        r" …\b\w+zu\w{3,}en|(?:vorzugehen|vorgehen)$",
        r"was (?:braucht|brauche|brauchen|benötig\w+) (?:man|ich|wir|es)",
        r"schritt für schritt|schrittweise|(?:einzelne|nächste|welche|nötige|die)\w* schritte?"
        r"|schritte (?:zu\w*|bei|für|sind|bis)|arbeitsschritte?|schrittfolge",
        r"wie (?:kann|muss|soll|sollte|darf|könnte|müssen|können|sollen|komme?|kommt|gehe?|geht)"
        r" (?:ich|wir|man|ein\w*|der|die)",
        r"wie (?:\w+) (?:ich|wir|man)",
        r"anleitung|vorgehensweise|vorgehen|verfahrensweise|ablaufplan|checkliste"
        r"|handlungsanweisung",
        r"was (?:muss|müssen|soll|sollen|sollte|habe|haben|hat|kann) (?:ich|wir|man) …\b(?:tun"
        r"|machen|unternehmen|beachten|einreichen|vorlegen|mitbringen|beantragen|veranlassen"
        r"|ausfüllen)",
        r"was (?:mache|tue|mach|tun|machen|unternehme|unternehmen) (?:ich|wir)|was (?:tun|nun)|was"
        r" ist …\bzu (?:tun|machen|beachten|veranlassen|erledigen|unternehmen|prüfen|regeln"
        r"|klären)",
        r"in welcher reihenfolge|reihenfolge|wie (?:läuft|laufen) …\bab|abläuft|wie geht …\bvor"
        r" sich",
        r"wie …\b(?:durchgeführt|durchzuführen|beantragt|zu beantragen|gemeldet|zu melden"
        r"|vorzugehen|anzumelden|angemeldet|erstellt|bestimmt wird|eingereicht|abgewickelt)",
        r"(?:erklär|erläuter|beschreib|zeig)\w* …\bwie (?:\w+ ){1,8}",
    ),
    clear=(
        r"wo(?:hin)? (?:\w+e (?:ich|man)|\w+en wir)|wie (?:geht|funktioniert|macht man) (?:das|es"
        r"|so\w*)|welche papiere",
        r"wie (?:soll|sollen|sollte|sollten|muss|müssen)|was dann|wie lässt sich …\b\w+en$",
        r"(?:verfahren|prozess|prozedere|ablauf|abläufe|procedere|workflow)(?: (?:zu\w*|für|bei"
        r"|der|des|nach))?|genehmigungsverfahren|antragsverfahren",
        r"wie (?:wird|werden|ist|sind|hat|haben) …\b(?:gemessen|geprüft|berechnet|ermittelt"
        r"|kalibriert|entsorgt|gelagert|gekennzeichnet|dokumentiert|bestellt|bestimmt|aufbewahrt"
        r"|verpackt|abgerechnet|verlängert|überprüft|gereinigt|behandelt|vorbereitet|hergestellt"
        r"|zu \w+en|\w+zu\w+en)",
        r"was (?:muss|müssen) …\b(?:gemacht|getan|erledigt|veranlasst|eingereicht|vorgelegt"
        r"|beachtet)|was (?:folgt|kommt|passiert|geschieht) (?:als nächstes|danach|nach)"
        r"|nächste\w* schritt",
        r"welche (?:unterlagen|nachweise|formulare|dokumente|angaben) (?:muss|müssen|brauch\w+"
        r"|benötig\w+|sind (?:einzureichen|vorzulegen|nötig|erforderlich)|werden)",
        r"(?:wen|wem) (?:muss|müssen|soll|sollen|habe|haben) (?:ich|wir|man)|an wen (?:wende|muss"
        r"|wenden)",
        r"wo(?:hin|für|mit)? (?:muss|reiche|melde|beantrage|wende) (?:ich|wir|man)|rezept"
        r"|gebrauchsanweisung",
    ),
    hint=(
        r"^(?!was|wer|wie|wo|wann|welche|darf|dürf|kann|könn|muss|müss|soll|ist|sind|steh|und|hat"
        r"|haben|wird|werd|wurd|gibt|gilt|gelt|hast|habt)(?-i:[A-ZÄÖÜ])[\w-]* (?:[\w-]+"
        r" ){0,5}(?-i:[a-zäöüß]{2,}(?:en|ern|eln))$",
        r"beantragen|einreichen|anmelden|abmelden|kündigen|durchführ\w+|antrag auf|schritte?",
        r"beachten|nötig, um|um …\bzu \w+en|wie (?:wird|werden|kommt|erfolgt)",
    ),
)
_ANALYTICAL = TypePatterns(
    decisive=(
        r"warum|wieso|weshalb|weswegen|wozu|aus welche[mn] gr[uü]nde?n?|wie kommt es|woran liegt",
        r"gründe? (?:für|dafür|hinter|hat|haben|gibt)|ursachen?|sinn und zweck|sinn|zweck (?:von"
        r"|der|des)",
        r"analysier\w+|^(?:bewert|beurteil|würdig)\w+|(?:bewerten|beurteilen|einschätzen"
        r"|würdigen)$|kritisier\w+|interpretier\w+|untersuch(?:e|en) (?:sie|ob|wie|die|den)"
        r"|einschätzung|schätz\w* …\bein",
        r"inwieweit|inwiefern|wie (?:wahrscheinlich|belastbar|überzeugend|stichhaltig|realistisch"
        r"|plausibel|tragfähig|riskant|zuverlässig|ernst|schlimm|sinnvoll|verlässlich|glaubwürdig)",
        r"welche (?:folgen|konsequenzen|auswirkungen)|was spricht …\b(?:für|gegen)|was spricht"
        r" (?:dafür|dagegen)|spricht etwas (?:dafür|dagegen|gegen)",
        r"(?:sinnvoll|vertretbar|ratsam|empfehlenswert|lohnt|rechtfertig(?:t|en|bar)"
        r"|gerechtfertigt)",
    ),
    clear=(
        r"(?:würde|hätte|wäre|könnte|müsste|dürfte)(?:n|st|t)?(?!\w)(?! (?:ich |wir )?(?:gerne?"
        r"|sie|du|ihr|mir|bitte))|ausgewirkt|welche (?:vor|nach)teile|\w+ genug|vor gericht",
        r"(?:ist|sind|war|waren) …\bzu (?!\w+(?:en|ern|eln)$)(?-i:[a-zäöü])\w+$|^(?:stützen"
        r"|belegen|beweisen|widerlegen|rechtfertigen)|was,? wenn",
        r"(?<=\n)(?:ist|sind|muss|müssen|darf|dürfen|kann|können|gilt|soll|sollen|haben|brauchen"
        r"|zählt|fällt|war)",
        r"verstoß|verletz(?:t|en)|welche[mn]? gr[uü]nd\w*",
        r"(?:kann|darf|muss|können|dürfen|müssen) …\bnoch|schief\w*|gescheitert|scheiter\w+",
        r"(?:folgen|konsequenzen|auswirk\w+|folgerung(?:en)?|nachwirkungen) (?:hat|haben|hätte"
        r"|hätten|ergeben|von|der|des|für|drohen|wäre|wären)|wirkt sich …\baus|was folgt (?:aus"
        r"|daraus)",
        r"was (?:passiert|geschieht|wäre|würde|hieße|bedeutet das)\b …\bwenn|was wäre|was würde",
        r"(?:wirksam|rechtmäßig|haltbar|ausreichend|angemessen|plausibel|stichhaltig|überzeugend"
        r"|belastbar|verhältnismäßig|schlüssig|tragfähig|konsistent|unwirksam|anfechtbar"
        r"|durchsetzbar|rechtssicher|realistisch|glaubhaft)",
        r"genügt|genügen|reich(?:t|en) …\b(?:das|es|die|der|aus)|ausreich\w*|hält …\bstand|trägt"
        r" …\b(?:noch|nicht)",
        r"risik(?:o|en)|gefahr(?:en)?|schwach(?:stelle|punkt)\w*|schwäche\w*|stärken|einwände?"
        r"|mängel",
        r"(?:was|welche folgen?) bedeutet …\bfür (?:uns|mich|unser\w*)|heißt das|bedeutet das",
        r"soll(?:te|ten|en)? (?:wir|ich)|müssen wir|dürfen wir|können wir|haften wir|sind wir"
        r"|brauchen wir|fallen wir|haben wir …\b(?:pflicht|anspruch|recht|verstoß)\w*",
        r"spricht (?:dafür|dagegen)|argument(?:e|iert|ation)?|empfiehl\w+|empfehl\w+|steckt"
        r" …\bdahinter|steckt hinter|erklärt sich|erklären sich|lässt sich …\b(?:erklären|halten"
        r"|schließen|ableiten)",
        r"bedeutung (?:von|der|des|hat)|verstößt|verstoßen|haltbar|betroffen|widerruf\w* droht",
    ),
    hint=(
        r"^(?:ist|sind|kann|können|darf|muss|genügt|reicht|erfüllt|hat) (?:unser\w*|mein\w*)",
        r"wenn …,|falls …,|problem\w*|kritisch|notwendig|müssen|(?:wir|unser\w*) …[.;,] \w+ …\?",
        r"verhindert|führt …\bzu",
    ),
)
_EXPLORATORY = TypePatterns(
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
_FACTUAL = TypePatterns(
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
    ),
    hint=(
        r"darf|dürfen|erlaubt|verboten|vorgeschrieben|verpflichtet|zulässig ist|gestattet|maximal"
        r"|mindestens|höchstens|spätestens|ob",
        r"gibt es|gilt|gelten|laut|gemäß|welche[mnrs]? (?:\w+ ){0,3}(?:muss|darf|gilt|fordert"
        r"|verlangt|schreibt)",
    ),
)

TYPES: Final[dict[QueryType, TypePatterns]] = {
    "comparative": _COMPARATIVE,
    "relational": _RELATIONAL,
    "procedural": _PROCEDURAL,
    "analytical": _ANALYTICAL,
    "exploratory": _EXPLORATORY,
    "factual": _FACTUAL,
}
