"""How French asks for things held together: comparisons and relations; compared without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns

COMPARATIVE: Final = TypePatterns(
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
RELATIONAL: Final = TypePatterns(
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
