"""How French asks for work: procedures and judgements; compared without accents."""

from typing import Final

from services.query.patterns.base import TypePatterns

PROCEDURAL: Final = TypePatterns(
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
        # what to do, in speech
        r"qu'est-ce (?:que je|qu'on|que nous) (?:fai\w+|doi\w+)|(?:je|on|il faut|faut|dit de"
        r"|dois|doit) (?:fais|fait|faire) quoi|faire quoi",
        # how to set about it
        r"(?:m'y|s'y|nous y) prend\w*|pas[- ]à[- ]pas|(?:maintenant|ensuite)$",
        # what has to be done or handed in
        r"quel(?:le)?s? (?:[\w']+ ){1,3}(?:effectuer|faire|fournir|prendre|remplir|joindre"
        r"|suivre|prévoir|réaliser|déposer|envoyer|contacter|mener)",
        # a course of work described
        r"(?:décri|expliqu|détaill|expos)\w* …\b(?:préparation|prélèvements?|échantillonnage"
        r"|montage|réglage|étalonnage|mise en|démontage|nettoyage|calcul|fabrication"
        r"|installation|remplacement|déroulement|entretien)",
        # how a study was made
        r"comment …\b(?:a|ont|avait|avaient)(?:-t)?(?:-\w+)? (?:été )?(?:\w+ ){0,4}(?:mesuré"
        r"|calculé|obtenu|recueilli|choisi|sélectionné|recruté|préparé|analysé|déterminé|prélevé"
        r"|procédé|réalisé|évalué|collecté)\w*|méthodologie|méthode (?:de mesure|utilisée"
        r"|employée)",
        # going about it
        r"on (?:fait|procède) comment|(?:je|on) fai[st] comment|(?:veiller|penser) à quoi|à "
        r"quoi (?:faut-il|dois-je|doit-on) (?:veiller|penser|faire attention)",
        # how it goes, in speech
        r"(?:ça|cela) se (?:passe|fait|déroule) comment|comment (?:ça|cela) se|(?:aide"
        r"|aidez)[- ](?:moi|nous) à (?!comprendre|voir|trouver)\w+(?:er|ir|re)|^(?:à|auprès "
        r"de) (?:qui|quoi) \w+(?:er|ir|re)",
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
        # a wish to do something
        r"(?:je|on|nous) (?:veux|voudrais|dois|souhaite|compte|veut|doit|souhaitons|devons"
        r"|voulons) (?!savoir|comprendre|connaître|voir|avoir|lire|découvrir)\w+(?:er|ir|re)",
        # in an event, what or who
        r"(?:en cas d|après|avant|quand|lorsqu|si|dès)[^?\n]{3,80}[,:] (?:que|qu'|qui|quoi"
        r"|comment|où|quel(?:le)?s?)",
        # infinitives asked for
        r"^(?:où|qui|quand|à qui|auprès de qui) \w+(?:er|ir|re)",
        # things to have and to mind
        r"quel(?:le)?s? (?:précautions?|vérifications?|contrôles?|mesures|formalités"
        r"|préparatifs)|comment (?:se |s')?\w+(?:-t)?-(?:on|il|elle)",
        # duties
        r"(?:que|qu'est-ce qu'il|qui|où|à qui|auprès de qui) (?:dois-je|doit-on|faut-il"
        r"|devons-nous|faut|puis-je) (?!savoir|retenir|comprendre|connaître)\w+(?:er|ir|re)",
    ),
    hint=(
        r"^(?:demander|obtenir|déclarer|remplacer|contester|résilier|renouveler|enregistrer"
        r"|préparer|installer|\w+(?:er|ir)) (?:un|une|le|la|les|des|du|son|ma|mon|sa|l'\w+|d'\w+)",
        r"^(?:demande|dépôt(?! de garantie)|déclaration|inscription|résiliation)"
        r" (?:de|d'|du)|pour \w+(?:er|ir"
        r"|re)",
    ),
)
ANALYTICAL: Final = TypePatterns(
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
        # an opinion asked for
        r"(?:qu'en )?pense[sz]?(?:-tu|-vous)|à (?:ton|votre) avis|comment se peut-il|comment "
        r"(?:est-il|est-ce) possible|à quoi (?:est|sont) due?s?",
        # grades of trust
        r"(?:est|sont)-(?:il|elle|ce)s? (?:vraiment |assez |bien )?(?:fiable|crédible|solide"
        r"|réaliste|raisonnable|convaincant|suffisant|légitime|valable|logique|utile|prudent"
        r"|grave|normal)\w*",
    ),
    clear=(
        r"que devien\w+ …\bsi|^[^?\n]{3,90}\b(?:alors que|bien que|quoique|malgré)",
        r"quels? effets?|assez \w+|quels? …\b(?:avantages|inconvénients)",
        r"trop (?!tard)\w+$|étay\w+|prouv\w+|démontr\w+|que signifie …\bpour",
        r"(?<=\n)(?:est-ce|faut-il|peut-on|doit-on|sommes-nous|devons-nous|pouvons-nous"
        r"|[^\n]*-(?:t-)?(?:il|elle|on|nous))",
        r"respecte(?:-\w+|nt)?|enfrei\w+|viole\w*|infraction|manquement|suffi(?:t|sent)(?:-\w+)?",
        r"peu\w*(?:-\w+)? …\bencore|mal tourné|échou\w+|échecs?",
        r"conséquences?|implications?|répercussions?|impacts?|retombées|incidences?|effets? (?:de"
        r"|du|sur|aurait|d'un)",
        r"(?!pourri|pourrais-tu|voudr|aimer|souhait|faudrait|serait-il possible|auriez-"
        r"|aurais-)\w*(?:[eiduv]r|rr|aur|ser|fer)(?:ait|aient|ais|ions"
        r"|iez)(?:-(?:t-)?(?:il|elle|on|ils|elles|nous|je|ce))?",
        r"(?:est|sont|soit|serait|reste|semble|paraît)(?:-\w+)* …\b(?:opposable|valable|valide"
        r"|licite|légale?|justifiée?|suffisante?|suffi(?:t|sent)|raisonnable|pertinente?|fiable"
        r"|plausible|convaincante?|crédible|cohérente?|abusive|réaliste|proportionnée?|solide"
        r"|nulle|conforme|recevable|adaptée?|défendable)s?",
        r"(?<!que\s)risqu(?:e|es|ons|ent|ez)|risques|danger(?:s|eux)?|faiblesses?|points? "
        r"(?:faibles?|forts?)|forces et|failles?|lacunes?|limites? (?:de l'étude|de la méthode"
        r"|du raisonnement)",
        r"que (?:se passe|passerait|implique|vaut|faut-il penser|penser|conclure|déduire)|qu'en"
        r" (?:penser|conclure|déduire)|et si|supposons|à supposer|qu'implique|en quoi …\b(?:utile"
        r"|nécessaire)",
        r"peut-on (?:en )?(?:conclure|considérer|dire|affirmer|encore|nous|se|soutenir|déduire"
        r"|exiger)|doit-on (?:s'inquiéter|craindre|en)|sommes-nous|devons-nous|pouvons-nous|nous"
        r" (?:oblige|concerne)",
        r"arguments? (?:pour|contre|en faveur)|(?:quel|l') ?intérêt (?:de|du|à|y a)|justifi\w+"
        r"|explique(?:nt)? (?:la|le|les|que|cette|ce|par)|s'expliqu\w+|utilité|importance (?:de"
        r"|du)|recommand\w+|conseill\w+",
        # one's own right or duty
        r"^(?:suis-je|sommes-nous|(?:ai-je|avons-nous) (?:le droit|droit|besoin|à|intérêt)"
        r"|puis-je|pouvons-nous|dois-je|devons-nous|faut-il)",
        # a case told in the same sentence
        r"(?:\w+, |(?<=\n))(?:est-ce qu|on (?:peut|doit|est)|je (?:peux|dois)|(?:peut"
        r"|doit)-(?:il|elle|on)|(?:il|elle) (?:peut|doit)|a-t-(?:il|elle|on)|est-(?:il|elle|ce))",
        # a judgement on given grounds
        r"à en juger|compte tenu|au vu d\w+|étant donné|vu que",
        # blame
        r"la faute (?:à|est|revient)|fautifs?|coupables?|à blâmer",
        # what findings carry over to
        r"transposables?|extrapol\w+|généralis\w+",
        # what follows from something
        r"(?:suffi|impliqu|prouv|démontr|autoris|oblig|empêch|exonèr|dispens"
        r"|justifi)\w+-(?:t-)?(?:il|elle|ils|elles|on)|en (?:déduire|conclure)|cela (?:veut"
        r"|signifie|suffit)",
        # what is wise
        r"bonne idée|dans notre (?:cas|intérêt)|vaut mieux|ai-je intérêt|avons-nous intérêt"
        r"|biais|craindre",
        # reasons, also of a difference
        r"pourquoi|qu'est-ce qui explique|comment expliquer",
        # how it came about
        r"comment en (?:est|sommes|arriv)\w*|à tort|à raison|(?:a|ont)-\w+ (?:tort|raison)",
        # a case imagined and its outcome
        r"imagin(?:ons|e|ez)|admettons",
    ),
    hint=(
        r"^(?:notre|nos|mon|ma|mes) …-(?:t-)?(?:il|elle)s?",
        r"est-ce (?:grave|normal|suffisant|un problème)|problèmes?|si …,|critique|vraiment",
    ),
)
