"""How Spanish asks; compared without accents."""

from typing import Final

from services.query.patterns.base import Asking, Splitting, Table
from services.query.patterns.kinds.es import TYPES

_ARTICLE: Final = r"(?:el |la |los |las |un |una |unos |unas |del |nuestr\w+ )"
_THING: Final = rf"{_ARTICLE}?(?P<{{}}>[^,;:?\n]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_FILES: Final = r"(?:documentos?|archivos?|ficheros?|pdfs?)"
_STORE: Final = (
    r"(?:base(?: de (?:datos|conocimientos?|documentos))?|colecci(?:ón|ones)|biblioteca|corpus"
    r"|índice|catálogo|archivo|fondo|sistema|repositorio)"
)

TABLE: Final = Table(
    types=TYPES,
    openers=(
        r"(?:hola|buenas|perdón|perdona|por favor|oye|bueno|y|pero|entonces|una pregunta|a "
        r"ver)[,:]?",
        r"(?:(?:puedes|podrías|puede|podría|me puedes|me podrías|me puede|me podría|sabes|sabe) "
        r"?(?:usted )?(?:decirme|indicarme|decir|indicar|aclararme)?|(?:quiero|quisiera|querría"
        r"|me gustaría|necesito|queremos) saber|me pregunto|dime|dígame|ni idea de)(?= "
        r"(?:\w{1,5} )?(?:qué|cuál(?:es)?|quién(?:es)?|dónde|cuándo|cómo|cuánt[oa]s?|por qué)\b)",
    ),
    asked=(
        r"(?:(?:a|de|en|con|por|para|desde|hasta|bajo|sobre) )?(?:qué|cuál(?:es)?|quién(?:es)?"
        r"|dónde|cuándo|cómo|cuánt[oa]s?)",
    ),
    facts=(
        r"^(?:qué|cuál(?:es)?|quién(?:es)?|dónde|cuándo|cuánt[oa]s?)",
        r"^(?:es|son|está|están|hay|tiene|tienen|puede|pueden|debe|deben|ha|han|se|existe|permite"
        r"|fue|era)",
        r"(?:qué|cuál|quién|dónde|cuándo)$",
    ),
    reasons=(r"^(?:por qué|cómo)",),
    fragments=(
        r"(?:y )?(?:luego|después|entonces|ahora)|olvídalo|da igual|qué más",
        r"(?:página|capítulo|sección|anexo|tabla|p\.) \d+",
        r"(?:ok|vale|sí|no|gracias|muchas gracias|por favor|hola|buen(?:os|as) (?:días|tardes"
        r"|noches)|perfecto|bien|de acuerdo|genial|claro|adiós|estupendo)(?:[ ,.!]+\w+){0,3}",
        r"(?:y |pero |entonces )?(?:el|la|los|las|lo) (?:otr[oa]|primer[oa]?|segund[oa]"
        r"|tercer[oa]?|últim[oa]|siguiente|mism[oa]|anterior)s?(?: \w+)?",
        r"(?:y |pero |entonces )?(?:para|con|de|a|sobre|en) (?:él|ella|ellos|ellas|eso|esto|ese"
        r"|esa|ese caso|mí)|y (?:eso|esto|entonces|él|ella|ahora|después|qué)|(?:es )?(?:verdad"
        r"|cierto|correcto|seguro)",
        r"(?:puedes|podrías|puede) (?:repetir|continuar|seguir)(?:lo|me)?(?: .*)?|otra vez|sigue"
        r"|continúa|más|de verdad|lo (?:de siempre|mismo|de antes|de ayer)(?: …)?",
        r"(?:puedes|puede) ayudarme|ayuda|prueba|qué sabes hacer|en (?:español|inglés)|más "
        r"(?:corto|breve)",
        r"(?:y|pero) (?:el|la|los|las|en|con|para|del?|su) (?:[\w-]+ ?){1,3}",
        r"por qué no|(?:el )?(?:tema|asunto) \w+",
        r"qué tal(?: estás?)?|cómo (?:estás?|te va)|quién eres|eres (?:una? )?(?:\w+ )?(?:human"
        r"|robot|persona|máquina)\w*",
        r"(?:y |pero |también )+(?:para|con|en|de|sin) (?:el |la |los |las )?\w+(?: también)?"
        r"|para (?:los|las|el|la) \w+ también",
        r"(?:lo|eso|aquello) (?:de|del|que) …|ya sabes …|como (?:siempre|antes|de costumbre)",
    ),
    keywords={
        "causal": (
            r"por qué",
            r"causas?|razon(?:es)?|motivos?|debido a",
            r"consecuencias?|impactos?|implicaciones|repercusiones",
        ),
        "analysis": (
            r"analiz\w+|análisis|eval[uú]\w+|examin\w+|valor(?:a|ar|e)",
            r"explic\w+|explíc\w+|justific\w+|interpret\w+",
        ),
        "comparison": (
            r"compar\w+|versus|vs|frente a",
            r"diferenci\w+|difier\w+|distingu\w+|similitud\w*|semejanzas?",
            r"ventajas?|beneficios?",
            r"desventajas?|inconvenientes?",
        ),
        "steps": (r"pasos?|etapas?|fases?", r"procesos?|procedimientos?|trámites?"),
        "synthesis": (r"resum\w+|resúm\w+|síntesis|sintetiz\w+|visión general|panorama",),
    },
    pairs=(
        rf"entre {_A} y {_B}(?=$|[,;:?]| (?:en|para|sobre|según)\b)",
        rf"^compar(?:a|ar|e|ame) {_A} (?:y|con|a) {_B}(?=$|[,;:?.]| (?:en|para|sobre)\b)",
        rf"^{_A} (?:versus|vs\.?|frente al?|en comparación con) {_B}(?=$|[,;:?.])",
        rf"en qué se (?:diferencian?|distinguen?|parecen?) {_A} (?:y|de|del|a) {_B}(?=$|[,;:?])",
        rf"en qué (?:difieren|divergen) {_A} y {_B}(?=$|[,;:?])",
        rf"(?:distingue|diferencia|separa|relaciona|vincula) (?:a )?{_A} (?:de|del|y|con) {_B}(?=$"
        rf"|[,;:?])",
        rf"relación (?:guarda|tiene) {_A} con {_B}(?=$|[,;:?])",
        rf"^{_A} y {_B},? ¿?cómo se relacionan",
    ),
    asking=Asking(
        database=(
            rf"cuántos {_FILES} (?:hay|tienes|tenemos|tiene|están|contiene|se han|existen|guardas"
            rf"|son)\b …",
            rf"cuántos {_FILES}$|cuántas colecciones|qué colecciones",
            rf"(?:lista|listar|muestra|enumera|muéstrame|enséñame|dame)(?:me)? (?:todos )?(?:los "
            rf"|mis |nuestros )?{_FILES}(?: (?:de|en|disponibles|del|que hay) …{_STORE})?(?:"
            rf" disponibles| guardados)?$",
            rf"(?:qué|cuáles) (?:son los )?{_FILES} (?:hay|tienes|tenemos|están|contiene|se han"
            rf"|tiene|guardas)\b …(?:{_STORE}|disponibles?|guardad\w+|import\w+|cargad\w+"
            rf"|indexad\w+|subid\w+|añadid\w+|$)",
            r"(?:has|tienes|ya (?:está|están|se ha|se han)|(?:está|están|se ha|se han|ha sido"
            r"|han sido) (?:ya|correctamente)) (?:bien )?(?:cargad|importad|subid|ingerid|guardad"
            r"|incorporad|almacenad|añadid)[oa]s? ?…$",
            r"(?:está|están|se ha|se han|ha sido|han sido|fue) (?:bien )?(?:indexad|subid)[oa]s?"
            r" ?…$",
            rf"formatos? (?:de |tienen )?(?:los )?(?:archivos?|ficheros?|documentos?)|(?:tamaño"
            rf"|contenido|estado) (?:de la|del|de mi) {_STORE}|(?:último|más reciente|más antiguo)"
            rf" (?:documento|archivo) …\b(?:añadido|subido|{_STORE})|(?:documento|archivo) más"
            rf" (?:reciente|antiguo)",
            rf"{_FILES} (?:guardados|almacenados|cargados|importados|indexados|subidos)",
            rf"(?:idiomas?|lenguas?) …\b{_FILES} …(?:guardad\w+|almacenad\w+|{_STORE})?$|qué hay"
            rf" en (?:la|el|mi) {_STORE}",
        ),
        content=(r"mencion\w*|cita(?:n)?|habla\w*|trata\w*|sobre|acerca|menciona\w*|refier\w*",),
        threshold=(
            r"(?:a partir de|por encima de|por debajo de|más allá de|hasta|con|sobre) (?:qué"
            r"|cuánt[oa]s?|cuál)|desde qué (?:valor|nivel|dosis|importe|cantidad)",
            r"umbral(?:es)?|valor (?:límite|de alerta|de actuación|de disparo)|nivel de (?:alarma"
            r"|alerta|acción)",
            r"(?:super|sobrepas|exced|rebas|traspas)(?:a|e|ar|er|an|en|ado|ada|arse|erse|ase|ó)\w*",
            r"(?:por encima|por debajo) del? (?:límite|umbral|valor|nivel|máximo|mínimo)",
            r"qué …\btiene que (?:rebasarse|superarse|alcanzarse)|hace falta (?:alcanzar|superar)",
        ),
        count=(
            r"cuánt[oa]s?|(?:el )?número (?:de|total)|cuenta (?:los|las|cuántos)|con qué"
            r" frecuencia",
        ),
        listing=(
            r"^(?:lista|enumera|cita|encuentra|localiza|busca|muestra|muéstrame|dame|indica|señala"
            r"|recopila)(?:me)? (?:todos|todas|cada|la totalidad|cualquier)",
            r"(?:todos|todas) (?:los|las|nuestros|nuestras|mis) (?:\w+ )?(?:artículos?|secciones"
            r"|pasajes?|cláusulas?|documentos?|contratos?|lugares|menciones|referencias"
            r"|disposiciones|capítulos?|párrafos?|informes?|apartados?|facturas?)|cada (?:mención"
            r"|pasaje|artículo|vez|lugar|documento)",
            r"en todas partes|lista (?:completa|exhaustiva)|sin excepción|exhaustiv\w+|allí donde",
            r"(?:qué|cuáles|en qué|en cuáles) (?:son los |de los |de nuestros )?(?:artículos"
            r"|secciones|pasajes|cláusulas|documentos|contratos|disposiciones|capítulos|párrafos"
            r"|informes|cartas|actas|correos|empresas|personas|proveedores|anexos|apartados"
            r"|sociedades|facturas|leyes|normas|sentencias)",
            r"^dónde (?:aparece|figura|sale)\w*",
            r"^dónde se (?:menciona|cita|habla|nombra)\w*",
        ),
        mentions=(
            r"(?:la |las |el |los )?(?:palabras?|términos?|expresi(?:ón|ones)|voz|nombre)"
            r" (?P<term>.+?) (?:aparec\w+|figura\w*|se (?:usa|menciona|cita|emplea|encuentra"
            r"|repite)\w*|sale\w*)",
            r"(?:aparec\w+|figura(?:n)?|sale(?:n)?|se (?:usa|emplea|repite|menciona)n?) (?:la |el"
            r" )?(?:palabra|término|expresión) (?P<term>.+)",
            r"(?:se )?(?:mencion|cit|nombr|contien|emple|us|aparec)(?:a|an|e|en) (?:la palabra |el"
            r" término |la expresión )?(?P<term>.+)",
            r"(?:se )?habla(?:n)? (?:de la |de los |de las |del |de )(?P<term>.+)|(?:menci(?:ón"
            r"|ones)|apariciones) (?:a la |a los |a las |al |a |de la |de |del )(?P<term_b>.+)",
        ),
        section_words=(
            r"artículos?|secciones|cláusulas?|disposiciones|capítulos?|párrafos?|anexos?"
            r"|apartados?",
        ),
        document_words=(
            r"documentos?|archivos|ficheros?|pdfs?|contratos?|informes?|actas?|correos?|cartas?"
            r"|leyes|estudios?|facturas?|normas?|expedientes?|decretos?|sentencias?",
        ),
        occurrence_words=(r"veces|apariciones|frecuencia",),
        settled=(r"^(?:a|de|por|según) (?:qué|cuál(?:es)?)",),
        passage_words=(r"lugares|pasajes?|menci(?:ón|ones)|frases?|citas|líneas|sitios",),
    ),
    splitting=Splitting(
        conjunctions=(r"y(?: también)?", r"e", r"o", r"pero", r"así como"),
        interrogatives=(
            r"(?:a|de|en|con|por|para|desde|hasta|bajo|sobre) (?:qué|quién(?:es)?|cuál(?:es)?"
            r"|cuándo|cuánt[oa]s?|dónde)",
            r"qué|cuál(?:es)?|quién(?:es)?|dónde|cuándo|cómo|cuánt[oa]s?",
            r"(?:es|son|hay|puede|debe|tiene|se puede|se debe) (?:el|la|un|una|que|necesari\w+"
            r"|obligatori\w+)",
        ),
        verbs_first=(r"es|son|hay|pueden?|deben?|tienen?|se puede|se debe",),
        listed=(r"(?:cómo|por qué|cuánt[oa]s?|cuál(?:es)?|quién(?:es)?|cuándo|dónde|qué)",),
        imperatives=(
            r"(?:compara|lista|explica|describe|resume|encuentra|muestra|dame|analiza|evalúa"
            r"|enumera|cita)",
        ),
        between=(r"entre",),
        either="o",
    ),
    folded=True,
)
