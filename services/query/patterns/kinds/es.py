"""How Spanish puts each type of question; compared without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns
from services.query.values import QueryType

_COMPARATIVE = TypePatterns(
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
_RELATIONAL = TypePatterns(
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
_PROCEDURAL = TypePatterns(
    decisive=(
        r"^qué \w+(?:ar|er|ir) (?:a|al|en|para|con)",
        r"qué (?:hace falta|se necesita|necesito|necesitamos) para",
        r"cómo (?:hacer|puedo|podemos|debo|debemos|tengo|hago|hacemos|proceder|se hace|se debe|se"
        r" puede|hay que|deben?|tenemos|pido|solicito)",
        r"cómo se (?!llama|define|relacion|diferenci|explica|justifica|articul|conect|vincul"
        r"|titula|denomina|distingu|compar|interpret|contrad|integr|combin|encaj)\w+(?:a|e|an|en"
        r"|ía)",
        r"cómo \w+(?:ar|er|ir)|explic\w+ …\bcómo|enséñ\w+ …\bcómo|indic\w+ …\bcómo|guía\w* paso",
        r"pasos?|paso a paso|instrucciones|procedimientos?|trámites?|modo de empleo|manual de"
        r"|receta",
        r"qué (?:debo|debemos|tengo que|tenemos que|hay que|hago|hacemos|se debe|se hace|habría"
        r" que|toca) ?(?:hacer|presentar|aportar|entregar|preparar|rellenar|comprobar|enviar|tener"
        r" en cuenta)?",
        r"en qué orden|por dónde (?:empez|empiez|comenz|comienz)\w+|lista de (?:comprobación"
        r"|verificación)",
        r"qué (?:viene|sigue|pasa|toca) (?:después|luego|ahora|a continuación|tras)|siguiente paso"
        r"|cuál es el (?:proceso|trámite|modo|procedimiento|siguiente)|forma (?:correcta|adecuada)"
        r" de|manera de",
    ),
    clear=(
        r"dónde (?:\w+o|puedo|debo|hay que \w+) (?:el|la|los|las|un|una)",
        r"procesos? (?:de|para)|protocolo (?:de|para)|método (?:para|de)|guía (?:de|para)|tutorial"
        r"|secuencia",
        r"qué (?:documentos|documentación|papeles|requisitos|formularios) (?:debo|hay|necesito|se"
        r"|tengo|hacen|necesitamos|hace)|a quién (?:debo|hay|tengo|se|aviso|avisar|llamo|informo"
        r"|comunico)|dónde (?:debo|se presenta|presento|solicito|se solicita|hay que)",
        r"(?:antes|después) de …, ¿?(?:qué|cómo)|qué (?:pasos|hay) …\bpara|de qué (?:manera|forma"
        r"|modo)|para (?:solicitar|obtener|darse|dar de|pedir|tramitar|renovar)",
    ),
    hint=(
        r"^(?:solicitar|obtener|declarar|sustituir|renovar|tramitar|presentar|registrar|dar"
        r"|cambiar|\w+(?:ar|er|ir)) (?:un|una|el|la|los|las|de|al)",
        r"solicitud de|^(?:alta|baja) de|^cómo",
    ),
)
_ANALYTICAL = TypePatterns(
    decisive=(
        r"por qué|por que razón|a qué se debe\w*|qué (?:explica|motivó|causó|provocó|llevó"
        r"|justifica|ha (?:provocado|causado|motivado))|cómo (?:es que|se explica|se justifica)"
        r"|^para qué",
        r"(?:motivos?|razon(?:es)?|causas?) (?:de|del|por|para|que|hay|tiene|detrás)|razón de ser"
        r"|a qué responde|tiene\w* sentido|qué sentido|finalidad (?:de|del)|trasfondo|qué"
        r" (?:consecuencias|implicaciones|repercusiones|efectos)",
        r"analiz(?:a|ar|e|emos|ad)|^(?:haz\w* )?(?:un )?análisis|eval[uú]\w+|valor(?:a|ar|e|en"
        r"|emos|ad) (?:si|la|el|los|las|este|esta)|juzg\w+|critic\w+|interpret\w+|examin\w+"
        r"|enjuici\w+|opin(?:as|a|ión)",
        r"hasta qué punto|en qué medida|qué tan|cómo de \w+|(?:merece|vale) la pena|conviene"
        r"|convendría|es (?:razonable|sensato|aconsejable|recomendable|prudente)",
    ),
    clear=(
        r"qué efectos?|(?:lo )?(?:bastante|suficientemente) \w+|(?!podr|querr)\w{2,}(?:dr|rr"
        r"|br)ía(?:n|s|mos)?|qué (?:ventajas|inconvenientes)",
        r"demasiad\w+|respald\w+|prueban|demuestran?|avalan?",
        r"(?<=\n)(?:es|son|debe\w*|puede\w*|hay que|tenemos|basta|cuenta|vale|está|fue|hace falta)",
        r"respeta\w*|infring\w+|vulner\w+|incumpl\w+|infracci\w+",
        r"pued\w+ …\b(?:aún|todavía|seguir)|sali\w+ mal|fall(?:ó|aron)|fracas\w+",
        r"consecuencias?|implica(?:ciones|ción|n|ría)?|repercusi(?:ón|ones)|impactos?|efectos?"
        r" (?:de|del|sobre|tendría|tiene)|incidencia en|qué (?:supone|supondría|significa) …\bpara",
        r"(?:podr(?!ías? (?:decir|indicar|explicar|mostrar|resumir|ayudar))|deber|tendr|habr|ser"
        r"|har|valdr|cubrir|bastar|pasar|ocurrir|implicar|supondr|estar|dar|permitir|servir"
        r"|afectar|quedar|cambiar|perder|convendr|aceptar|resultar|responder|exigir|anular|merecer"
        r"|constituir|corresponder|incumplir|obligar|significar|saldr|vendr|funcionar)ía(?:n|s"
        r"|mos)?",
        r"(?:es|son|era|fue|resulta|resultan|parece|parecen) …\b(?:válid|lícit|legal|legítim"
        r"|justificad|suficiente|razonable|adecuad|fiable|plausible|convincente|creíble|coherente"
        r"|abusiv|realista|proporcionad|sólid|nul|conforme|aplicable|exigible|viable"
        r"|correct)(?:[oa]?s?)",
        r"riesgos?|peligros?|debilidad(?:es)?|puntos? (?:débil|fuerte|flaco)\w*|fortalezas|lagunas"
        r"|fallos|arriesg\w+",
        r"qué (?:pasa|pasaría|ocurre|ocurriría|sucede|sucedería) si|y si|supon\w+|en caso de que"
        r"|qué cabe (?:concluir|esperar)|se puede (?:concluir|deducir|afirmar|considerar)"
        r"|cumpl(?:e|en|imos)",
        r"basta(?:n)?|estamos (?:obligad\w+|cubiert\w+|expuest\w+)|nos (?:obliga|afecta|expone"
        r"|cubre|pueden|interesa)|argumentos? (?:a favor|en contra|para)|justific\w+|importancia"
        r" (?:de|del)|recomend\w+|aconsej\w+|se sostiene|cubre(?:n)?",
    ),
    hint=(
        r"^(?:es|son|está|cumple|respeta|puede\w*) (?:nuestr\w+|mi)",
        r"problemas?|si …,|crític\w+|realmente|de verdad|debe(?:mos)?|necesari\w+",
    ),
)
_EXPLORATORY = TypePatterns(
    decisive=(
        r"qué hay de nuevo|impresión (?:de|del|general)",
        r"(?:conclusiones|ideas|puntos|temas|resultados|aspectos|cuestiones) (?:principales|clave"
        r"|esenciales|centrales)",
        r"resum(?:en|e|ir|as|a|ame|eme|idamente)|resúm\w+|síntesis|sintetiz\w+|visión (?:general"
        r"|de conjunto|global)|panorama|panorámica|vista general|a grandes rasgos|esboz\w+"
        r"|repas(?:o|a|ar)|recorrido",
        r"puntos? (?:principales|clave|esenciales|importantes|fundamentales)|lo (?:esencial"
        r"|principal|más importante|fundamental)|(?:principales|grandes) (?:puntos?|temas?|ideas?"
        r"|líneas|cuestiones|asuntos|conclusiones|obligaciones|aspectos|hallazgos|novedades)"
        r"|ideas? (?:principal\w*|clave|general)",
        r"de qué (?:trata|tratan|va|van|habla|hablan|se trata)|sobre qué (?:trata|versa|va)|en qué"
        r" consiste\w*|qué (?:asuntos|temas|cuestiones|materias|puntos (?!débil|fuerte|flac)"
        r"|aspectos) …\b(?:\w+)",
        r"qué (?:dice|dicen|cuenta|cuentan|se sabe|sabemos|contiene|contienen|se dice|recoge"
        r"|recogen|aborda|encontramos|hay en|tenemos sobre|información hay|tratan)|háblame"
        r"|cuéntame|hablame|cuentame",
        r"introducción|iniciación|nociones|lo básico|conceptos básicos|fundamentos|generalidades"
        r"|estado de la (?:cuestión|situación|técnica)|estado del arte|ponme al (?:día|corriente)"
        r"|ponerme al",
        r"(?:hacerme|hacerse|hacernos|una|darme|me haga) una idea|una idea (?:del?|general|de lo)"
        r"|todo (?:sobre|lo que|acerca)|qué (?:debo|debería|hay que|conviene) saber|familiariz\w+",
    ),
    clear=(
        r"lo que (?:tenemos|hay) (?:sobre|en|de)",
        r"^(?:explica|explique|explíc\w+|describ\w+|presenta|expón|expon\w*|detalla|desarrolla)",
        r"contexto|antecedentes|contenido (?:del?|de la)|en general|en líneas generales|brevemente"
        r"|en pocas (?:palabras|líneas)|(?:quiero|quisiera|me gustaría) (?:entender|conocer|saber"
        r" más|comprender)|soy nuev\w+|cómo (?:funciona|está (?:organizad|regulad|estructurad))\w*"
        r"|acerca de",
    ),
    hint=(r"sobre|temas?|asuntos?|en torno|respecto|grosso modo|más o menos",),
)
_FACTUAL = TypePatterns(
    clear=(
        r"^(?:el )?tipo (?:de interés|impositivo|de cambio)",
        r"permitid\w+|prohibid\w+|obligación de",
        r"^(?:el |la |los |las )?(?:semivida|representante|propietari\w+|lugar|actividad|altura"
        r"|anchura|longitud|empleador|beneficiari\w+|asegurador\w+|arrendador\w*|fabricante"
        r"|contraseña|iban|inicio|fin)",
        r"^(?:el |la |los |las )?(?:importe|plazos?|fecha|duración|nombre|número|dirección|precio"
        r"|tasa|umbral|límites?|valor|temperatura|preaviso|vencimiento|cantidad|alquiler|renta"
        r"|coste|título|autor\w*|edad|peso|frecuencia|superficie|capacidad|sede|versión|fianza"
        r"|tarifa|cuantía|horario|teléfono)",
        r"(?:a |de |en |por |desde hace |durante )?cuánt[oa]s?(?: tiempo)?|cada cuánto",
        r"(?:desde |hasta |para |a partir de )?cuándo|cuál (?:es|era|fue|será) (?:el|la|su)"
        r" (?:fecha|plazo|importe|nombre|número|valor|límite|precio|dirección|temperatura|dosis"
        r"|duración|umbral|título|tasa|edad|definición|máxim\w+|mínim\w+|cantidad|versión|horario"
        r"|coste|término)",
        r"^(?:quién|quiénes|dónde|de dónde|a quién|de quién)|cómo se (?:llama|titula|denomina"
        r"|define)\w*",
        r"^(?:a partir de|en|con|de|a|bajo|hasta|desde|sobre|para|por|según|por encima de) (?:qué"
        r"|cuál(?:es)?)",
        r"defin(?:e|ición|ido|en)|qué (?:significa|se entiende|quiere decir|es|son)",
        r"^(?:enumera|lista|cita|encuentra|localiza|busca|indica|dame|dime|nombra|señala"
        r"|recuérd\w*|relaciona)|mencion\w+|menci(?:ón|ones)|aparec\w+|figura(?:n)?|se habla|qué"
        r" (?:día|año|fecha|hora|porcentaje|cantidad|plazo|importe|valor|número|temperatura)",
    ),
    hint=(
        r"permitid[oa]s?|prohibid[oa]s?|obligatori[oa]s?|permite(?:n)?|máxim[oa]|mínim[oa]|vigente"
        r"|en vigor|saber si|decirme si|sabes si|se puede|está (?:permitid|prohibid)\w+",
        r"hay (?:algun|un|una|algún)|existe\w*|cuál(?:es)? (?:es|son)|saber si",
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
