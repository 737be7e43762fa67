"""How Spanish asks for things held together: comparisons and relations; compared without accents."""

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
        r"a diferencia de|cuál(?:es)? de (?:los|las|nuestros|nuestras|mis|estos|estas|ambos|ambas"
        r"|entrambos)|lado a lado",
        r"ventajas? (?:e|y) (?:los |las )?(?:inconvenientes?|desventajas?) …\b(?:frente|de (?:los"
        r"|las) dos|entre|sobre|respecto)",
        r"qué tiene …\bque no|qué (?:cambia|cambió|ha cambiado|cambios|novedades) …\b(?:entre"
        r"|desde|respecto|de una|con|en la (?:nueva|última)|hay)",
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
        r"superior(?:es)?|supervis\w+|quién (?:nombró|nombra|designó|designa|controla|contrata)|en"
        r" qué se (?:bas|fund|apoy|sustent)\w+",
        r"relaci(?:ón|ones) (?:entre|con|del?|guarda|tiene|existe|hay)|relaci(?:ón|ones)",
        r"relacion(?:a|an|ad[oa]s?|ar)|vincul\w+|vínculos?|conexi(?:ón|ones)|conect\w+|enlaz\w+"
        r"|lazos?",
        r"remite\w*|remisi(?:ón|ones)|hace\w* referencia|se refiere\w*|referencias? (?:a|cruzadas)"
        r"|cita(?:n)?|se cita(?:n)?|citad[oa]s? (?:por|en)|alude\w*",
        r"qué (?:tiene|tienen) que ver|qué papel|papel (?:de|del|juega|desempeña)|interac\w+",
        r"depende(?:n)? (?:de|del)|recibe órdenes|subordinad\w+|superior (?:jerárquico|de)"
        r"|responde ante|rinde\w* cuentas|jerarquía|bajo (?:la autoridad|las órdenes|el mando)"
        r"|jefe de quién|reporta\w* a",
    ),
    clear=(
        r"(?:basad[oa]s?|fundad[oa]s?|apoyad[oa]s?) en|se (?:basa|funda|apoya|sustenta"
        r"|fundamenta)n? en|deriva(?:n)? de|base (?:legal|jurídica)|amparo (?:de|del)|en virtud"
        r" d\w+|fundamento (?:de|jurídico)",
        r"(?:modificad|derogad|sustituid|reemplazad|transpuest|desarrollad|aprobad|dictad|nombrad"
        r"|designad|regulad|contratad|controlad|supervisad|afectad)[oa]s? (?:por|en|al|bajo)",
        r"(?:modifica|deroga|sustituye|transpone|desarrolla|complementa)n?|pertenece\w*"
        r"|forma(?:n)? parte|miembros? de|filial(?:es)?|matriz|participada\w*|propiedad de",
        r"trabaj\w+ (?:con|para|junt\w+)|colabor\w+|asociad\w+ (?:a|con)|implicad\w+ en|compart\w+",
        r"cómo se (?:articul|relacion|integr|encaj|combin|conect)\w+|cómo encaja\w*|entre sí"
        r"|quiénes? más",
    ),
    hint=(r"influ(?:ye|yen|encia)|red|cadena|afecta(?:n)? a",),
)
