"""How Spanish asks for things held together: comparisons and relations, without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns

COMPARATIVE: Final = TypePatterns(
    decisive=(
        r"cuál es (?:el |la )?(?:más|menos|mejor|peor)",
        r"(?P<same>\w{4,})\b …\b(?:gegen|against|contre|contra) …\b(?P=same)",
        r"o [^?\n,]{1,40},\s*(?:cuál|quién|qué)|(?:los dos|las dos|ambos|ambas) …\bmism\w+"
        r"|confront(?:a|ar|e)",
        r"compar(?:a|ar|e|en|emos|ado|ados|ación|aciones|ativa|ativo|ame|adas?)|cotej\w+"
        r"|contrast\w+",
        r"diferenci(?:a|as|an|ar|ado)|difier\w+|diferir|diverg\w+|distingu\w+|distinci(?:ón|ones)"
        r" entre",
        r"similitud(?:es)?|semejanzas?|parecid[oa]s?|en común|coincidencias? entre|se parecen?",
        r"versus|vs\.?|frente a(?:l)?|frente a frente|respecto a(?:l)? …\banterior|en comparación",
        r"a diferencia de|cuál de (?:los|las|nuestros|nuestras|mis|estos|estas|ambos|ambas"
        r"|entrambos)|lado a lado",
        r"ventajas? (?:e|y) (?:los |las )?(?:inconvenientes?|desventajas?) …\b(?:frente|de (?:los"
        r"|las) dos|entre|sobre|respecto)",
        r"qué tiene …\bque no|qué (?:cambia|cambió|ha cambiado|cambios|novedades) …\b(?:entre"
        r"|desde|respecto|de una|con|en la (?:nueva|última)|hay)",
        # set against each other
        r"enfrentad[oa]s?|contrapuest[oa]s?",
        # a choice at the end: quién cobra más, A o B
        r"(?:quién|qué|cuál|dónde) …\b(?:más|menos|mejor|peor|mayor|menor)\b[^?\n]{0,80}, "
        r"[^?\n]{1,60} o",
        # gaps and rank
        r"brechas? entre|desfases?|discrepancias?|aventaja\w*|(?:el doble|dos "
        r"veces|la mitad) (?:que|más|menos|de)|preferible|de una \w+ a (?:la )?otra|en lugar "
        r"de",
        # a choice named first: entre A y B, cuál
        r"entre [^?\n]{3,80}\s(?:cuál|quién|qué)",
        # what changed over versions
        r"(?:evolución|cambios?|modificaciones|cambiado|evolucionado|variado) …\b(?:entre"
        r"|desde|respecto)",
        # whether it is all one
        r"(?:da|es) lo mismo",
    ),
    clear=(
        r"desde la (?:última|anterior|primera) (?:versión|edición)|(?:están|son|estaban) de"
        r" acuerdo|subido o",
        r"(?:qué|cuál) …\b(?:la|el|los|las) (?:mejor|peor|más|menos)\w*|(?:es|son) (?:distint[oa]"
        r"|diferente)s?",
        r"(?:más|menos) (?!de \d)(?:\w+ ){1,6}?que(?! \d| un mes| un año)",
        r"(?:mejor(?:es)?|peor(?:es)?|mayor(?:es)?|menor(?:es)?) (?:\w+ ){0,5}?que|tan \w+ como"
        r"|tanto …\bcomo",
        r"(?:mism[oa]s?) …\bque (?:el|la|los|las|en)|idéntic\w+|equivalentes?|iguales?|igual"
        r" (?:que|de)",
        r"coincid(?:e|en)|contradi\w+|concuerd\w+|discrep\w+|se oponen?|contrapon\w+",
        r"(?:cuál|quién|qué) …\b(?:más|menos|mejor|peor|mayor|menor)\b …\bo (?:el|la|los|las|un"
        r"|una|\w+)$",
        r"(?:clasifica|ordena|ranking|jerarquiza) …\b(?:según|por|de)|de (?:los|las) dos …\b(?:más"
        r"|menos|mejor|peor)|cara a cara|pros y contras (?:de|entre) …\by",
        # alike or not
        r"\w+(?:an|en|on) (?:el|la|los|las) mism[oa]s?",
        # above or below another's
        r"(?:inferior|superior)(?:es)? (?:al?|a la|a los|a las) (?:del?|que)",
        # a course from one state to another
        r"(?:subido|bajado|aumentado|crecido|variado|cambiado|evolucionado|reducido|pasado) "
        r"…\b(?:de|del|desde|entre) …\b(?:a|al|hasta|y)",
        # just as much
        r"igual de|tant[oa]s? …\bcomo|que (?:el|la|los|las) del?",
    ),
    hint=(
        r"ventajas? (?:e|y) (?:los |las )?(?:inconvenientes?|desventajas?)|pros y contras|ambos"
        r"|ambas|respectivamente|alternativas?",
    ),
)
RELATIONAL: Final = TypePatterns(
    decisive=(
        r"de quién depende\w*",
        r"ante quién|responde\w* ante|entre sí",
        r"superior(?:es)?(?! (?:a|al|que))|supervis\w+|quién (?:nombró|nombra|designó|designa"
        r"|controla|contrata)|en qué se (?:bas|fund|apoy|sustent)\w+",
        r"relaci(?:ón|ones) (?:entre|con|del?|guarda|tiene|existe|hay)|relaci(?:ón|ones)",
        r"relacion(?:a|an|ad[oa]s?|ar)|vincul\w+|vínculos?|conexi(?:ón|ones)|conect\w+|enlaz\w+"
        r"|lazos?",
        r"remite\w*|remisi(?:ón|ones)|hace\w* referencia|se refiere\w*|referencias? (?:a|cruzadas)"
        r"|cita(?:n)?|se cita(?:n)?|citad[oa]s? (?:por|en)|alude\w*",
        r"qué (?:tiene|tienen) que ver|qué papel|papel (?:de|del|juega|desempeña)|interac\w+",
        r"depende(?:n)? (?:de|del)|recibe órdenes|subordinad\w+|superior (?:jerárquico|de)"
        r"|responde ante|rinde\w* cuentas|jerarquía|bajo (?:la autoridad|las órdenes|el mando)"
        r"|jefe de quién|reporta\w* a",
        # a basis asked for
        r"en qué …\bse (?:bas|fund|apoy|sustent|fundament|ampar)\w+|al amparo de|en "
        r"desarrollo de",
        # rank and acts on texts
        r"quién es …\bjef[ea]|por (?:qué|cuál) \w+ …\b(?:derogad|modificad|sustituid"
        r"|desarrollad|transpuest)\w+",
    ),
    clear=(
        r"(?:basad[oa]s?|fundad[oa]s?|apoyad[oa]s?) en|se (?:basa|funda|apoya|sustenta"
        r"|fundamenta)n? en|deriva(?:n)? de|base (?:legal|jurídica)|amparo (?:de|del)|en virtud"
        r" d\w+|fundamento (?:de|jurídico)",
        r"(?:modificad|derogad|sustituid|reemplazad|transpuest|desarrollad|aprobad|dictad|nombrad"
        r"|designad|regulad|contratad|controlad|supervisad|afectad)[oa]s? (?:por|en|al|bajo)",
        r"(?:modifica|deroga|sustituye|transpone|desarrolla|complementa)n?|pertenece\w*"
        r"|forma(?:n)? parte|miembros? de|filial(?:es)?|matriz|participada\w*|propiedad de",
        r"trabaj\w+ (?:con|para|junt\w+)|colabor\w+|asociad\w+ (?:a|con)|implicad\w+ en"
        r"|compart\w+",
        r"cómo se (?:articul|relacion|integr|encaj|combin|conect)\w+|cómo encaja\w*|entre sí"
        r"|quiénes? más",
        # one text acting on another
        r"incorpora(?:n)?|traspone(?:n)?",
        # origins
        r"(?:provien|emana|proced|deriv|dimana)\w* d\w+|se (?:ampara|remite|rige|apoya)n?"
        r"|invoca\w*|sirve de base|trae causa",
        # standing in
        r"suplente\w*|sucesor\w*|predecesor\w*|antecesor\w*|en nombre de|por cuenta de"
        r"|adscrit[oa]s?|cuelga de",
        # under what or whom
        r"(?:de|a|ante|bajo) (?:quién|qué \w+) …\b(?:depend|pertenec|respond|remit|report"
        r"|correspond|adscri|cuelg)\w*|conectad[oa]s? a|sujet[oa]s? a",
        # ties by name
        r"quién (?:manda|dirige|encabeza)|jef[ea] de|con quién|en qué relación",
    ),
    hint=(r"influ(?:ye|yen|encia)|red|cadena|afecta(?:n)? a",),
)
