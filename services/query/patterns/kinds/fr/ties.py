"""How French asks for things held together: comparisons and relations, without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns

COMPARATIVE: Final = TypePatterns(
    decisive=(
        r"ancien\w* (?:contre|face à|ou) (?:\w+ )?nouv\w+",
        r"(?P<same>\w{4,})\b …\b(?:gegen|against|contre|contra) …\b(?P=same)",
        r"ou [^?\n,]{1,40}, (?:lequel|laquelle|qui|quel(?:le)?s?)|les deux …\bm[eê]mes?"
        r"|confront(?:e|er|ez)",
        r"compar(?:e|er|es|ez|ons|ée?s?|aisons?|ent|atif|ative)|comparativement",
        r"différences?|diffèr\w+|différer?|diverge\w*|divergences?|distingu\w+|distinctions? "
        r"entre",
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
        # what has moved between two
        r"(?:changé|bougé|évolué|varié|changent?|diffèrent?) …\bentre",
        # a choice at the end: qui a le plus, A ou B
        r"(?:qui|quel(?:le)?s?) …\b(?:plus|moins|mieux|meilleure?s?|davantage"
        r"|supérieure?s?)\b[^?\n]{0,80}, [^?\n]{1,60} ou",
        # gaps and rank
        r"écarts? entre|décalages? entre|l'emporte\w*|surpass\w+|(?:deux|trois) fois (?:plus"
        r"|moins)|plutôt qu\w+|d'une? \w+ à l'autre|préférable à|diffèr\w+",
        # what changed over versions
        r"(?:évolution|changements?|modifications?) …\b(?:entre|depuis|par rapport)",
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
        # more or less than something
        r"(?:plus|moins|aussi|autant) (?!de \d|d'un)(?:[\w']+ ){1,5}?qu'(?:une?|elles?|ils?"
        r"|avec|en|à|au|aux|avant)",
        # alike or not
        r"pareil(?:le)?s?|(?:le|la|les) mêmes? \w+|du même|de la même|idem",
        # a course from one state to another
        r"(?:augmenté|baissé|progressé|diminué|évolué|monté|passé) …\b(?:de|du|entre) …\b(?:à"
        r"|au|et)",
        # just as much
        r"autant (?:de|d'|que)|(?:à|au|de|que) cel(?:ui|le) d\w+|tou(?:s|tes) (?:les )?deux",
    ),
    hint=(
        r"avantages? et (?:les )?inconvénients?|les deux|l'un …\bl'autre|respectivement"
        r"|alternatives?",
    ),
)
RELATIONAL: Final = TypePatterns(
    decisive=(
        r"(?:est|sont)-(?:ils?|elles?) (?:liée?s?|reliée?s?|rattachée?s?)|rend(?:ent)?(?:-\w+)?"
        r" compte",
        r"supérieure?s?(?! (?:à|au|aux|que))|supervis\w+|encadr\w+|qui (?:nomme|désigne|contrôle"
        r"|emploie)|sur quoi (?:repose|se fonde|s'appuie)\w*",
        r"relations? (?:entre|avec|de|du|existe)|relations?|liens? (?:entre|avec|de|existe|y a)"
        r"|liens?",
        r"li(?:ée?s?|e|ent) (?:à|au|aux|par|entre|avec)|rattach\w+|reli(?:e|ent|ée?s?|er)",
        r"s'articul\w+|articulation|rapports? (?:entre|avec)|corrélation\w*|interactions?"
        r"|interagi\w+",
        r"renvo(?:ie|ient|yé|yer|is?)\w*|renvois?|référence à|se réfèr\w+|réfère\w*|cite(?:nt|s)?"
        r"|citée?s? par|visée?s? (?:par|à)",
        r"quel rôle|rôle (?:de|du|des|joue)|jou(?:e|ent) …\brôle|à voir (?:avec|dans)|vient"
        r" (?:faire|jouer) (?:dans|là)|place (?:de|du) …\bdans",
        r"dépend(?:ent)? (?:de|du|des|d')|de qui dépend|subordonn\w+|hiérarchi\w+|supérieur"
        r" hiérarchique|rend(?:ent)? compte|sous (?:l'autorité|la responsabilité|les ordres|la"
        r" tutelle) de",
        # who leads whom
        r"qui (?:chapeaut|coiff|dirig|pilot|supervis)e\w*|chapeaut\w+",
        # things wired together
        r"(?:raccord|branch|connect|câbl)ée?s? (?:à|au|aux|sur|avec)",
        # a basis asked for
        r"^sur (?:quoi|quel(?:le)?s?) …\b(?:repos|fond|appu|bas)\w+",
    ),
    clear=(
        r"de qui …\bdépend|dépend(?:ent)?-\w+",
        r"(?:en application|sur le fondement|en vertu|sur la base) d\w*|fond(?:ée?s?|e|ent) sur"
        r"|repos(?:e|ent) sur|s'appu(?:ie|ient) sur|découl\w+|basée?s? sur|fondement|base légale"
        r"|base juridique",
        r"(?:modifi|abrog|remplac|complét|transpos|pris|adopt|désign|nomm|mandat|contrôl"
        r"|régi)(?:ée?s?|e?s?) (?:par|en|sur|aux?)|(?<!ete\s)(?:transpose|modifie|abroge|remplace"
        r"|complète)(?:nt|-t-il|-t-elle)?",
        r"appart(?:ient|iennent|enir)|fait partie|membres? d\w+|filiales?|maison mère|affili\w+",
        r"travaill\w+ (?:avec|pour|ensemble)|collabor\w+|associée?s? (?:à|de|avec)|impliqu\w+ "
        r"dans",
        r"comment …\b(?:se rapport|s'inscri|s'insèr|s'imbriqu|se rattach|se combin|communiqu)\w+",
        r"qui (?:est|sont) …\b(?:avec|auprès)|connexions?|entre eux|les uns|partag(?:e|ent)",
        # origins
        r"(?:découl|provien|procèd|résult|relèv|tir)(?:e|ent|t|nent) d\w+|issue?s? d\w+|sert "
        r"de base|pris\w* pour l'application|invoqu\w+",
        # standing in
        r"adjointe?s? d\w+|remplaçant\w*|suppléant\w*|succèd\w+|prédécesseur\w*|pour le "
        r"compte d\w+|actionnaires?",
        # under what or whom
        r"(?:de|à) (?:qui|quoi|quel(?:le)?s? \w+) …\b(?:relèv|dépend|rattach|renvo|appartien"
        r"|répond|obéi)\w*|soumise?s? à",
        # ties by name
        r"qui (?:est|sont) …\b(?:chef|patron)\w* d\w*|avec qui|(?:cousin"
        r"|voisin|partenaire)\w* d\w+",
        # one text acting on another
        r"met\w* en (?:œ|oe)uvre|mett?\w* en application|(?:normes?|textes?|articles?|documents?) "
        r"(?:appelée?s?|visée?s?|invoquée?s?)",
    ),
    hint=(r"influenc\w+|influe\w*|réseau|chaîne|intervenants?",),
)
