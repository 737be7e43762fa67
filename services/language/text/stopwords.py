"""Words that carry grammar rather than content.

Negations and modal verbs are here too: whoever compares meaning looks at the text itself
(services/evidence), not at stems.
"""

from typing import Final

from services.domain.value import Language
from services.language.vocabulary import word_set

STOP_WORDS: Final[dict[Language, frozenset[str]]] = {
    "de": word_set(
        """ab aber alle allem allen aller alles als also am an andere anderem anderen anderer
        anderes auch auf aus außer bei beim bereits bin bis bist bloß da dabei dadurch dafür
        dagegen daher damit danach daneben dann daran darauf daraus darf darin darüber darum
        darunter das dass daß davon davor dazu dein deine dem demselben den denen denn der deren
        derselben des deshalb desselben dessen die dies diese diesem diesen dieser dieses doch dort
        du durch dürfen durfte ebenso eigentlich ein eine einem einen einer eines er erst es etwa
        etwas euch eure für gab geben gegeben gegen geht genau gibt gilt gelten gewesen hab habe
        haben hat hatte hätte her hier hierbei hierfür hierzu hin hinsichtlich ich ihm ihn ihnen
        ihr ihre ihrem ihren ihrer ihres im in indem insbesondere insgesamt ins ist ja je jede
        jedem jeden jeder jedes jedoch jene jenem jenen jener jenes jeweilige jeweiligen jeweils
        kann kannst kein keine keinem keinen keiner keines können könnte lassen lässt laut man
        manche mehr mein meine meinem meinen mich mir mit möchte muss müssen musste nach nachdem
        neben nein nicht nichts noch nun nur ob obwohl oder ohne pro sehr sei seien sein seine
        seinem seinen seiner seines seit selbst sich sie sind so sobald sofern solange solche
        solchem solchen solcher soll sollen sollte sondern sonst soweit sowie sowohl statt trotz
        über überhaupt um und uns unser unsere unter usw viel viele vielen vom von vor während wann
        war waren warum was wegen weil weiter weitere weiteren welche welchem welchen welcher
        welches wem wen wenig wenn wer werde werden weshalb wessen wie wieso wieviel will wir wird
        wo wobei wodurch wofür woher wohin womit worden worin wozu wurde wurden würde würden zu zum
        zur zwar zwischen
        bitte vs vergleiche nenne nennen erkläre erklären erläutere beschreibe"""
    ),
    "en": word_set(
        """a about above after again against all also am an and any anything are aren as at be
        because been before being below between both but by can cannot could did didn do does
        doesn doing don done down during each either else etc ever every everything few for from
        further give given gives get gets got had has hasn have haven having he her here hers
        him his how however i if in into is isn it its itself just let like ll may me might more
        most must my neither no nor not nothing of off on once one only onto or other others our
        ours out over own per please rather re s same shall she should shouldn so some something
        still such t tell than that the their theirs them themselves then there therefore these
        they this those though through thus to too under until up upon us ve very via was wasn
        we well were weren what when where whether which while who whom whose why will with
        within without won would wouldn yet you your yours explain describe vs versus compare"""
    ),
}

GRAMMAR: Final[dict[Language, frozenset[str]]] = {
    **STOP_WORDS,
    "fr": word_set(
        """a à ai ainsi alors après as au aucun aucune aussi autre autres aux avant avec avoir avons
        car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment contre dans
        de depuis des deux doit doivent donc dont du elle elles en encore entre es est et été être
        eu faire fait faut fois il ils j'ai je jusqu la le les leur leurs lors lui ma mais me même
        mes moi moins mon ne ni nos notre nous on ont ou où par pas pendant peu peut peuvent plus
        pour pourquoi quand que quel quelle quelles quels qui quoi sa sans se selon sera ses si son
        sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y
        était étaient explique compare résume combien quelque quelques là ça puis trop bien serait
        avait dit fais parle lequel laquelle faut-il sont-ils est-il est-elle n'est c'est qu'est-ce
        d'un d'une"""
    ),
    "es": word_set(
        """a al algo algún alguna ante antes aquí así aún aunque bajo cada como cómo con
        contra cual cuál cuáles cualquier cuando cuándo cuánta cuántas cuánto cuántos debe deben del
        desde después donde dónde dos durante e el él ella ellas ellos era eran esa esas ese eso
        esos esta está están estas este esto estos fue fueron ha han has hasta hay he las lo los más
        mi mientras mis mismo mucho muy nada no nosotros nuestra nuestro o otra otras otro otros
        para pero poco por porque puede pueden qué quien quién quiénes sea según ser sí sido sin
        sobre su sus también tan tiene tienen todo todos toda todas tras una unas uno unos ya yo
        hace hacer había sólo solo cuenta explica compara resume dice dijo ésta éste hemos ahora
        siempre ambos sino será sería podría años parte de en entre es la le me nos que se si son te
        tu un y"""
    ),
}
"""Words that tell languages apart; French and Spanish texts keep theirs as stems."""

FUNCTION_WORDS: Final = frozenset().union(*GRAMMAR.values()) | word_set(
    """come bedeutet fasse finde gehört gemäß hoch immer jetzt lange liste machen oft schon
    unterschied vergleich welch wieder worum zeige aren't can't didn't differ doesn't don't find
    first how's i'm i've isn't it's last list made make new said say says show since summarise
    summarize they're two use used using we're what's year years you're"""
)
"""Words that name nothing in a question, in four languages together."""
