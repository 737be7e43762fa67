"""How Spanish asks for what stands written: overviews and facts; compared without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns

EXPLORATORY: Final = TypePatterns(
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
        # short accounts
        r"(?:pon|poner)\w* en situación|pinceladas|(?:unas|dos|tres|pocas|cuatro) (?:líneas"
        r"|palabras|frases)|estado actual",
        # subjects that come up
        r"(?:temas?|asuntos?) …\b(?:recurrent|repit|aparec|salen|trat|abord)\w*",
        # help to understand
        r"ayúdame a (?:entender|comprender|ver)|ilústra\w*|introdúce\w*|(?:dame|deme|hazme"
        r"|hágame) (?:una|un) (?:idea|visión|panorama|repaso|resumen|impresión)|qué se sabe|qué "
        r"sabemos|qué hay (?:sobre|en|acerca)|ponme|en qué anda|cómo está (?:el|la) (?:tema"
        r"|asunto|situación|cuestión)",
        # a picture of a subject
        r"(?:visión|imagen|idea|mirada|vistazo|foto) (?:general|global|de conjunto|rápid\w+)"
        r"|por encima(?! de)|paisaje",
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
FACTUAL: Final = TypePatterns(
    decisive=(
        # a summary as a thing, not as what is wanted
        r"^(?:quién|cuándo|dónde) …\b(?:resumen|síntesis)",
        # a measure, in speech
        r"cómo de (?:grues|alt|anch|larg|grand|profund|lejos|rápid|pesad)\w*",
        # what something is called, also in company of other words
        r"cómo se (?:llama|titula|denomina)n?",
        # what something is made for or covers
        r"^para qué (?:potencia|presión|temperatura|tensión|capacidad|uso|fecha|periodo|plazo)",
    ),
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
        # what one clause says
        r"según (?:la cláusula|el artículo|el apartado|el anexo|la sección)|^a qué obliga\w*"
        r"|^por qué (?:importe|precio|cantidad|plazo|valor|periodo)",
        # all places of a kind
        r"^(?:tod[oa]s|cada) (?:los |las )?\w+ (?:donde|que|en|con)",
        # bare names of values
        r"^(?:el |la |los |las )?(?:salario|sueldo|nivel|tope|dosis|presión|potencia|tensión"
        r"|caudal|espesor|distancia|caducidad|referencia|código|correo|prima|franquicia"
        r"|porcentaje)",
        # the store
        r"(?:documentos?|archivos?|ficheros?|pdfs?) …\b(?:subi|añadi|import|carg|guard|index"
        r"|almacen)\w+|^(?:tenemos|tienes|hay) (?!que|derecho)",
        # a value wished for
        r"(?:sería|es) (?:usted )?tan amable|(?:quisiera|quiero|me interesa|necesito|me "
        r"gustaría) (?:confirmar|saber|conocer) (?:si|el|la|los|las|con|en|a|de)",
        # a sanction or cover by contract
        r"qué (?:penalización|sanción|multa|recargo|indemnización|plazo) …\b(?:fija|prevé"
        r"|establece|marca|señala)|^par de",
    ),
    hint=(
        r"permitid[oa]s?|prohibid[oa]s?|obligatori[oa]s?|permite(?:n)?|máxim[oa]|mínim[oa]|vigente"
        r"|en vigor|saber si|decirme si|sabes si|se puede|está (?:permitid|prohibid)\w+",
        r"hay (?:algun|un|una|algún)|existe\w*|cuál(?:es)? (?:es|son)|saber si",
    ),
)
