"""How French asks; compared without accents."""

from typing import Final

from services.query.patterns.base import Asking, Splitting, Table
from services.query.patterns.kinds.fr import TYPES

_ARTICLE: Final = r"(?:le |la |les |l'|un |une |des |du |de la |de l'|d'un |d'une |d'|notre |nos )"
_THING: Final = rf"{_ARTICLE}?(?P<{{}}>[^,;:?\n]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_FILES: Final = r"(?:documents?|fichiers?|pdfs?)"
_STORE: Final = (
    r"(?:base(?: de (?:données|connaissances|documents))?|collections?|bibliothèque|corpus|index"
    r"|catalogue|archives?|fonds|système)"
)

TABLE: Final = Table(
    types=TYPES,
    openers=(
        r"(?:bonjour|salut|pardon|excusez[- ]moi|s'il (?:vous|te) plaît|alors|et|mais"
        r"|(?:dis|dites)(?!-)|au fait|question)[,:]?",
        r"(?:(?:peux|pourrais|pouvez|pourriez|sais|savez|saurais|sauriez)-(?:tu|vous) (?:me |nous"
        r" )?(?:dire |indiquer |préciser |rappeler )?|(?:tu sais|vous savez)"
        r"|(?:j'aimerais|je (?:voudrais|veux|souhaite)|on (?:voudrait|aimerait)) (?:bien )?savoir"
        r"|je me demande|dis-moi|dites-moi|aucune idée) ?(?=(?:\w{1,4} )?(?:ce qu\w*|quel(?:le)?s?"
        r"|qui|quoi|où|quand|comment|pourquoi|combien|lequel|laquelle)\b)",
    ),
    asked=(
        r"(?:(?:à|de|en|dans|sur|sous|pour|avec|par|chez|depuis) )?(?:quel(?:le)?s?|qui|que|quoi|où"
        r"|quand|comment|pourquoi|combien|lequel|laquelle|qu'est-ce)",
    ),
    facts=(
        r"^(?:quel(?:le)?s?|qui|que|qu'|quoi|où|quand|combien|est-ce|lequel|laquelle)",
        r"(?:est|sont|a|ont|peut|doit|doivent|peuvent|faut|fait)-(?:t-)?(?:il|elle|on|ils|elles"
        r"|ce)|\w+-(?:t-)?(?:il|elle|on|ils|elles)",
        r"(?:quel(?:le)?s?|qui|où|quand|quoi)$",
    ),
    reasons=(r"^(?:pourquoi|comment|en quoi)",),
    fragments=(
        r"(?:et )?(?:ensuite|après|alors|puis|maintenant)|laisse tomber|quoi d'autre",
        r"(?:page|chapitre|section|annexe|tableau|p\.) \d+",
        r"(?:ok|oui|non|merci|s'il (?:te|vous) plaît|bonjour|bonsoir|salut|d'accord|parfait|super"
        r"|bien|très bien|coucou|au revoir)(?:[ ,.!]+\w+){0,3}",
        r"(?:et |mais |alors )?(?:le|la|les|l') ?(?:deuxième|premi[eè]re?|second|seconde|troisième"
        r"|autre|derni[eè]re?|suivante?|même|précédente?)s?(?: \w+)?",
        r"(?:et |mais |alors )?(?:pour|avec|chez|de|à|sans) (?:lui|elle|eux|elles|ça|cela|celui-ci"
        r"|celle-ci|moi|nous)|et (?:ça|alors|lui|elle|après|maintenant)|c'est (?:vrai|juste|ça|sûr"
        r"|tout)",
        r"(?:tu peux|peux-tu|pouvez-vous|vous pouvez) (?:répéter|redire|continuer|expliquer ça)(?:"
        r" .*)?|encore|continue|pareil|vraiment|comme d'habitude|la suite",
        r"(?:tu peux|peux-tu|pouvez-vous) m'aider|aide|test|que sais-tu faire|en (?:français"
        r"|anglais)",
        r"(?:et|mais) (?:le |la |les |l'|pour |dans |en |au |son |sa )(?:[\w'-]+ ?){1,3}",
        r"pourquoi pas",
        r"(?:comment )?(?:ça va|vas-tu|allez-vous)|qui es-tu|(?:es-tu|tu es) (?:une? )?(?:\w+ "
        r")?(?:humain|robot|personne|machine|là|sûr)\w*",
        r"(?:et |mais |aussi )+(?:pour|chez|avec|dans|en|sans) (?:les? |la |l')?\w+(?: aussi)?"
        r"|pour (?:les?|la) \w+ aussi",
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
        rf"en quoi {_A} (?:et|diff[eè]re-t-\w+ d\w*|diff[eè]rent-\w+ d\w*) {_B} (?:diff[eè]rent"
        rf"|divergent|se distinguent|s'opposent)",
        rf"en quoi (?:diff[eè]rent|divergent|se distinguent) {_A} et {_B}(?=$|[,;:?])",
        rf"(?:distingue|diff[eé]rencie|s[eé]pare|oppose|relie|lie) {_A} (?:de|d'|du|des|et|[aà]|au"
        rf"|aux) ?{_B}(?=$|[,;:?])",
        rf"^comment {_A} et {_B} (?:sont|s'|se) ?\w+",
    ),
    asking=Asking(
        database=(
            rf"combien (?:y a-t-il )?(?:de |d'){_FILES}(?: (?:y a-t-il|sont|as-tu|avons-nous|dans"
            rf" (?:la|le|cette|ma)|contient|compte|au total|au)|$| (?:à|en) )",
            rf"combien (?:de |d'){_FILES} …\b{_STORE}|combien (?:de |d')…\bau {_STORE}|combien de"
            rf" collections"
            r"|quelles collections",
            rf"(?:liste|lister|listez|montre|affiche|énumère)(?:[- ]moi)? (?:tous )?(?:les |mes "
            rf"|nos )?{_FILES}(?: (?:de|dans|disponibles|de la|du) …{_STORE})?(?: disponibles|"
            rf" enregistrés)?$",
            rf"(?:quels|quelles) (?:sont les )?{_FILES} (?:sont|as-tu|avons-nous|y a-t-il"
            rf"|avez-vous|ont été|figurent|contient|se trouvent)\b …(?:{_STORE}|disponibles?"
            rf"|enregistr\w+|import\w+|charg\w+"
            r"|index\w+|ajout\w+|$)",
            r"(?:déjà|bien) (?:été )?(?:importée?s?|chargée?s?|ingérée?s?|enregistrée?s?)(?: …)?$",
            r"(?:a|ont|est|sont) (?:bien |été |correctement )*(?:indexée?s?|téléversée?s?)(?: …)?$",
            rf"formats? (?:de |des )?(?:fichiers?|documents?)|(?:taille|contenu|état) (?:de la|du"
            rf"|de ma|de) {_STORE}|(?:dernier|plus récent|plus ancien) (?:document|fichier)"
            rf" …\b(?:ajouté|importé|{_STORE})",
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
            r" (?:quel(?:le)?s?|combien)|jusqu'à (?:quel(?:le)?s?|combien)|(?:à|sous) quel(?:le)?"
            r" (?:\w+ )?(?:seuil|niveau|valeur|concentration|température|pression|dose|débit)",
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
            r"|indique)\w*(?:[- ](?:moi|nous))? (?:tous|toutes|chaque|l'ensemble|la totalité)",
            r"(?:tous|toutes) (?:les|nos|mes|ces) (?:\w+ )?(?:articles?|sections?|passages?"
            r"|clauses?|documents?|contrats?|endroits?|mentions?|références?|occurrences?"
            r"|dispositions?|chapitres?|paragraphes?|sanctions?|rapports?|alinéas?)|chaque"
            r" (?:passage|mention|article|fois|endroit|occurrence)",
            r"partout où|liste (?:complète|exhaustive)|sans exception|exhaustiv\w+|tous les"
            r" endroits",
            r"(?:quel(?:le)?s?|dans quel(?:le)?s?|lesquel(?:le)?s) (?:sont les )?(?:de nos |des"
            r" )?(?:articles|sections|passages|clauses|documents|contrats|dispositions|chapitres"
            r"|paragraphes|rapports|courriers|comptes rendus|procès-verbaux|e-?mails|lettres"
            r"|sociétés|entreprises|personnes|fournisseurs|annexes|textes|arrêtés)",
            r"^où …\b(?:apparaî\w+|figure\w*)",
            r"^où (?:est|sont|apparaît|figure|parle)\w* …\b(?:mentionn\w+|cit\w+|apparaî\w+"
            r"|figur\w+|question)",
        ),
        mentions=(
            r"(?:le |les |du |au )?(?:mots?|termes?|expressions?|nom|locution) (?P<term>.+?)"
            r" (?:apparaî\w+|apparait\w*|figur\w+|est-(?:il|elle)|se trouve\w*|revient\w*|est"
            r" (?:cité|mentionné|employé|utilisé)\w*)",
            r"(?:apparaî\w+|apparait|figure(?:nt)?|trouve-t-on) (?:le |les )?(?:mots?|termes?"
            r"|expression) (?P<term>.+)",
            r"(?:mentionn|évoqu|cit|emploi|utilis|contien)(?:e|ent|nent|t)(?:-t-(?:on|il|elle))?"
            r" (?:le mot |le terme |l'expression )?(?P<term>.+)",
            r"parle(?:nt)?(?:-t-on)? (?:de la |de l'|du |des |de |d')(?P<term>.+)|(?:mentions?"
            r"|occurrences?) (?:de la |de l'|du |des |de |d')(?P<term_b>.+)",
            r"(?:est|sont)(?:-(?:il|elle)s?)? (?:question )(?:de la |de l'|du |des |de "
            r"|d')(?P<term>.+)",
            r"(?:est|sont) (?:mentionnée?s?|citée?s?|évoquée?s?) (?P<term>.+)",
        ),
        section_words=(
            r"articles?|sections?|clauses?|dispositions?|chapitres?|paragraphes?|annexes?|alinéas?",
        ),
        document_words=(
            r"documents?|fichiers?|pdfs?|contrats?|rapports?|comptes rendus|courriers?|lettres?"
            r"|lois|décrets?|études?|factures?|procès-verbaux|e-?mails?|arrêtés|dossiers?|normes?"
            r"|diagnostics?",
        ),
        occurrence_words=(r"fois|occurrences?|fréquence",),
        settled=(r"^(?:à|de|en vertu de|par|d'après) (?:quel(?:le)?s?|lesquel(?:le)?s)",),
        passage_words=(r"passages?|endroits?|mentions?|phrases?|citations?|lignes",),
    ),
    splitting=Splitting(
        conjunctions=(r"et(?: aussi)?", r"ou", r"mais", r"ainsi que"),
        interrogatives=(
            r"(?:à|de|en|dans|sur|sous|pour|avec|par|chez|depuis|jusqu'à) (?:quel(?:le)?s?|qui"
            r"|quand|quoi|combien)",
            r"quel(?:le)?s?|qui|que|qu'est-ce|quoi|où|quand|comment|pourquoi|combien|est-ce|lequel"
            r"|laquelle|en quoi",
            r"(?:faut-il|peut-on|doit-on|y a-t-il|est-il|est-elle|sont-ils|sont-elles|a-t-on)",
        ),
        verbs_first=(r"peut|doit|faut|est|sont|a|ont",),
        listed=(
            r"(?:comment|pourquoi|combien|quel(?:le)?s?|par qui|pour qui|à qui)",
            r"(?:qui|où|quand|quoi)(?=\s*(?:,|\?|et\b|ou\b))",
        ),
        imperatives=(
            r"(?:compare|liste|explique|décris|résume|trouve|montre|donne|analyse|évalue|énumère"
            r"|cite)[rz]?",
        ),
        between=(r"entre",),
        either="ou",
    ),
    folded=True,
)
