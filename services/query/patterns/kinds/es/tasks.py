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
ANALYTICAL: Final = TypePatterns(
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
