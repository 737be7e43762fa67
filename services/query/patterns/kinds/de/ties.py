"""How German asks for things held together: comparisons and relations."""

from typing import Final

from services.query.patterns.base import TypePatterns

COMPARATIVE: Final = TypePatterns(
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
        r"(?:alt|früher|bisherig)\w* (?:gegen|kontra|oder|statt) (?:\w+ )?(?:neu|heutig)\w*",
        # agreement of several
        r"deck(?:t|en) sich",
        # a choice at the end: wer mehr, A oder B
        r"(?:wer|was|wo|welche[mnrs]?) …\b(?:mehr|weniger|am \w+sten|(?!unter|immer|wieder"
        r"|dieser|jeder|unser|einer|keiner|hinter|bisher"
        r"|vorher)(?-i:[a-zäöüß]{3,}er(?:e[nrs]?)?))\b[^?\n]{0,80}, (?!wenn|falls|um|dass|weil"
        r"|sobald|bevor|ob)[^?\n]{1,60} oder",
        # a choice named first: von A und B, welche
        r"^(?:von|unter) [^?\n]{3,80}(?:, | und \w+ )(?:welche[mnrs]?|wer|was)",
        # gaps and rank
        r"diskrepanz\w*|schneide\w* …\bab|überlegen|unterlegen|übertriff\w*|vorzuziehen|seite "
        r"an seite|(?:doppelt|halb|dreimal) so|um wie ?viel (?:mehr|weniger|\w+er)"
        r"|neuerung(?:en)? (?:gegenüber|seit)",
        # what changed over versions
        r"(?:änder|veränder|wandel)\w* …\b(?:zwischen|gegenüber|seit)|von (?:einer|einem) "
        r"…\bzu[mr]? (?:nächsten|anderen)",
        # order by size
        r"(?:sortier|ordn|reih)\w* …\bnach|gegenüber (?:de[mrn] )?(?:vorjahr|vorgänger"
        r"|vormonat|früher)\w*",
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
        # the same outcome
        r"(?:zum|zur|zu den) ?(?:selben|gleichen)|denselben|demselben|derselben",
        # a course from one state to another
        r"(?:gestiegen|gesunken|gewachsen|erhöht|gefallen|entwickelt) …\bvo[nm] …\b(?:auf|zu"
        r"|zum|bis)|vo[nm] …\b(?:auf|zu|zum|bis) …\b(?:gestiegen|gesunken|gewachsen|erhöht"
        r"|gefallen)",
        # just as much
        r"genauso|ebenso(?:viel)?|gleich (?:viel|hoch|lang|streng|gut|teuer|schnell|behandelt)"
        r"|identisch|eher …\boder|anstelle",
        # ranking
        r"(?:welche[mnrs]?|wer|wo) …\b(?:höchst|niedrigst|längst|kürzest|größt|kleinst"
        r"|strengst|günstigst|meist|wenigst|best|schlechtest)e[nrms]?",
    ),
    hint=(r"vor- und nachteile|beide[nr]?|jeweils|alternativen?|abwägen",),
)
RELATIONAL: Final = TypePatterns(
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
        # a basis asked for
        r"(?:worauf|auf (?:was|wen|welche\w*)) …\b(?:beruh|stütz|bas|fuß|gründ|bezieh|verweis"
        r"|aufbau)\w*",
        # rank
        r"steh(?:t|en) (?:\w+ )?(?:über|unter) (?:de[rmn]|wem|uns)",
        # one text acting on another
        r"(?:mit|durch|von) …\b(?:umgesetzt|abgelöst|aufgehoben|konkretisiert|eingeführt)$"
        r"",
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
        r"gehör(?:t|en)(?! (?:an|auf|in|hinein))|zugehörig\w*|teil (?:von|des|der|einer|eines)"
        r"|mitglied\w*|tochter(?:gesellschaft|firma)\w*",
        r"zusammen(?:arbeit\w*|gearbeitet)|arbeit\w* …\b(?:zusammen|mit)|beteilig\w+|hierarchie",
        r"wem (?:ist|sind|gehört|untersteht|berichtet)|abhäng(?:t|en|ig)\w*|hängt …\bab|zuordn\w*",
        r"wodurch …\b(?:verknüpft|verbunden)|steh(?:t|en) …\bzueinander|greif\w* …\bineinander",
        # texts tied to others
        r"anknüpf\w*|knüpf\w* …\ban",
        # membership
        r"^zu (?:welche[mnr]|wem) …\b(?:zähl|gehör|rechn)\w+|sitz(?:t|en) …\b(?:im|in|für)",
        # origins
        r"(?:ab|her)geleitet|leite[nt] sich|beruf(?:t|en) sich|zurückgeh\w*|entstammt|dien(?:t"
        r"|en) …\bals grundlage|in verbindung mit",
        # standing in
        r"stellvertret\w*|vertritt|nachfolger\w*|vorgänger\w*|im auftrag|unterlieg(?:t|en)",
        # things joined
        r"angeschlossen|zusammenwirk\w*|wirk(?:t|en) …\bzusammen|mündet|wem …\b(?:gehör"
        r"|untersteh|bericht|zugeordnet)\w*",
        # ties by name
        r"in welche[mr] (?:verhältnis|beziehung|zusammenhang|verbindung)|(?:chef|leiter)\w* "
        r"von|mit wem",
    ),
    hint=(r"beeinfluss\w+|einfluss auf|netz(?:werk)?|kette",),
)
