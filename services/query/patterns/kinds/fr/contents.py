"""How French asks for what stands written: overviews and facts; compared without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns

EXPLORATORY: Final = TypePatterns(
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
        r"(?<!en\s)tout (?:sur|savoir|ce qu\w*)|sujets? abord\w+|thèmes? abord\w+|thématiques?",
        # short accounts
        r"topo|(?:fai\w+|faire)(?:[- ](?:moi|nous))? le tour"
        r"|bross\w+|(?:quelques|deux|trois) (?:mots|phrases"
        r"|lignes)|à quoi ressemble\w*",
        # subjects that come up
        r"(?:sujets?|thèmes?|questions?) (?:qui|que|les plus) …\b(?:revien|abord|trait|évoqu"
        r"|récurrent|discut)\w*|(?:sujets?|thèmes?) récurrents?",
        # help to understand
        r"aide[- ]moi à (?:comprendre|voir)|éclaire\w*|de quoi (?:ça|il|elle) \w+|(?:donne"
        r"|donnez)[- ]moi (?:une idée|un aperçu|une impression)|que sait-on|qu'y a-t-il (?:dans"
        r"|sur)|tu sais quoi sur|en gros",
        # a picture of a subject
        r"(?:vue|idée|image|portrait|tableau) (?:d'ensemble|générale?|globale?)|état actuel"
        r"|paysage|où en (?:est|sont|sommes)",
        # what a beginner needs
        r"débute|(?:avoir|garder) en tête|(?:dis|dites)[- ]?m'en plus|en (?:dire|savoir) plus"
        r"|état des (?:connaissances|savoirs|recherches)",
    ),
    clear=(
        r"ce qu'(?:on|il y|nous) \w+ (?:sur|dans)",
        r"que (?:faut-il|dois-je|doit-on|devrais-je) (?:savoir|retenir|connaître)",
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
FACTUAL: Final = TypePatterns(
    decisive=(
        # a summary as a thing, not as what is wanted
        r"^(?:qui|quand|où) …\b(?:résumé|synthèse|aperçu)",
        r"^(?:jusqu'à|à partir de|depuis|dès|à|avant) quelle (?:date|heure|année)",
        r"^(?:cite|énumère|liste|nomme|relève)\w*(?:[- ](?:moi|nous))? (?:tous|toutes|chaque)",
        # what something is called
        r"comment …\b(?:s'appel|se nomm|s'intitul|désign|nomm|appel|défini"
        r"|qualifi)\w*(?:-\w+)*",
        # where something stands
        r"(?:écrit|indiqué|fixé|précisé|mentionné|noté|inscrit)e?s? (?:dans|à|en|où) "
        r"(?:quel(?:le)?s?)?",
    ),
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
        # what one clause says
        r"(?:selon|d'après|aux termes de|à|dans) (?:l'article|la clause|l'alinéa|l'annexe|le "
        r"code|le point) ?\d*|^que risque|^à quoi (?:oblige|engage)\w*",
        # all places of a kind
        r"^(?:tous|toutes|chaque) (?:les )?\w+ (?:où|qui|dans|mentionn\w+|contenant|avec)",
        # bare names of values
        r"^(?:le |la |les |l')?(?:plafond|prime|salaire|franchise|garantie|indemnité|pénalité"
        r"|tarif|pression|puissance|tension|horaires?|coordonnées|téléphone|niveau"
        r"|épaisseur|distance|référence|code)",
        # the store
        r"(?:documents?|fichiers?|pdfs?) …\b(?:ajouté|importé|téléversé|chargé|enregistré"
        r"|indexé)e?s?|^(?:avons-nous|a-t-on|as-tu) (?:des|un|une|le|la|les|d')",
        # a value wished for
        r"^(?:j'aimerais|je voudrais|il me (?:faut|faudrait)|je cherche|j'ai besoin d\w*)(?: "
        r"connaître| avoir| savoir)? ?(?:du |de |d')?(?:le|la|les|l')? ?(?:noms?|date|période"
        r"|valeur|numéro|montant|durée|adresse|titre|référence|seuil|limite|prix)",
        # what comes of an event, by a text
        r"(?:quel(?:le)?s?|que) …\b(?:d'après|selon|prévoi\w+|fix\w+) (?:le|la|l'|les)",
    ),
    hint=(
        r"autorisée?s?|interdite?s?|obligatoires?|permis|maximale?|minimale?|maximum|minimum|en"
        r" vigueur",
        r"y a-t-il|existe-t-il|est-ce que|quel(?:le)?s? (?:est|sont)|peut-on|a-t-on le droit|si",
    ),
)
