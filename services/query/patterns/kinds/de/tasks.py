"""How German asks for work: procedures and judgements."""

from typing import Final

from services.query.patterns.base import TypePatterns

PROCEDURAL: Final = TypePatterns(
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
        # manners of working
        r"(?:vorgegangen|vorgeht|vorgehen|verfahren|verfährt)$",
        # a course of work described
        r"(?:beschreib|schilder|erklär|erläuter)\w* …\b\w*(?:probenahme|vorbereitung"
        r"|kalibrierung|montage|reinigung|wechsel|inbetriebnahme|durchführung|herstellung"
        r"|berechnung|entlüftung|ausbau|einbau|wartung)",
        # what comes now
        r"(?:und (?:jetzt|nun)|was (?:jetzt|nun))$|handgriffe\w*",
        # how a study was made
        r"wie (?:haben|hat|wurden?|sind) …\b(?:gemessen|erhoben|ermittelt|bestimmt|ausgewählt"
        r"|berechnet|gewonnen|untersucht|ausgewertet|getestet|geprüft)|methodik|messmethode"
        r"|abfolge",
        # a wish to do something, then how
        r"(?:ich|wir) (?:will|möchte|wollen|möchten|muss|müssen|soll|sollen|habe|haben)\b "
        r"[^?\n]{1,150}[,.:] ?(?:wie|was|welche|wo|wohin|an wen|wen)",
        # what somebody has to do
        r"was (?:muss|müssen|soll|sollen|sollte|sollten|hat|haben) …\b(?:tun|machen"
        r"|unternehmen|veranlassen|einreichen|einzureichen|vorlegen|beachten|erledigen|zu tun)",
        # ways and beginnings
        r"auf welche[mn]? weg\w*|auf welche weise|womit …\b(?:fang|beginn)\w*|^(?:nun|jetzt)$",
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
        r"welche (?:unterlagen|nachweise|formulare|dokumente|angaben|belege) (?:reiche|lege|gebe"
        r"|füge|schicke|nehme|reichen|legen|geben|fügen|schicken|nehmen) (?:ich|wir)",
        r"(?:wen|wem) (?:muss|müssen|soll|sollen|habe|haben) (?:ich|wir|man)|an wen (?:wende|muss"
        r"|wenden)",
        r"wo(?:hin|für|mit)? (?:muss|reiche|melde|beantrage|wende) (?:ich|wir|man)|rezept"
        r"|gebrauchsanweisung",
        # measures due after an event
        r"welche …\b(?:maßnahmen|meldungen|prüfungen|kontrollen|schritte) …\b(?:folgen"
        r"|ergreifen|treffen|nötig|erforderlich|fällig|\w*zu\w+en)|^(?:nach|bei|vor) "
        r"[^?\n]{3,80}[:,] (?:was|wie|welche)",
        # who is to be told
        r"(?:wer|wen|wem|was|wo|wohin|worauf) …\b(?:zu \w+en$|zu (?:achten|beachten))|(?:wer"
        r"|wen|wem) …\b(?:informier|verständig|benachrichtig|alarmier)\w+|worauf (?:muss"
        r"|müssen|ist)",
        # in an event, what or who
        r"(?:im falle?|bei|nach|vor|wenn|falls|sobald) [^?\n]{3,80}[,:] (?:was|wer|wen|wem|wie"
        r"|wohin|wo) (?:muss|müssen|soll|ist|sind|hat|haben|kann|mach|tu|meld|geh)\w*",
        # a wish to do something
        r"^(?:ich|wir) (?:will|möchte|wollen|möchten|muss|müssen) (?!wissen"
        r"|verstehen)[^?\n]{1,150}(?<!wissen)(?<!verstehen)$",
        # how a thing is done, without a doer
        r"^wie (?:\w+e|\w+t|\w+en) (?:ich|wir|man|sich)|wie (?:erfolgt|läuft|verläuft"
        r"|geschieht|funktioniert|geht|gelingt)|welche (?:formalitäten|vorkehrungen"
        r"|vorbereitungen|schutzmaßnahmen)",
        # duties
        r"was (?:muss|müssen|soll|sollen|sollte|sollten) (?:ich|wir|man) "
        r"…\b\w+en(?<!wissen)(?<!kennen)(?<!verstehen)(?= bevor|,|$)",
    ),
    hint=(
        r"^(?!was|wer|wie|wo|wann|welche|darf|dürf|kann|könn|muss|müss|soll|ist|sind|steh|und|hat"
        r"|haben|wird|werd|wurd|gibt|gilt|gelt|hast|habt)(?-i:[A-ZÄÖÜ])[\w-]* (?:[\w-]+"
        r" ){0,5}(?-i:[a-zäöüß]{2,}(?:en|ern|eln))$",
        r"beantragen|einreichen|anmelden|abmelden|kündigen|durchführ\w+|antrag auf|schritte?",
        r"beachten|nötig, um|um …\bzu \w+en|wie (?:wird|werden|kommt|erfolgt)",
        # manner with a verb of doing
        r"wie (?:wird|werden|wurden?|ist|sind|hat|haben) …\b(?:\w*ge\w{2,}(?:t|en)|\w+iert)$",
    ),
)
ANALYTICAL: Final = TypePatterns(
    decisive=(
        r"warum|wieso|weshalb|weswegen|wozu(?! (?:verpflicht|berechtig|ermächtig|zwing))|aus "
        r"welche[mn] gr[uü]nde?n?|wie kommt es|woran liegt",
        r"gründe? (?:für|dafür|hinter|hat|haben|gibt)|ursachen?|sinn und zweck|sinn|zweck (?:von"
        r"|der|des)",
        r"analysier\w+|^(?:bewert|beurteil|würdig)\w+|(?:bewerten|beurteilen|einschätzen"
        r"|würdigen)$|kritisier\w+|interpretier\w+|untersuch(?:e|en) (?:sie|ob|wie|die|den)"
        r"|einschätzung|schätz\w* …\bein",
        r"inwieweit|inwiefern|wie (?:wahrscheinlich|belastbar|überzeugend|stichhaltig|realistisch"
        r"|plausibel|tragfähig|riskant|zuverlässig|ernst|schlimm|sinnvoll|verlässlich"
        r"|glaubwürdig)",
        r"welche (?:folgen|konsequenzen|auswirkungen)|was spricht …\b(?:für|gegen)|was spricht"
        r" (?:dafür|dagegen)|spricht etwas (?:dafür|dagegen|gegen)",
        r"(?:sinnvoll|vertretbar|ratsam|empfehlenswert|lohnt|rechtfertig(?:t|en|bar)"
        r"|gerechtfertigt)",
        # a case told, then a question about it
        r"(?<=\n)(?:ist|sind|muss|müssen|darf|dürfen|kann|können|gilt|haben|hat|braucht|zählt"
        r"|soll) (?:er|sie|es|das|dies|ich|wir|unser\w*|mein\w*)",
        # an opinion asked for
        r"was (?:hältst|halten|meinst|meinen|denkst|denken) (?:du|sie)|(?:deine|ihre) meinung"
        r"|wie kann es sein|woran (?:liegt|lag|scheitert\w*)",
        # grades of trust
        r"wie (?:aussagekräftig|gefährlich|vertrauenswürdig|gut begründet|wichtig|valide"
        r"|fundiert|fair|sicher|brauchbar)",
    ),
    clear=(
        r"(?:würde|hätte|wäre|könnte|müsste|dürfte)(?:n|st|t)?(?!\w)(?! (?:ich |wir )?(?:gerne?"
        r"|sie|du|ihr|mir|bitte))|ausgewirkt|welche (?:vor|nach)teile|\w+ genug|vor gericht",
        r"(?:ist|sind|war|waren) …\bzu (?!\w+(?:en|ern|eln)$)(?-i:[a-zäöü])\w+$|^(?:stützen"
        r"|belegen|beweisen|widerlegen|rechtfertigen)|was,? wenn",
        r"(?<=\n)(?:ist|sind|muss|müssen|darf|dürfen|kann|können|gilt|soll|sollen|haben|brauchen"
        r"|zählt|fällt|war)",
        r"verstoß|verletz(?:t|en)|welche[mn]? gr[uü]nd\w*",
        r"was wird aus|^(?:bräuchte|gälte|fiele|läge|verstieße)n?",
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
        # a case told in the same sentence
        r"\w+, (?:ist|sind|muss|müssen|darf|dürfen|kann|können|gilt|haben|hat|braucht|zählt"
        r"|soll|geht|reicht) (?:er|sie|es|das|dies|ich|wir|man)",
        # one's own case with its grounds
        r"(?:kann|darf|muss|bin|habe|hätte) ich …\b(?:als|wegen|trotz|obwohl|nachdem|weil|ohne"
        r"|aufgrund)",
        # whether a claim is borne out
        r"^(?:ist|sind|kann|können|hat|haben|wird|werden) …\b(?:überhaupt|tatsächlich"
        r"|wirklich)|(?:schluss|folgerung|these|annahme|behauptung|aussage)\w* …\b(?:gedeckt"
        r"|belegt|gestützt|trägt|tragen)",
        # a judgement on given grounds
        r"angesichts|in anbetracht|gemessen an|nach allem,? was|unter berücksichtigung",
        # blame
        r"schuld(?: an| dran| daran)?|schuldig",
        # what findings carry over to
        r"übertrag(?:en|bar)\w* …\bauf|auf …\bübertrag(?:en|bar)\w*|verallgemeiner\w+",
        # what follows from something
        r"(?:beweis|beleg|impliz|rechtfertig|entbind|befrei|berechtig)(?:t|en|ieren"
        r"|iert)|(?:daraus|darauf|hieraus) …\b(?:schließen|folgern|ableiten|folgt|ergibt)",
        # what is wise
        r"gute idee|sorgen machen|in diesem fall|in unserem fall|unter diesen umständen"
        r"|(?:aussicht|chance)\w*|soll(?:te)? (?:man|ich)|zählt …\bals|gilt …\b(?:auch für|als"
        r"|noch)",
        # reasons, also of a difference
        r"warum|wieso|weshalb|weswegen|was erklärt|wie erklär\w+",
        # how it came about
        r"wie (?:konnte|kam) (?:es|das)|(?:hat|haben) …\b(?:un)?recht(?= |$)|zu recht|zu "
        r"unrecht",
        # a rule met by one's own case
        r"(?:trifft|betrifft|erfasst|bindet|verpflichtet|gilt|berührt) (?:uns|mich|für uns"
        r"|für mich|unser\w*|mein\w*)|obwohl",
    ),
    hint=(
        r"^(?:ist|sind|kann|können|darf|muss|genügt|reicht|erfüllt|hat) (?:unser\w*|mein\w*)",
        r"wenn …,|falls …,|problem\w*|kritisch|notwendig|müssen|(?:wir|unser\w*) …[.;,] \w+ …\?",
        r"verhindert|führt …\bzu",
    ),
)
