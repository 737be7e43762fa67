"""How French puts each type of question; compared without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns
from services.query.values import QueryType

_COMPARATIVE = TypePatterns(
    decisive=(
        r"(?P<same>\w{4,})\b …\b(?:gegen|against|contre|contra) …\b(?P=same)",
        r"ou [^?\n,]{1,40}, (?:lequel|laquelle|qui|quel(?:le)?s?)|les deux …\bm[eê]mes?"
        r"|confront(?:e|er|ez)",
        r"compar(?:e|er|es|ez|ons|ée?s?|aisons?|ent|atif|ative)|comparativement",
        r"différences?|diffèr\w+|différer?|diverge\w*|divergences?|distingu\w+|distinctions? entre",
        r"similitudes?|ressemblances?|points communs|en commun|rapprochements? entre",
        r"versus|vs\.?|en regard|face à face|côte à côte|par rapport (?:à|au|aux)|à la différence"
        r" d\w*",
        r"contrairement (?:à|au|aux)|l(?:equel|aquelle|esquels|esquelles) (?:des|de ces|d'entre)"
        r"|(?:lequel|laquelle)",
        r"qu'est-ce (?:que|qui) (?:ça|cela)? ?(?:change|a changé|sépare|oppose|distingue"
        r"|différencie)",
        r"avantages? et (?:les )?inconvénients? …\b(?:par rapport|des deux|entre|ou)",
        r"quels? changements? (?:entre|depuis|dans la (?:nouvelle|dernière))|(?:nouveautés|change)"
        r" …\bpar rapport",
    ),
    clear=(
        r"depuis la (?:dernière|précédente|première) (?:version|édition)|d'accord (?:sur|avec)"
        r"|augmenté ou",
        r"quel(?:le)?s? …\b(?:la|le|les) (?:plus|moins|meilleure?s?|pires?)|différente?s?$",
        r"(?:plus|moins|aussi) (?!de \d|d'un)(?:\w+ ){1,5}?qu(?:e|')(?! \d)(?!un mois)",
        r"(?:meilleure?s?|pires?|mieux|supérieure?s?|inférieure?s?) (?:\w+ ){0,4}(?:que|à celle|à"
        r" celui|aux?|qu')",
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
        r"(?:est|sont)-(?:ils?|elles?) (?:liée?s?|reliée?s?|rattachée?s?)|rend(?:ent)?(?:-\w+)?"
        r" compte",
        r"supérieure?s?|supervis\w+|encadr\w+|qui (?:nomme|désigne|contrôle|emploie)|sur quoi"
        r" (?:repose|se fonde|s'appuie)\w*",
        r"relations? (?:entre|avec|de|du|existe)|relations?|liens? (?:entre|avec|de|existe|y a)"
        r"|liens?",
        r"li(?:ée?s?|e|ent) (?:à|au|aux|par|entre|avec)|rattach\w+|reli(?:e|ent|ée?s?|er)",
        r"s'articul\w+|articulation|rapports? (?:entre|avec)|corrélation\w*|interactions?"
        r"|interagi\w+",
        r"renvo(?:ie|ient|yé|yer|is?)\w*|renvois?|référence à|se réfèr\w+|réfère\w*|cite(?:nt|s)?"
        r"|citée?s? (?:par|dans)|visée?s? (?:par|à)",
        r"quel rôle|rôle (?:de|du|des|joue)|jou(?:e|ent) …\brôle|à voir (?:avec|dans)|vient"
        r" (?:faire|jouer) (?:dans|là)|place (?:de|du) …\bdans",
        r"dépend(?:ent)? (?:de|du|des|d')|de qui dépend|subordonn\w+|hiérarchi\w+|supérieur"
        r" hiérarchique|rend(?:ent)? compte|sous (?:l'autorité|la responsabilité|les ordres|la"
        r" tutelle) de",
    ),
    clear=(
        r"de qui …\bdépend|dépend(?:ent)?-\w+",
        r"(?:en application|sur le fondement|en vertu|sur la base) d\w*|fond(?:ée?s?|e|ent) sur"
        r"|repos(?:e|ent) sur|s'appu(?:ie|ient) sur|découl\w+|basée?s? sur|fondement|base légale"
        r"|base juridique",
        r"(?:modifi|abrog|remplac|complét|transpos|pris|adopt|désign|nomm|mandat|contrôl"
        r"|régi)(?:ée?s?|e?s?) (?:par|en|sur|aux?)|(?:transpose|modifie|abroge|remplace"
        r"|complète)(?:nt|-t-il|-t-elle)?",
        r"appart(?:ient|iennent|enir)|fait partie|membres? d\w+|filiales?|maison mère|affili\w+",
        r"travaill\w+ (?:avec|pour|ensemble)|collabor\w+|associée?s? (?:à|de|avec)|impliqu\w+ dans",
        r"comment …\b(?:se rapport|s'inscri|s'insèr|s'imbriqu|se rattach|se combin|communiqu)\w+",
        r"qui (?:est|sont) …\b(?:avec|auprès)|connexions?|entre eux|les uns|partag(?:e|ent)",
    ),
    hint=(r"influenc\w+|influe\w*|réseau|chaîne|intervenants?",),
)
_PROCEDURAL = TypePatterns(
    decisive=(
        r"^que \w{3,}(?:er|ir|re) (?:à|au|aux|dans|pour|en|avec|à la)",
        r"comment (?:faire|procéder|dois|doit|doivent|peut|puis|peux|fait|s'y|faut|devons|pouvons"
        r"|fais)",
        r"comment (?:on|je|nous|tu|vous)|comment (?:[\w-]+-(?:t-)?(?:on|je|nous))|explique\w*"
        r" …\bcomment",
        r"comment (?:se |s')?(?!\w+-)\w+(?:er|ir|re|oir)",
        r"étapes?|étape par étape|marche à suivre|mode d'emploi|mode opératoire|pas à pas"
        r"|démarches?",
        r"par où commencer|dans quel ordre|quel ordre|procédure à suivre|que (?:faire|faut-il"
        r" faire)",
        r"(?:que|qu'est-ce que?) (?:dois-je|doit-on|devons-nous|faut-il|faut|je dois|on doit|nous"
        r" devons|fait-on|fais-je) (?:\w+ )?(?:faire|fournir|joindre|vérifier|préparer|présenter"
        r"|remplir|envoyer)",
        r"(?:de quelle|quelle est la bonne) (?:manière|façon)|qu'y a-t-il à (?:faire|vérifier"
        r"|préparer)",
        r"que fait-on|quoi faire|qu'est-ce qu'on fait|qui (?:prévenir|contacter|avertir|alerter"
        r"|appeler)",
        r"quelles? (?:sont les )?(?:étapes|démarches|formalités|opérations|pièces à|documents"
        r" fournir)",
    ),
    clear=(
        r"où \w+(?:er|ir|re)|quels (?:papiers|justificatifs)",
        r"comment …\b(?:est|sont)(?:-\w+)? (?:\w+ ){0,2}\w+(?:ée?s?|is|its?|ues?)",
        r"procédures?|protocole (?:de|pour|d')|processus|instructions?|consignes|guide (?:de|pour)"
        r"|tutoriel",
        r"comment (?:est|sont|se|s'|doi\w+|peu\w+|faut) …\b(?:\w+ée?s?|fait|faits|\w+is|\w+it"
        r"|\w+ue?s?)",
        r"comment (?:se (?:fait|font|déroule|passe|calcule|mesure|prépare|demande|réalise"
        r"|effectue)\w*)",
        r"(?:quels?|quelles?) (?:documents|pièces|justificatifs|formulaires) (?:dois|faut|doit"
        r"|fournir|joindre|sont)|où (?:dois-je|faut-il|déposer|envoyer|s'adresser)|à qui"
        r" (?:s'adresser|dois-je|faut-il|envoyer|demander|remettre)",
        r"méthode (?:pour|à suivre)|façon de|manière de|qu'est-ce qui vient (?:après|ensuite)|et"
        r" ensuite|(?:avant|après) …, (?:que|qu'|comment)|pour me faire|liste de contrôle",
    ),
    hint=(
        r"^(?:demander|obtenir|déclarer|remplacer|contester|résilier|renouveler|enregistrer"
        r"|préparer|installer|\w+(?:er|ir)) (?:un|une|le|la|les|des|du|son|ma|mon|sa|l'\w+|d'\w+)",
        r"^(?:demande|dépôt|déclaration|inscription|résiliation) (?:de|d'|du)|pour \w+(?:er|ir|re)",
    ),
)
_ANALYTICAL = TypePatterns(
    decisive=(
        r"pourquoi|pour quelles? raisons?|pour quel motif|qu'est-ce qui (?:explique|justifie|a"
        r" (?:causé|provoqué|conduit|entraîné|motivé)|fait que|pousse)|d'où vient|comment (?:se"
        r" fait|expliquer)",
        r"raisons? (?:de|du|des|pour|d'|invoqu\w+)|causes? (?:de|du|des|d'|possibles?|probables?)"
        r"|raison d'être|à quoi (?:bon|sert|servent|tient)",
        r"^(?:analyse|évalue|apprécie|juge|critique|examine|interprète)[rz]?|analyser|évaluer"
        r"|apprécier|juger|critiquer|interpréter|donne\w* …\bavis|ton avis|votre avis|quelles?"
        r" (?:conséquences?|implications?|répercussions?|incidences?)",
        r"dans quelle mesure|jusqu'à quel point|à quel point|faut-il (?:s'inquiéter|craindre|en"
        r" conclure|accepter|renoncer|préférer|s'attendre)|a-t-(?:on|il) (?:raison|intérêt)"
        r"|vaut-il (?:mieux|la peine)",
        r"tien(?:t|nent)(?:-\w+)? (?:la route|debout)|tenir la route|quel (?:est le )?sens|un sens"
        r"|y a-t-il un (?:risque|intérêt)",
    ),
    clear=(
        r"quels? effets?|assez \w+|quels? …\b(?:avantages|inconvénients)",
        r"trop (?!tard)\w+$|étay\w+|prouv\w+|démontr\w+|que signifie …\bpour",
        r"(?<=\n)(?:est-ce|faut-il|peut-on|doit-on|sommes-nous|devons-nous|pouvons-nous"
        r"|[^\n]*-(?:t-)?(?:il|elle|on|nous))",
        r"respecte(?:-\w+|nt)?|enfrei\w+|viole\w*|infraction|manquement|suffi(?:t|sent)(?:-\w+)?",
        r"peu\w*(?:-\w+)? …\bencore|mal tourné|échou\w+|échecs?",
        r"conséquences?|implications?|répercussions?|impacts?|retombées|incidences?|effets? (?:de"
        r"|du|sur|aurait|d'un)",
        r"(?!pourri|voudr|aimer|souhait)\w*(?:[eiduv]r|rr|aur|ser|fer)(?:ait|aient|ais|ions"
        r"|iez)(?:-(?:t-)?(?:il|elle|on|ils|elles|nous|je|ce))?",
        r"(?:est|sont|soit|serait|reste|semble|paraît)(?:-\w+)* …\b(?:opposable|valable|valide"
        r"|licite|légale?|justifiée?|suffisante?|suffi(?:t|sent)|raisonnable|pertinente?|fiable"
        r"|plausible|convaincante?|crédible|cohérente?|abusive|réaliste|proportionnée?|solide"
        r"|nulle|conforme|recevable|adaptée?|défendable)s?",
        r"risqu(?:e|es|ons|ent|ez)|risques|danger(?:s|eux)?|faiblesses?|points? (?:faibles?"
        r"|forts?)|forces et|failles?|lacunes?|limites? (?:de l'étude|de la méthode|du"
        r" raisonnement)",
        r"que (?:se passe|passerait|implique|vaut|faut-il penser|penser|conclure|déduire)|qu'en"
        r" (?:penser|conclure|déduire)|et si|supposons|à supposer|qu'implique|en quoi …\b(?:utile"
        r"|nécessaire)",
        r"peut-on (?:en )?(?:conclure|considérer|dire|affirmer|encore|nous|se|soutenir|déduire"
        r"|exiger)|doit-on (?:s'inquiéter|craindre|en)|sommes-nous|devons-nous|pouvons-nous|nous"
        r" (?:oblige|concerne)",
        r"arguments? (?:pour|contre|en faveur)|(?:quel|l') ?intérêt (?:de|du|à|y a)|justifi\w+"
        r"|explique(?:nt)? (?:la|le|les|que|cette|ce|par)|s'expliqu\w+|utilité|importance (?:de"
        r"|du)|recommand\w+|conseill\w+",
    ),
    hint=(
        r"^(?:notre|nos|mon|ma|mes) …-(?:t-)?(?:il|elle)s?",
        r"est-ce (?:grave|normal|suffisant|un problème)|problèmes?|si …,|critique|vraiment",
    ),
)
_EXPLORATORY = TypePatterns(
    decisive=(
        r"quoi de neuf|impression (?:de|du|générale)",
        r"(?:points?|conclusions?|idées?|résultats?|thèmes?|enseignements?|sujets?) (?:principa\w+"
        r"|essentiel\w*|clés?|clefs?|majeur\w*)",
        r"comment …\b(?:structurée?|organisée?|fonctionne)",
        r"résum\w+|synthè\w+|synthétis\w+|aperçu|vue d'ensemble|tour d'horizon|panorama|survol\w*"
        r"|condensé",
        r"grandes lignes|points? (?:principaux|essentiels|clés|clefs|importants|majeurs)"
        r"|l'essentiel|(?:principaux|principales|grands|grandes) (?:points?|thèmes?|idées?|axes?"
        r"|questions?|sujets?|enjeux|conclusions?|éléments|obligations|aspects)|idées?"
        r" (?:principales?|générale)",
        r"faire? le point|fais le point|faites le point|état des lieux|état de l'art"
        r"|parle[- ](?:moi|nous)|raconte\w*|présent(?:e|er|ez)(?:[- ](?:moi|nous))?|de quoi"
        r" (?:parle|traite|s'agit|est-il question|retourne)\w*",
        r"que (?:dit|disent|sait-on|savons-nous|contien\w+|trouve-t-on|racontent?|nous apprend\w*"
        r"|raconte)|qu'est-ce (?:qu'on (?:trouve|sait|a)|que (?:disent?|contien\w+|l'on sait"
        r"|raconte))|quels? (?:sujets?|thèmes?)",
        r"introduction|initiation|notions de base|les bases|fondamentaux|b\.?a\.?-?ba|généralités"
        r"|(?:important|essentiel|utile) à (?:retenir|savoir)|à retenir|se familiariser|découvrir"
        r"|me mettre au (?:courant|fait)|se faire une idée|me faire une idée|prendre connaissance",
        r"tout (?:sur|savoir|ce qu\w*)|sujets? abord\w+|thèmes? abord\w+|thématiques?",
    ),
    clear=(
        r"ce qu'(?:on|il y|nous) \w+ (?:sur|dans)",
        r"le plus important",
        r"^(?:explique|expliquez|décri[stv]\w*|expose|exposez|esquisse|dresse"
        r"|détaille)(?:[- ](?:moi|nous))?",
        r"contexte|historique|contenu (?:de|du|des)|dans l'ensemble|en général|globalement"
        r"|brièvement|en (?:quelques|deux) (?:mots|phrases|lignes)|je (?:voudrais|souhaite|veux)"
        r" (?:comprendre|en savoir|connaître)|nouveau (?:ici|dans)|comment (?:fonctionn|est"
        r" organis|est réglement)\w+",
    ),
    hint=(r"à propos|thème|sujet|concernant|autour de|en gros",),
)
_FACTUAL = TypePatterns(
    clear=(
        r"est-il permis|interdit\w*|autorisée?s?",
        r"^(?:la |le |les |l')?(?:demi-vie|représentant\w*|propriétaire|lieu|activité|hauteur"
        r"|largeur|longueur|employeur|bénéficiaire|assureur|bailleur|fabricant|numéro|mot de passe"
        r"|iban|début|fin)",
        r"dis(?:-| )?moi|dites(?:-| )?moi",
        r"^(?:le |la |les |l')?(?:montant|délai|date|durée|nom|numéro|adresse|prix|taux|seuil"
        r"|limite|valeur|température|préavis|échéance|nombre|loyer|coût|titre|auteur|âge|poids"
        r"|fréquence|superficie|surface|capacité|siège|version)",
        r"(?:de |en |pendant |depuis |sur |à |pour )?combien",
        r"(?:depuis |jusqu'à |à partir de |dès |pour )?quand|quelle (?:est )?(?:la )?(?:date|durée"
        r"|heure|année|valeur|limite|température|adresse|dose|somme|hauteur|taille|fréquence"
        r"|définition|version|page)",
        r"quel (?:est )?(?:le )?(?:montant|délai|nom|numéro|jour|prix|taux|seuil|âge|titre|nombre"
        r"|coût|débit|volume|poids|statut|employeur)",
        r"^(?:qui|où|d'où|à qui|chez qui|par qui|pour qui)|^(?:à|de|en|dans|sur|sous|au-delà de"
        r"|pour|avec|par|chez|selon) (?:quel(?:le)?s?)|comment s'appelle\w*",
        r"(?:savoir|dire|sais|sait) si|défini\w*|définition|que signifie|qu'est-ce qu(?:e|')(?:"
        r" (?:un|une|le|la|l'))|qu'entend-on|veut dire|qu'appelle-t-on|c'est quoi|on entend par",
        r"^(?:énumère|liste|cite|trouve|donne|indique|recense|nomme|relève|repère|localise"
        r"|rappelle|cherche|dis)\w*(?:[- ](?:moi|nous))?|mentionn\w+|apparaî\w+|figur(?:e|ent)"
        r"|parle-t-on|évoqu\w+",
    ),
    hint=(
        r"autorisée?s?|interdite?s?|obligatoires?|permis|maximale?|minimale?|maximum|minimum|en"
        r" vigueur",
        r"y a-t-il|existe-t-il|est-ce que|quel(?:le)?s? (?:est|sont)|peut-on|a-t-on le droit|si",
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
