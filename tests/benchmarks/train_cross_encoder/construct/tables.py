"""Word lists of the edits: words of one meaning, words of opposite meaning, kinds of words."""


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


def pairs(text: str) -> list[tuple[str, str]]:
    """Pairs written as "one = other; …", over any number of lines."""
    found = (part.split(" = ") for part in " ".join(text.split("\n")).strip().split(";"))
    return [(one.strip(), other.strip()) for one, other in found]


SAME_DE = pairs("""
insbesondere = vor allem; unverzüglich = ohne schuldhaftes Zögern; jedoch = allerdings;
innerhalb von = binnen; gemäß § = nach §; entsprechend § = nach §; mindestens = wenigstens;
höchstens = maximal; beziehungsweise = bzw.; circa = etwa; ca. = etwa;
zum Beispiel = beispielsweise; z. B. = zum Beispiel; Abs. = Absatz; Nr. = Nummer; sowie = und;
lediglich = nur; jährlich = jedes Jahr; ebenfalls = auch; ausschließlich = nur; häufig = oft;
verwendet = benutzt; zudem = außerdem; aufgrund = wegen; erhält = bekommt;
nicht zulässig = unzulässig; nicht erforderlich = entbehrlich; untersagt = verboten;
zulässig = erlaubt; vollständig = ganz; benötigt = braucht; derzeit = zurzeit;
anschließend = danach; erforderlich = notwendig; die notwendigen = die nötigen;
zuständigen Behörde = zuständigen Stelle; verschiedene = unterschiedliche;
verschiedenen = unterschiedlichen; zahlreiche = viele; zahlreichen = vielen; ermöglicht = erlaubt;
existiert = besteht; wurde erbaut = wurde gebaut; erbaut = gebaut;
errichtet = gebaut; befindet sich = liegt; befinden sich = liegen; kann = darf;
mitzuteilen = zu melden; vorzulegen = einzureichen; im Jahr = im Jahre;
entsprechend anzuwenden = sinngemäß anzuwenden; gilt entsprechend = gilt sinngemäß;
gelten entsprechend = gelten sinngemäß; in der Regel = im Regelfall; meist = meistens;
Mitgliedstaat = Mitgliedsstaat; mehrere = einige; sodass = so dass;
zur Verfügung gestellt = bereitgestellt
""")
OPPOSITE_DE = pairs("""
mindestens = höchstens; spätestens = frühestens; zulässig = unzulässig; erlaubt = verboten;
innerhalb = außerhalb; höher = niedriger; größer = kleiner; größte = kleinste;
größten = kleinsten; älteste = jüngste; erste = letzte; ersten = letzten; nördlich = südlich;
westlich = östlich; mehr als = weniger als; vorher = nachher; öffentlich = geheim; steigt = sinkt;
erhöht = verringert; schriftlich = mündlich; freiwillig = verpflichtend; befristet = unbefristet;
gestattet = untersagt; unterhalb = oberhalb; links = rechts; erfolgreich = erfolglos;
am Ende = am Beginn; zum Ende = zum Beginn; vor Beginn = nach Ende; bis zum Ende = ab dem Ende;
nördlichen = südlichen; westlichen = östlichen; gültig = ungültig;
wirksam = unwirksam; entgeltlich = unentgeltlich; langsam = schnell; seltener = häufiger;
Norden = Süden; Osten = Westen; Vorteil = Nachteil; weiblich = männlich;
rechtmäßig = rechtswidrig; abhängig = unabhängig; hohe = niedrige; hohen = niedrigen;
möglich = unmöglich; teuer = billig; mit Ausnahme der = einschließlich der;
mit Ausnahme des = einschließlich des; einschließlich der = mit Ausnahme der;
mit Zustimmung = ohne Zustimmung; geöffnet = geschlossen; stark = schwach; innere = äußere;
inneren = äußeren; leichter = schwerer; positiv = negativ; erforderlich = entbehrlich;
verpflichtet = nicht verpflichtet; berechtigt = nicht berechtigt; im Inland = im Ausland;
maximal = mindestens; minimal = maximal; ältere = neuere
""")
SAME_EN = pairs("""
shall = must; in order to = to; prior to = before; such as = for example;
personal information = personal data; utilize = use; at least = no fewer than; obtain = get;
purchased = bought; however = though; for example = for instance; e.g., = for example;
begin = start; began = started; approximately = about; is not permitted = is not allowed;
prohibited = forbidden; permitted = allowed; received = got; located in = situated in;
requested = asked for; via = through; also known as = also called; assist = help;
additional = further; commence = begin; terminate = end; upon request = on request;
entire = whole; largest = biggest; usually = normally; often = frequently; numerous = many;
is able to = can; are able to = can; has the right to = is entitled to; demonstrated = showed;
SHALL NOT = must not; SHALL = must; MUST = must; SHOULD = should; MAY = may;
choose to = decide to; founded = established; known as = called; ensure = make sure;
multiple = several; various = different; utilized = used; regarding = about; concerning = about;
may also = can also; primarily = mainly; users = people who use it; employees = staff;
individuals = persons; web site = website; Web site = website; e-mail = email;
is required to = must; are required to = must; is used to = serves to; are used to = serve to;
in addition to = besides; immediately = at once; promptly = without delay; attempt to = try to;
comprised = made up; difficult = hard; occurs = happens; occur = happen; required = necessary
""")
OPPOSITE_EN = pairs("""
before = after; prior to = after; permitted = prohibited; allowed = forbidden;
increase = decrease; increases = decreases; increased = decreased; higher = lower;
largest = smallest; larger = smaller; at least = at most; minimum = maximum;
more than = less than; above = below; including = excluding; first = last; northern = southern;
eastern = western; north = south; east = west; inside = outside; required = optional;
voluntary = mandatory; public = private; high = low; early = late; earliest = latest;
internal = external; valid = invalid; dependent = independent; temporary = permanent;
oldest = youngest; better = worse; always = never; often = rarely; positive = negative;
upper = lower; success = failure; opt-in = opt-out; enabled = disabled; enable = disable;
accept = reject; secure = insecure; encrypted = unencrypted; safe = unsafe; mutable = immutable;
legal = illegal; synchronous = asynchronous; static = dynamic; is possible = is impossible;
beginning = end; major = minor; faster = slower; longer = shorter; authorized = unauthorized;
in writing = orally; except = including; disclose = conceal; other than = including;
accepted = rejected; is able to = is unable to;
are able to = are unable to; strong = weak; easy = difficult
""")
STRONG_DE = pairs("""
geben = gegeben; nehmen = genommen; halten = gehalten; treffen = getroffen; tragen = getragen;
weisen = gewiesen; ziehen = gezogen; schließen = geschlossen; lassen = gelassen;
bringen = gebracht; schreiben = geschrieben; bieten = geboten; stehen = gestanden;
gehen = gegangen; heben = gehoben; rufen = gerufen; sprechen = gesprochen; binden = gebunden;
finden = gefunden; messen = gemessen; nennen = genannt; senden = gesandt; wenden = gewendet;
werfen = geworfen; lesen = gelesen; fassen = gefasst; legen = gelegt; kennen = gekannt;
brechen = gebrochen; laden = geladen; greifen = gegriffen; leihen = geliehen; tun = getan;
scheiden = geschieden; winden = gewunden; sehen = gesehen; stellen = gestellt; setzen = gesetzt;
führen = geführt; nutzen = genutzt
""")
IRREGULAR_EN = pairs("""
make = made; send = sent; keep = kept; hold = held; give = given; take = taken; write = written;
read = read; set = set; bind = bound; choose = chosen; get = got; show = shown; build = built;
bear = borne; pay = paid; meet = met; sell = sold; submit = submitted; permit = permitted;
refer = referred; put = put; leave = left; begin = begun; break = broken; hide = hidden;
override = overridden; find = found
""")
FINITE_DE = words("""
bedarf bedürfen begann beginnt bestehen besteht bestimmen bestimmt betragen beträgt bezeichnet
bilden bildet bleiben bleibt darf dienen dient durfte durften dürfen endet enthalten enthält
entscheidet erfolgen erfolgt erhalten erhält erlischt erteilt finden findet führt galt gehören
gehört gehörte gelten gilt haben hat hatte hatten ist kann konnte konnten können lag legt liegen
liegt muss musste mussten muß müssen prüft regelt sind soll sollen sollte sollten stand stehen
steht stellt teilt trifft umfassen umfasst unterliegen unterliegt war waren werden wird wurde
wurden übermittelt
""")
AUXILIARIES_DE = words("""
darf dürfen haben hat hatte hatten ist kann konnte konnten können muss müssen sind soll sollen war
waren werden wird wurde wurden
""")
PLURAL_DE = words("""
bedürfen bestehen bilden bleiben dienen durften dürfen enthalten gehören gelten haben hatten
konnten können liegen mussten müssen sind sollen sollten stehen umfassen waren werden wurden
""")
PREPOSITIONS_DE = words("""
ab abweichend am an anhand auf aufgrund aus außerhalb bei beim bis durch entlang entsprechend für
gegen gemäß hinsichtlich im in infolge innerhalb laut mit mittels nach neben ohne seit statt trotz
um unbeschadet unter vom von vor wegen während zu zum zur zwischen über
""")
SEPARABLE_DE = words("""
auf ab an aus bei ein mit nach vor zurück fest her hin dar weiter sicher bereit offen bekannt
statt teil zusammen entgegen durch heraus hinzu frei zu um
""")
INSEPARABLE_DE = words("""
be ver er ent zer ge miss über unter wider wieder
""")
SMALL_DE = words("""
der die das den dem des ein eine einen einem einer jede jeder jedes alle dieser diese dieses
diesem diesen es er sie wer wird ist hat kann im in am bei beim nach vor für zur zum mit durch auf
an aus während wegen ab bis von vom innerhalb über unter zwischen gemäß seit aufgrund keine kein
sein seine ihr ihre wenn soweit sofern solange falls sobald einige viele mehrere als da weil
""")
SMALL_EN = words("""
the a an we you your our if when where unless it he she they this these those each every all any
in on at by for from during after before under with some many most such no as since upon its their
""")
