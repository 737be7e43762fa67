"""How Spanish asks for work: procedures and judgements; compared without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns

PROCEDURAL: Final = TypePatterns(
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
        # manners of working
        r"(?:modo|manera|forma) de proceder|ahora qué$|^ahora$",
        # the way or the order asked for
        r"cuál (?:es|sería) (?:el|la) (?:camino|cauce|vía|manera|forma|orden|secuencia"
        r"|mecánica)|orden correcto",
        # what a manual says to do
        r"qué dice …\bque \w+e(?:mos|n)?$|que haga(?:mos)?$",
        # a course of work described
        r"(?:describ|detall|explic|explíc|expón|expon)\w* …\b(?:muestreo|calibración|montaje"
        r"|limpieza|preparación|instalación|sustitución|desmontaje|extracción|puesta en"
        r"|mantenimiento|cálculo|toma de)",
        # how a study was made
        r"cómo (?:han|ha|fueron|fue|se han|se ha) …\b(?:medid|calculad|obtenid|recogid|elegid"
        r"|seleccionad|determinad|tomad|realizad|evaluad)\w*|cómo (?:midieron|calcularon"
        r"|obtuvieron|recogieron|eligieron|seleccionaron|determinaron|tomaron|hicieron)"
        r"|metodología|pautas",
        # going about it
        r"a seguir|cómo (?:me|nos|lo|la|le) \w+|cómo \w+(?:amos|emos|imos|o)|qué (?:hago"
        r"|hacemos|hacer)",
        # help with a task
        r"ayúda(?:me|nos) a (?!entender|comprender|ver|encontrar)\w+(?:ar|er|ir)",
    ),
    clear=(
        r"dónde (?:\w+o|puedo|debo|hay que \w+) (?:el|la|los|las|un|una)",
        r"procesos? (?:de|para)|protocolo (?:de|para)|método (?:para|de)|guía (?:de|para)|tutorial"
        r"|secuencia",
        r"qué (?:documentos|papeles|formularios|justificantes) (?:adjunto|presento|entrego|llevo"
        r"|aporto|envío|adjuntamos|presentamos|entregamos)",
        r"qué (?:documentos|documentación|papeles|requisitos|formularios) (?:debo|hay|necesito"
        r"|se (?:debe|necesita|requiere|exige|pide|presenta|entrega|adjunta|aporta)\w*"
        r"|tengo|hacen|necesitamos|hace)|a quién (?:debo|hay|tengo|se|aviso|avisar|llamo|informo"
        r"|comunico)|dónde (?:debo|se presenta|presento|solicito|se solicita|hay que)",
        r"(?:antes|después) de …, ¿?(?:qué|cómo)|qué (?:pasos|hay) …\bpara|de qué (?:manera|forma"
        r"|modo)|para (?:solicitar|obtener|darse|dar de|pedir|tramitar|renovar)",
        # a wish to do something
        r"(?:quiero|queremos|necesito|necesitamos|tengo que|tenemos que|voy a|vamos a|me "
        r"gustaría|quisiera) (?!saber|entender|conocer|ver|comprender|leer|tener)\w+(?:ar|er"
        r"|ir)(?:lo|la|me|nos|se)?",
        # in an event, what or who
        r"(?:en caso de|tras|si|cuando|antes de|después de|al) [^?\n]{3,80}\s(?:qué|cómo|quién"
        r"|a quién|dónde) (?:hay|se|debo|debemos|hago|tengo|tenemos|aviso|llamo|hacer)",
        # infinitives asked for
        r"^(?:dónde|a quién|cuándo|con quién|qué) \w+(?:ar|er|ir)(?:lo|la|se)?",
        # things to have and to mind
        r"qué (?:precauciones|comprobaciones|medidas|controles|formalidades|preparativos)"
        r"|cómo (?:funciona|va|es) el (?:proceso|trámite|procedimiento)",
        # duties
        r"(?:a quién|dónde|con quién|ante quién) (?:debo|debemos|hay que|tengo que|tenemos que"
        r"|se debe|puedo) \w+",
        # papers asked for
        r"qué (?:papeles|documentos|documentación|justificantes) …\b(?:pedir|piden|exigen"
        r"|llevar|aportar|presentar|hacen falta|necesit\w+)",
    ),
    hint=(
        r"^(?:solicitar|obtener|declarar|sustituir|renovar|tramitar|presentar|registrar|dar"
        r"|cambiar|\w+(?:ar|er|ir)) (?:un|una|el|la|los|las|de|al)",
        r"solicitud de|^(?:alta|baja) de|^cómo",
    ),
)
ANALYTICAL: Final = TypePatterns(
    decisive=(
        r"por qué(?! (?:importe|precio|cantidad|plazo|vía|medio|artículo|ley|norma|empresa|valor"
        r"|periodo|tiempo))|por que razón|a qué se debe\w*|qué (?:explica|motivó|causó|provocó"
        r"|llevó|justifica|ha (?:provocado|causado|motivado))|cómo (?:es (?:que|posible)|se "
        r"explica|se justifica)|^para qué",
        r"(?:motivos?|razon(?:es)?|causas?) (?:de|del|por|para|que|hay|tiene|detrás)|razón de ser"
        r"|a qué responde|tiene\w* sentido|qué sentido|finalidad (?:de|del)|trasfondo|qué"
        r" (?:consecuencias|implicaciones|repercusiones|efectos)",
        r"analiz(?:a|ar|e|emos|ad)|^(?:haz\w* )?(?:un )?análisis|eval[uú]\w+|valor(?:a|ar|e|en"
        r"|emos|ad) (?:si|la|el|los|las|este|esta)|juzg\w+|critic\w+|interpret\w+|examin\w+"
        r"|enjuici\w+|opin(?:as|a|ión)",
        r"hasta qué punto|en qué medida|qué tan|cómo de (?!grues|alt|anch|larg|grand|profund"
        r"|lejos|rápid|pesad)\w+|(?:merece|vale) la pena|conviene"
        r"|convendría|es (?:razonable|sensato|aconsejable|recomendable|prudente)",
        # an opinion asked for
        r"qué (?:opinas|opina|piensas|te parece|le parece)|(?:tu|su) (?:opinión|parecer)|a tu "
        r"juicio|cómo puede ser",
        # grades of trust
        r"(?:cuán|qué tan) \w+|qué (?:grado|nivel) de (?:certeza|fiabilidad|confianza)|es "
        r"(?:fiable|lógico|justo|buena idea|normal|grave|legal|lícito|creíble|realista"
        r"|prudente)",
    ),
    clear=(
        r"qué (?:pasa|ocurre|sucede) con …\bsi|qué (?:es|será) de …\bsi|aunque|a pesar de|pese a",
        r"^necesitaría(?:n|mos)?",
        r"qué efectos?|(?:lo )?(?:bastante|suficientemente) \w+|(?!podr|querr)\w{2,}(?:dr|rr"
        r"|br)ía(?:n|s|mos)?|qué (?:ventajas|inconvenientes)",
        r"demasiad\w+|respald\w+|prueban|demuestran?|avalan?",
        r"(?<=\n)(?:es|son|debe\w*|puede\w*|hay que|tenemos|basta|cuenta|vale|está|fue|hace "
        r"falta)",
        r"respeta\w*|infring\w+|vulner\w+|incumpl\w+|infracci\w+",
        r"pued\w+ …\b(?:aún|todavía|seguir)|sali\w+ mal|fall(?:ó|aron)|fracas\w+",
        r"consecuencias?|implica(?:ciones|ción|n|ría)?|repercusi(?:ón|ones)|impactos?|efectos?"
        r" (?:de|del|sobre|tendría|tiene)|incidencia en|qué (?:supone|supondría|significa) "
        r"…\bpara",
        r"(?:podr(?!ías |ía(?:is)? \w+(?:me|nos) |ía (?:usted )?(?:decir|indicar|explicar"
        r"|mostrar|resumir|ayudar))|deber|tendr|habr|ser|har|valdr|cubrir|bastar|pasar|ocurrir"
        r"|implicar|supondr|estar|dar|permitir|servir|afectar|quedar|cambiar|perder|convendr"
        r"|aceptar|resultar|responder|exigir|anular|merecer|constituir|corresponder|incumplir"
        r"|obligar|significar|saldr|vendr|funcionar)ía(?:n|s|mos)?",
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
        # one's own right or duty
        r"^(?:necesit|pod|deb|est|incumpl|tendr|podr)\w*mos|^tenemos (?:que|derecho|obligación)"
        r"|^(?:puedo|debo|tengo que|estoy obligad\w)",
        # a judgement on given grounds
        r"a juzgar por|a la vista d\w+|teniendo en cuenta|dado que|visto lo",
        # blame and stakes
        r"la culpa|culpables?|nos (?:jugamos|arriesgamos|exponemos)",
        # what findings carry over to
        r"extrapol\w+|generaliz\w+|trasladables?",
        # what follows from something
        r"(?:demuestra|prueba|significa|implica|justifica|impide|autoriza|obliga|exime|basta"
        r"|sirve|equivale) (?:que|eso|esto|a|para)|(?:concluir|deducir|inferir)|se (?:deduce"
        r"|desprende|infiere)",
        # what is wise
        r"buena idea|en nuestro caso|nos conviene|sesgos?|limitaciones|probabilidad de"
        r"|posibilidades de|preocup\w+|mejor no",
        # reasons, also of a difference
        r"^por qué(?! (?:importe|precio|cantidad|plazo|vía|medio|artículo|ley|norma|empresa"
        r"|valor|periodo|tiempo))|qué explica|cómo se explica",
        # how it came about
        r"cómo (?:se ha llegado|hemos llegado|pudo)|a qué obedece|(?:tiene|tienen|lleva) razón",
        # whether a claim is borne out
        r"^(?:está|están|queda|quedan) (?:bien )?(?:fundad|justificad|respaldad|probad"
        r"|demostrad|sustentad|acreditad)\w+|^supón|(?:nos|se) librar\w+",
    ),
    hint=(
        r"^(?:es|son|está|cumple|respeta|puede\w*) (?:nuestr\w+|mi)",
        r"problemas?|si …,|crític\w+|realmente|de verdad|debe(?:mos)?|necesari\w+",
    ),
)
