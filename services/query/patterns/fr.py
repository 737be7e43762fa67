"""How French asks; compared without accents."""

from typing import Final

from services.query.patterns.base import Asking, Splitting, Table, TypePatterns

_ARTICLE: Final = r"(?:le |la |les |l'|un |une |des |du |de la |de l'|d'un |d'une |d'|notre |nos )"
_THING: Final = rf"{_ARTICLE}?(?P<{{}}>[^,;:?\n]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_FILES: Final = r"(?:documents?|fichiers?|pdfs?)"
_STORE: Final = (
    r"(?:base(?: de (?:données|connaissances|documents))?|collections?|bibliothèque|corpus|index"
    r"|catalogue|archives?|fonds|système)"
)

_COMPARATIVE = TypePatterns(
    decisive=(
        r"compar(?:e|er|es|ez|ons|ée?s?|aisons?|ent|atif|ative)|comparativement",
        r"différences?|diffèr\w+|différer?|diverge\w*|divergences?|distingu\w+|distinctions? entre",
        r"similitudes?|ressemblances?|points communs|en commun|rapprochements? entre",
        r"versus|vs\.?|en regard|face à face|côte à côte|par rapport (?:à|au|aux)|à la"
        r" différence d\w*",
        r"contrairement (?:à|au|aux)|l(?:equel|aquelle|esquels|esquelles) (?:des|de ces|d'entre)"
        r"|(?:lequel|laquelle)",
        r"qu'est-ce (?:que|qui) (?:ça|cela)? ?(?:change|a changé|sépare|oppose|distingue"
        r"|différencie)",
        r"avantages? et (?:les )?inconvénients? …\b(?:par rapport|des deux|entre|ou)",
        r"quels? changements? (?:entre|depuis|dans la (?:nouvelle|dernière))|(?:nouveautés"
        r"|change) …\bpar"
        r" rapport",
    ),
    clear=(
        r"(?:plus|moins|aussi) (?!de \d|d'un)(?:\w+ ){1,5}?qu(?:e|')(?! \d)(?!un mois)",
        r"(?:meilleure?s?|pires?|mieux|supérieure?s?|inférieure?s?) (?:\w+ ){0,4}(?:que|à celle"
        r"|à celui"
        r"|aux?|qu')",
        r"(?:même|mêmes) (?:\w+ ){1,4}(?:que|dans …\bet)|identiques?|équivalente?s? (?:à|aux?)"
        r"|semblables?",
        r"rejoi(?:nt|gnent)\w*|concord\w+|coïncid\w+|contredi\w+|s'oppos\w+|s'accord\w+"
        r"|contradictions?",
        r"(?:quel(?:le)?s?|qui|lequel) …\b(?:plus|moins|mieux|meilleure?|davantage) …\bou\b",
        r"(?:quel(?:le)?s?|qui) des (?:deux|trois|quatre)|des (?:deux|trois), |entre …\bet …,"
        r" (?:quel|qui|que)",
        r"classe(?:r|ment|z)?|hiérarchis\w+|mets? …\ben balance|oppose[rz]?|parallèle",
    ),
    hint=(
        r"avantages? et (?:les )?inconvénients?|les deux|l'un …\bl'autre|respectivement"
        r"|alternatives?",
    ),
)
_RELATIONAL = TypePatterns(
    decisive=(
        r"relations? (?:entre|avec|de|du|existe)|relations?|liens? (?:entre|avec|de|existe|y a)"
        r"|liens?",
        r"li(?:ée?s?|e|ent) (?:à|au|aux|par|entre|avec)|rattach\w+|reli(?:e|ent|ée?s?|er)",
        r"s'articul\w+|articulation|rapports? (?:entre|avec)|corrélation\w*|interactions?"
        r"|interagi\w+",
        r"renvo(?:ie|ient|yé|yer|is?)\w*|renvois?|référence à|se réfèr\w+|réfère\w*|cite(?:nt|s)?"
        r"|citée?s? (?:par|dans)|visée?s? (?:par|à)",
        r"quel rôle|rôle (?:de|du|des|joue)|jou(?:e|ent) …\brôle|à voir (?:avec|dans)|vient"
        r" (?:faire|"
        r"jouer) (?:dans|là)|place (?:de|du) …\bdans",
        r"dépend(?:ent)? (?:de|du|des|d')|de qui dépend|subordonn\w+|hiérarchi\w+|supérieur"
        r" hiérarchique"
        r"|rend(?:ent)? compte|sous (?:l'autorité|la responsabilité|les ordres|la tutelle) de",
    ),
    clear=(
        r"(?:en application|sur le fondement|en vertu|sur la base) d\w*|fond(?:ée?s?|e|ent) sur"
        r"|repos(?:e|ent)"
        r" sur|s'appu(?:ie|ient) sur|découl\w+|basée?s? sur|fondement|base légale|base juridique",
        r"(?:modifi|abrog|remplac|complét|transpos|pris|adopt|désign|nomm|mandat|contrôl"
        r"|régi)(?:ée?s?|e?s?)"
        r" (?:par|en|sur|aux?)|(?:transpose|modifie|abroge|remplace|complète)(?:nt|-t-il|-t-elle)?",
        r"appart(?:ient|iennent|enir)|fait partie|membres? d\w+|filiales?|maison mère|affili\w+",
        r"travaill\w+ (?:avec|pour|ensemble)|collabor\w+|associée?s? (?:à|de|avec)|impliqu\w+ dans",
        r"comment …\b(?:se rapport|s'inscri|s'insèr|s'imbriqu|se rattach|se combin|communiqu)\w+",
        r"qui (?:est|sont) …\b(?:avec|auprès)|connexions?|entre eux|les uns|partag(?:e|ent)",
    ),
    hint=(r"influenc\w+|influe\w*|réseau|chaîne|intervenants?",),
)
_PROCEDURAL = TypePatterns(
    decisive=(
        r"comment (?:faire|procéder|dois|doit|doivent|peut|puis|peux|fait|s'y|faut|devons"
        r"|pouvons|fais)",
        r"comment (?:on|je|nous|tu|vous)|comment (?:[\w-]+-(?:t-)?(?:on|je|nous))|explique\w*"
        r" …\bcomment",
        r"comment (?:se |s')?(?!\w+-)\w+(?:er|ir|re|oir)(?: |$|\?)",
        r"étapes?|étape par étape|marche à suivre|mode d'emploi|mode opératoire|pas à pas"
        r"|démarches?",
        r"par où commencer|dans quel ordre|quel ordre|procédure à suivre|que (?:faire|faut-il"
        r" faire)",
        r"(?:que|qu'est-ce que?) (?:dois-je|doit-on|devons-nous|faut-il|faut|je dois|on doit"
        r"|nous devons"
        r"|fait-on|fais-je) (?:\w+ )?(?:faire|fournir|joindre|vérifier|préparer|présenter"
        r"|remplir|envoyer)",
        r"(?:de quelle|quelle est la bonne) (?:manière|façon)|qu'y a-t-il à (?:faire|vérifier"
        r"|préparer)",
        r"que fait-on|quoi faire|qu'est-ce qu'on fait|qui (?:prévenir|contacter|avertir|alerter"
        r"|appeler)",
        r"quelles? (?:sont les )?(?:étapes|démarches|formalités|opérations|pièces à|documents"
        r" fournir)",
    ),
    clear=(
        r"procédures?|protocole (?:de|pour|d')|processus|instructions?|consignes|guide (?:de"
        r"|pour)|tutoriel",
        r"comment (?:est|sont|se|s'|doi\w+|peu\w+|faut) …\b(?:\w+ée?s?|fait|faits|\w+is|\w+it"
        r"|\w+ue?s?)",
        r"comment (?:se (?:fait|font|déroule|passe|calcule|mesure|prépare|demande|réalise"
        r"|effectue)\w*)",
        r"(?:quels?|quelles?) (?:documents|pièces|justificatifs|formulaires) (?:dois|faut|doit"
        r"|fournir"
        r"|joindre|sont)|où (?:dois-je|faut-il|déposer|envoyer|s'adresser)|à qui (?:s'adresser"
        r"|dois-je"
        r"|faut-il|envoyer|demander|remettre)",
        r"méthode (?:pour|à suivre)|façon de|manière de|qu'est-ce qui vient (?:après|ensuite)"
        r"|et ensuite"
        r"|(?:avant|après) …, (?:que|qu'|comment)|pour me faire|liste de contrôle",
    ),
    hint=(
        r"^(?:demander|obtenir|déclarer|remplacer|contester|résilier|renouveler|enregistrer"
        r"|préparer"
        r"|installer|\w+(?:er|ir)) (?:un|une|le|la|les|l'|des|du|son|ma|mon|sa)",
        r"^(?:demande|dépôt|déclaration|inscription|résiliation) (?:de|d'|du)|pour \w+(?:er|ir"
        r"|re)|comment",
    ),
)
_ANALYTICAL = TypePatterns(
    decisive=(
        r"pourquoi|pour quelles? raisons?|pour quel motif|qu'est-ce qui (?:explique|justifie|a"
        r" (?:causé"
        r"|provoqué|conduit|entraîné|motivé)|fait que|pousse)|d'où vient|comment (?:se fait"
        r"|expliquer)",
        r"raisons? (?:de|du|des|pour|d'|invoqu\w+)|causes? (?:de|du|des|d'|possibles?"
        r"|probables?)|raison"
        r" d'être|à quoi (?:bon|sert|servent|tient)",
        r"analys(?:e|er|ez|ons)|évalu(?:e|er|ez|ons)|appréci(?:e|er|ez)|juge[rz]?|critiqu(?:e"
        r"|er|ez)"
        r"|interpr[eè]t(?:e|er|ez)|examine[rz]?|donne\w* …\bavis|ton avis|votre avis|quelles?"
        r" (?:conséquences?|implications?|répercussions?|incidences?)",
        r"dans quelle mesure|jusqu'à quel point|à quel point|faut-il (?:s'inquiéter|craindre|en"
        r" conclure"
        r"|accepter|renoncer|préférer|s'attendre)|a-t-(?:on|il) (?:raison|intérêt)|vaut-il"
        r" (?:mieux|la peine)",
        r"tien(?:t|nent)(?:-\w+)? (?:la route|debout)|tenir la route|sens de|y a-t-il un"
        r" (?:risque|intérêt)",
    ),
    clear=(
        r"conséquences?|implications?|répercussions?|impacts?|retombées|incidences?|effets?"
        r" (?:de|du|sur"
        r"|aurait|d'un)",
        r"(?!\w*parait|\w*trait|attrait)\w+(?:rait|raient|rais|rions)(?:-(?:t-)?(?:il|elle|on"
        r"|ils|elles|nous|je"
        r"|ce))?",
        r"(?:opposable|valable|valide|licite|légale?|justifiée?|suffisante?|suffi(?:t|sent)"
        r"|raisonnable"
        r"|pertinente?|fiable|plausible|convaincante?|crédible|cohérente?|abusive|réaliste"
        r"|proportionnée?"
        r"|solide|nulle|conforme|recevable|adaptée?|défendable)s?",
        r"risqu(?:e|es|ons|ent|ez)|risques|danger(?:s|eux)?|faiblesses?|points? (?:faibles?"
        r"|forts?)|forces et"
        r"|failles?|lacunes?|limites? (?:de l'étude|de la méthode|du raisonnement)",
        r"que (?:se passe|passerait|signifie|implique|vaut|faut-il penser|penser|conclure"
        r"|déduire)|qu'en"
        r" (?:penser|conclure|déduire)|et si|supposons|à supposer|qu'implique|en quoi"
        r" …\b(?:utile|nécessaire)",
        r"peut-on (?:en )?(?:conclure|considérer|dire|affirmer|encore|nous|se|soutenir|déduire"
        r"|exiger)"
        r"|doit-on (?:s'inquiéter|craindre|en)|sommes-nous|devons-nous|pouvons-nous|nous"
        r" (?:oblige|concerne)",
        r"arguments? (?:pour|contre|en faveur)|intérêt (?:de|du|à|y a)|justifi\w+"
        r"|explique(?:nt)? (?:la|le|les"
        r"|que|cette|ce|par)|s'expliqu\w+|utilité|importance (?:de|du)|recommand\w+|conseill\w+",
    ),
    hint=(r"est-ce (?:grave|normal|suffisant|un problème)|problèmes?|si …,|critique|vraiment",),
)
_EXPLORATORY = TypePatterns(
    decisive=(
        r"résum\w+|synthè\w+|synthétis\w+|aperçu|vue d'ensemble|tour d'horizon|panorama"
        r"|survol\w*|condensé",
        r"grandes lignes|points? (?:principaux|essentiels|clés|clefs|importants|majeurs)"
        r"|l'essentiel"
        r"|(?:principaux|principales|grands|grandes) (?:points?|thèmes?|idées?|axes?|questions?"
        r"|sujets?"
        r"|enjeux|conclusions?|éléments|obligations|aspects)|idées? (?:principales?|générale)",
        r"faire? le point|fais le point|faites le point|état des lieux|état de l'art"
        r"|parle[- ](?:moi|nous)"
        r"|raconte\w*|présent(?:e|er|ez)(?:[- ](?:moi|nous))?|de quoi (?:parle|traite|s'agit"
        r"|est-il question"
        r"|retourne)\w*",
        r"que (?:dit|disent|sait-on|savons-nous|contien\w+|trouve-t-on|racontent?|nous"
        r" apprend\w*|raconte)"
        r"|qu'est-ce (?:qu'on (?:trouve|sait|a)|que (?:disent?|contien\w+|l'on sait|raconte))"
        r"|quels? "
        r"(?:sujets?|thèmes?)",
        r"introduction|initiation|notions de base|les bases|fondamentaux|b\.?a\.?-?ba|généralités"
        r"|(?:important|essentiel|utile) à (?:retenir|savoir)|à retenir|se familiariser|découvrir"
        r"|me mettre au (?:courant|fait)|se faire une idée|me faire une idée|prendre connaissance",
        r"tout (?:sur|savoir|ce qu\w*)|sujets? abord\w+|thèmes? abord\w+|thématiques?",
    ),
    clear=(
        r"^(?:explique|expliquez|décri[stv]\w*|expose|exposez|esquisse|dresse"
        r"|détaille)(?:[- ](?:moi|nous))?",
        r"contexte|historique|contenu (?:de|du|des)|dans l'ensemble|en général|globalement"
        r"|brièvement"
        r"|en (?:quelques|deux) (?:mots|phrases|lignes)|je (?:voudrais|souhaite|veux) (?:comprendre"
        r"|en savoir|connaître)|nouveau (?:ici|dans)|comment (?:fonctionn|est organis|est"
        r" réglement)\w+",
    ),
    hint=(r"sur|à propos|thème|sujet|concernant|autour de|en gros",),
)
_FACTUAL = TypePatterns(
    clear=(
        r"^(?:le |la |les |l')?(?:montant|délai|date|durée|nom|numéro|adresse|prix|taux|seuil"
        r"|limite|valeur"
        r"|température|préavis|échéance|nombre|loyer|coût|titre|auteur|âge|poids|fréquence"
        r"|superficie"
        r"|surface|capacité|siège|version)",
        r"(?:de |en |pendant |depuis |sur |à |pour )?combien",
        r"(?:depuis |jusqu'à |à partir de |dès |pour )?quand|quelle (?:est )?(?:la )?(?:date"
        r"|durée|heure|année"
        r"|valeur|limite|température|adresse|dose|somme|hauteur|taille|fréquence|définition"
        r"|version|page)",
        r"quel (?:est )?(?:le )?(?:montant|délai|nom|numéro|jour|prix|taux|seuil|âge|titre"
        r"|nombre|coût"
        r"|débit|volume|poids|statut|employeur)",
        r"^(?:qui|où|d'où|à qui|chez qui|par qui|pour qui)|^(?:à|de|en|dans|sur|sous|au-delà de"
        r"|pour|avec"
        r"|par|chez|selon) (?:quel(?:le)?s?)|comment s'appelle\w*",
        r"(?:savoir|dire|sais|sait) si|défini\w*|définition|que signifie|qu'est-ce qu(?:e|')(?:"
        r" (?:un|une|le|la|l'))|qu'entend-on"
        r"|veut dire|qu'appelle-t-on|c'est quoi|on entend par",
        r"^(?:énumère|liste|cite|trouve|donne|indique|recense|nomme|relève|repère|localise|rappelle"
        r"|cherche|dis)\w*(?:[- ](?:moi|nous))?|mentionn\w+|apparaî\w+|figur(?:e|ent)"
        r"|parle-t-on|évoqu\w+",
    ),
    hint=(
        r"autorisée?s?|interdite?s?|obligatoires?|permis|maximale?|minimale?|maximum|minimum|en"
        r" vigueur",
        r"y a-t-il|existe-t-il|est-ce que|quel(?:le)?s? (?:est|sont)|peut-on|a-t-on le droit|si",
    ),
)

TABLE: Final = Table(
    types={
        "comparative": _COMPARATIVE,
        "relational": _RELATIONAL,
        "procedural": _PROCEDURAL,
        "analytical": _ANALYTICAL,
        "exploratory": _EXPLORATORY,
        "factual": _FACTUAL,
    },
    facts=(
        r"^(?:quel(?:le)?s?|qui|que|qu'|quoi|où|quand|combien|est-ce|lequel|laquelle)",
        r"(?:est|sont|a|ont|peut|doit|doivent|peuvent|faut|fait)-(?:t-)?(?:il|elle|on|ils|elles|ce)"
        r"|\w+-(?:t-)?(?:il|elle|on|ils|elles)",
        r"(?:quel(?:le)?s?|qui|où|quand|quoi)$",
    ),
    reasons=(r"^(?:pourquoi|comment|en quoi)",),
    fragments=(
        r"(?:ok|oui|non|merci|s'il (?:te|vous) plaît|bonjour|bonsoir|salut|d'accord|parfait"
        r"|super|bien"
        r"|très bien|coucou|au revoir)(?:[ ,.!]+\w+){0,3}",
        r"(?:et |mais |alors )?(?:le|la|les|l') ?(?:deuxième|premi[eè]re?|second|seconde"
        r"|troisième|autre"
        r"|derni[eè]re?|suivante?|même|précédente?)s?(?: \w+)?",
        r"(?:et |mais |alors )?(?:pour|avec|chez|de|à|sans) (?:lui|elle|eux|elles|ça|cela|celui-ci"
        r"|celle-ci|moi|nous)|et (?:ça|alors|lui|elle|après|maintenant)|c'est (?:vrai|juste|ça"
        r"|sûr|tout)",
        r"(?:tu peux|peux-tu|pouvez-vous|vous pouvez) (?:répéter|redire|continuer|expliquer"
        r" ça)(?: .*)?"
        r"|encore|continue|pareil|vraiment|comme d'habitude|la suite",
        r"(?:le truc|l'histoire|la chose|l'affaire) …|tu sais …|comme (?:avant|toujours|la"
        r" dernière fois)",
    ),
    keywords={
        "causal": (
            r"pourquoi",
            r"causes?|raisons?|à cause d\w+|provoqu\w+",
            r"conséquences?|impacts?|implications?|répercussions?",
        ),
        "analysis": (
            r"analys\w+|évalu\w+|examine\w*|appréci(?:er|ez|e)",
            r"expliqu\w+|justifi\w+|interprét\w+",
        ),
        "comparison": (
            r"compar\w+|versus|vs",
            r"différen\w+|diffèr\w+|distingu\w+|similitudes?|points communs",
            r"avantages?|bénéfices?",
            r"inconvénients?|désavantages?",
        ),
        "steps": (r"étapes?|phases?", r"processus|procédures?|démarches?"),
        "synthesis": (r"résum\w+|synthè\w+|synthétis\w+|aperçu|vue d'ensemble",),
    },
    pairs=(
        rf"entre {_A} et {_B}(?=$|[,;:?]| (?:dans|en|pour|sur|selon)\b)",
        rf"^compare[rz]? {_A} (?:et|avec|à|au|aux) {_B}(?=$|[,;:?.]| (?:dans|en|pour|sur)\b)",
        rf"(?:processus|méthode|produit|système) (?P<a>\S+) par rapport (?:à|au|aux) {_B}(?=$"
        rf"|[,;:?.])",
        rf"^{_A} (?:versus|vs\.?|par rapport (?:à|au|aux)) {_B}(?=$|[,;:?.])",
        rf"en quoi {_A} (?:et|diff[eè]re-t-\w+ d\w*|diff[eè]rent-\w+ d\w*) {_B}"
        rf" (?:diff[eè]rent|divergent|se distinguent|s'opposent)",
        rf"(?:distingue|diff[eé]rencie|s[eé]pare|oppose|relie|lie) {_A} (?:de|d'|du|des|et|[aà]"
        rf"|au|aux)"
        rf" ?{_B}(?=$|[,;:?])",
        rf"^comment {_A} et {_B} (?:sont|s'|se) ?\w+",
    ),
    asking=Asking(
        database=(
            rf"combien (?:y a-t-il )?(?:de |d'){_FILES}(?: (?:y a-t-il|sont|as-tu|avons-nous"
            rf"|dans (?:la|le"
            rf"|cette|ma)|contient|compte|au total|au)|$| (?:à|en) )",
            rf"combien (?:de |d'){_FILES} …\b{_STORE}|combien (?:de |d')…\bau {_STORE}|combien"
            rf" de collections"
            r"|quelles collections",
            rf"(?:liste|lister|listez|montre|affiche|énumère)(?:[- ]moi)? (?:tous )?(?:les |mes"
            rf" |nos )?{_FILES}"
            rf"(?: (?:de|dans|disponibles|de la|du) …{_STORE})?(?: disponibles| enregistrés)?$",
            rf"(?:quels|quelles) (?:sont les )?{_FILES} (?:sont|as-tu|avons-nous|y a-t-il"
            rf"|avez-vous|ont été"
            rf"|figurent|contient|se trouvent)\b …(?:{_STORE}|disponibles?|enregistr\w+"
            rf"|import\w+|charg\w+"
            r"|index\w+|ajout\w+|$)",
            r"(?:a|ont|est|sont) (?:bien |déjà |été |correctement )*(?:été )?(?:importée?s?"
            r"|indexée?s?|chargée?s?"
            r"|ingérée?s?|téléversée?s?|enregistrée?s?)(?: …)?$",
            rf"formats? (?:de |des )?(?:fichiers?|documents?)|(?:taille|contenu|état) (?:de la"
            rf"|du|de ma|de)"
            rf" {_STORE}|(?:dernier|plus récent|plus ancien) (?:document|fichier) …\b(?:ajouté"
            rf"|importé|{_STORE})",
            rf"(?:tu as|as-tu|avez-vous) …(?:combien|{_FILES}) …\b(?:{_STORE}|importée?s?"
            rf"|enregistrée?s?)",
            rf"(?:langues?) (?:sont|des) …{_FILES} …(?:enregistr\w+|stock\w+|{_STORE})|{_FILES}"
            r" (?:enregistrés|stockés|importés|indexés|chargés)",
        ),
        content=(
            r"mentionn\w*|cit(?:e|ent)|parl\w*|trait\w*|évoqu\w*|au sujet|à propos|concern\w*|sur",
        ),
        threshold=(
            r"(?:au-delà|au-dessus|en dessous|au-dessous|à partir|en deçà) d(?:e|u)"
            r" (?:quel(?:le)?s?|combien)"
            r"|jusqu'à (?:quel(?:le)?s?|combien)|(?:à|sous) quel(?:le)? (?:\w+ )?(?:seuil"
            r"|niveau|valeur"
            r"|concentration|température|pression|dose|débit)",
            r"seuils?|valeur (?:limite|d'alerte|d'action|de déclenchement)",
            r"(?:dépass|excèd|excéd|outrepass)\w*|franchi(?:r|t|e|s|es|ssent)?",
            r"(?:au-dessus|au-delà|en dessous) (?:de la|du|des|de l') ?(?:limite|seuil|valeur"
            r"|plafond|niveau)",
            r"quel(?:le)? …\bfaut-il (?:atteindre|dépasser)",
        ),
        count=(
            r"combien|(?:le )?nombre (?:de|d'|total)|compte[rz]? (?:les|le|combien)|à quelle"
            r" fréquence",
        ),
        listing=(
            r"^(?:liste|énumère|cite|trouve|donne|recense|relève|repère|localise|cherche|montre"
            r"|indique)\w*"
            r"(?:[- ](?:moi|nous))? (?:tous|toutes|chaque|l'ensemble|la totalité)",
            r"(?:tous|toutes) (?:les|nos|mes|ces) (?:\w+ )?(?:articles?|sections?|passages?"
            r"|clauses?|documents?"
            r"|contrats?|endroits?|mentions?|références?|occurrences?|dispositions?|chapitres?"
            r"|paragraphes?"
            r"|sanctions?|rapports?|alinéas?)|chaque (?:passage|mention|article|fois|endroit"
            r"|occurrence)",
            r"partout où|liste (?:complète|exhaustive)|sans exception|exhaustiv\w+|tous les"
            r" endroits",
            r"(?:quel(?:le)?s?|dans quel(?:le)?s?|lesquel(?:le)?s) (?:sont les )?(?:de nos |des"
            r" )?(?:articles"
            r"|sections|passages|clauses|documents|contrats|dispositions|chapitres|paragraphes"
            r"|rapports|courriers"
            r"|comptes rendus|procès-verbaux|e-?mails|lettres|sociétés|entreprises|personnes"
            r"|fournisseurs"
            r"|annexes|textes|arrêtés)",
            r"^où (?:est|sont|apparaît|figure|parle)\w* …\b(?:mentionn\w+|cit\w+|apparaî\w+"
            r"|figur\w+|question)",
        ),
        mentions=(
            r"(?:le |les |du |au )?(?:mots?|termes?|expressions?|nom|locution) (?P<term>.+?)"
            r" (?:apparaî\w+"
            r"|apparait\w*|figur\w+|est-(?:il|elle)|se trouve\w*|revient\w*|est (?:cité"
            r"|mentionné|employé"
            r"|utilisé)\w*)",
            r"(?:apparaî\w+|apparait|figure(?:nt)?|trouve-t-on) (?:le |les )?(?:mots?|termes?"
            r"|expression)"
            r" (?P<term>.+)",
            r"(?:mentionn|évoqu|cit|emploi|utilis|contien)(?:e|ent|nent|t)(?:-t-(?:on|il"
            r"|elle))? (?:le mot"
            r" |le terme |l'expression )?(?P<term>.+)",
            r"parle(?:nt)?(?:-t-on)? (?:de la |de l'|du |des |de |d')(?P<term>.+)|(?:mentions?"
            r"|occurrences?) (?:de la"
            r" |de l'|du |des |de |d')(?P<term_b>.+)",
            r"(?:est|sont)(?:-(?:il|elle)s?)? (?:question )(?:de la |de l'|du |des |de "
            r"|d')(?P<term>.+)",
            r"(?:est|sont) (?:mentionnée?s?|citée?s?|évoquée?s?) (?P<term>.+)",
        ),
        section_words=(
            r"articles?|sections?|clauses?|dispositions?|chapitres?|paragraphes?|annexes?|alinéas?",
        ),
        document_words=(
            r"documents?|fichiers?|pdfs?|contrats?|rapports?|comptes rendus|courriers?|lettres?"
            r"|lois|décrets?"
            r"|études?|factures?|procès-verbaux|e-?mails?|arrêtés|dossiers?|normes?|diagnostics?",
        ),
        occurrence_words=(r"fois|occurrences?|fréquence",),
        settled=(r"^(?:à|de|en vertu de|par|d'après) (?:quel(?:le)?s?|lesquel(?:le)?s)",),
        passage_words=(r"passages?|endroits?|mentions?|phrases?|citations?|lignes",),
    ),
    splitting=Splitting(
        conjunctions=(r"et(?: aussi)?", r"ou", r"mais", r"ainsi que"),
        interrogatives=(
            r"(?:à|de|en|dans|sur|sous|pour|avec|par|chez|depuis|jusqu'à) (?:quel(?:le)?s?|qui"
            r"|quand|quoi"
            r"|combien)",
            r"quel(?:le)?s?|qui|que|qu'est-ce|quoi|où|quand|comment|pourquoi|combien|est-ce"
            r"|lequel|laquelle"
            r"|en quoi",
            r"(?:faut-il|peut-on|doit-on|y a-t-il|est-il|est-elle|sont-ils|sont-elles|a-t-on)",
        ),
        listed=(
            r"(?:comment|pourquoi|combien|quel(?:le)?s?|par qui|pour qui|à qui)",
            r"(?:qui|où|quand|quoi)(?=\s*(?:,|\?|et\b|ou\b))",
        ),
        imperatives=(
            r"(?:compare|liste|explique|décris|résume|trouve|montre|donne|analyse|évalue"
            r"|énumère|cite)[rz]?",
        ),
        between=(r"entre",),
        either="ou",
    ),
    folded=True,
)
