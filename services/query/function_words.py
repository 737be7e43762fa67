"""Words that a language uses all the time, by which it is recognised."""

from typing import Final

from services.value import Language
from services.vocabulary import word_set

FUNCTION_WORDS: Final[dict[Language, frozenset[str]]] = {
    "de": word_set(
        """aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das
        dass dem den denn der deren des dessen die dies diese diesem diesen dieser
        dieses doch du durch ein eine einem einen einer eines er es etwa für gegen
        gehört gibt gilt gelten habe haben hat hatte hätte ich ihm ihn ihnen ihr ihre
        ihrem ihren ihrer im in ins ist jede jeder jedes kann kein keine keinen können
        könnte laut machen man mehr mein meine mich mir mit muss müssen nach nicht noch
        nun nur ob oder ohne schon sehr sein seine seinen seiner seit selbst sich sie
        sind so soll sollen sollte sowie über um und uns unser unsere unter viele vom
        von vor wann war waren warum was weil welche welchem welchen welcher welches wem
        wenn wer werden wessen wie wieder wieso wieviel wir wird wo wofür worin worum
        wurde wurden würde zu zum zur zwischen darf dürfen nenne erkläre vergleiche
        beschreibe fasse zeige liste finde gemäß hoch lange oft vergleich unterschied
        bedeutet bitte welch weshalb wodurch womit muß daß gab immer jetzt hier dort
        wegen während"""
    ),
    "en": word_set(
        """a about after all also an and any are aren't as at be because been before being
        between both but by can can't could describe did didn't differ do does doesn't
        don't each explain for from had has have he her his how i if in into is isn't it
        it's its list me might more most must my no not of off on one only or other our
        out over own said shall she should since so some such than that the their them
        then there these they this those through to under up us use used using very was
        we were what what's when where whether which while who whom whose why will with
        would you your compare give tell find show summarize summarise please may how's
        says say i'm new just like get got make made two first last year years they're
        we're you're i've about does"""
    ),
    "fr": word_set(
        """a à ai ainsi alors après as au aucun aucune aussi autre autres aux avant avec
        avoir avons car ce ceci cela celle celles celui ces cet cette ceux chaque chez
        comme comment contre dans de depuis des deux doit doivent donc dont du elle
        elles en encore entre es est et été être eu faire fait faut fois il ils j'ai je
        jusqu la le les leur leurs lors lui ma mais me même mes moi moins mon ne ni nos
        notre nous on ont ou où par pas pendant peu peut peuvent plus pour pourquoi
        quand que quel quelle quelles quels qui quoi sa sans se selon sera ses si son
        sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vers vos
        votre vous y était étaient explique compare résume combien quelque quelques là
        ça puis trop bien deux serait avait dit fais parle lequel laquelle faut-il peut-
        on sont-ils est-il est-elle n'est c'est qu'est-ce d'un d'une"""
    ),
    "es": word_set(
        """a al algo algún alguna ante antes aquí así aún aunque bajo bien cada como cómo
        con contra cual cuál cuáles cualquier cuando cuándo cuánta cuántas cuánto
        cuántos de debe deben del desde después donde dónde dos durante e el él ella
        ellas ellos en entre era eran es esa esas ese eso esos esta está están estas
        este esto estos fue fueron ha han has hasta hay he la las le les lo los más me
        mi mientras mis mismo mucho muy nada ni no nos nosotros nuestra nuestro o otra
        otras otro otros para pero poco por porque puede pueden que qué quien quién
        quiénes se sea según ser si sí sido sin sobre son su sus también tan te tiene
        tienen todo todos toda todas tras tu un una unas uno unos y ya yo hace hacer
        había sólo solo cuenta explica compara resume dice dijo ésta éste hemos ahora
        siempre donde ambos sino será sería podría años parte"""
    ),
    "it": word_set(
        """a ad agli ai al alla alle allo anche ancora aveva avere ben c'è che chi ci cioè
        come con contro cosa così cui da dagli dai dal dalla dalle degli dei del della
        delle dello dell' di dopo dove due e è ed era erano essere fa fatto fino fra gli
        ha hanno i il in io la le lei li lo loro lui ma mai mi mia mio molto ne negli
        nei nel nella nelle nello no noi non nostro o ogni oggi oltre per perché più poi
        prima proprio qual quale quali quando quanti quanto quella quelle quelli quello
        questa queste questi questo qui se sempre senza si sia solo sono sua sue sui sul
        sulla sulle suo suoi tra tutti tutto un una uno va viene voi stato stata stati
        ciò può deve secondo anni dall' sull' nell' all' quest'anno l'altro dell'anno"""
    ),
    "nl": word_set(
        """aan al alle als andere bij dan dat de deze die dit doen door drie dus een eens
        elke en er geen gaan geweest goed haar had hadden heb hebben heeft het hem hij
        hoe hun ik in is ja je jaar jullie kan komen kunnen maar meer men met mijn moet
        moeten na naar niet niets nog nu of om omdat onder ons onze ook op over s te
        tegen ten ter toch toen tot twee u uit uw van veel volgens voor waar waarom
        wanneer want waren was wat we weer welk welke werd werden wie wij wil worden
        wordt zal ze zei zeer zich zij zijn zo zoals zonder zou zouden tussen hoeveel
        eerste nieuwe"""
    ),
    "pt": word_set(
        """a ainda além ao aos apenas as às assim até com como contra da das de depois
        desde do dos durante e é ela elas ele eles em entre era essa esse esta está
        estão este eu foi foram há isso isto já lhe mais mas me mesmo meu minha muito na
        não nas nem no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos
        pode podem por porque porquê qual quais quando quanto que quem se sem ser será
        seu seus sido são só sobre sua suas também tem têm ter um uma você à ano anos"""
    ),
}
AMBIGUOUS: Final = word_set("was has am es on a son as dos has no i")
"""Words that often are another language's, a name's or an abbreviation's."""

LETTERS: Final[dict[str, Language]] = {
    "ß": "de",
    "ñ": "es",
    "œ": "fr",
    "ã": "pt",
    "õ": "pt",
}
"""Letters that only one of the languages has."""
