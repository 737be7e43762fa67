"""Word lists that tell a full stop from the end of a sentence."""

from typing import Final

from services.vocabulary import word_set

ABBREVIATIONS: Final = word_set(
    """abb abl abs abschn abt banz allg amtl anh anl anm art aufl ausg az beisp bek ber betr bgbl bl
    bd bspw buchst bzgl bzw ca dgl dipl dr ebd eidg einschl entspr erg etc evtl exkl ff fn folg gem
    ges gez ggf ggfs halbs hg hj hrsg hs inkl insb insbes jew jh jhd kap kfm lfd lit max med min
    mind mio mrd mwst nr nrn num od pos prof rdnr rn sog spez std str tab tel tsd urspr usf usw vgl
    verf vers vgl vol vorl vs wg zb ziff zit zzgl
    al approx apt assn ave bros cf ch chap cit col corp def dept diff ed eds eg eq eqs esp est ex
    fig figs gen gov ie inc incl jr llc ltd mr mrs ms mt no nos op par pg ph pl pp pub ref refs
    resp rev sec sect sen sr st supp tech trans univ viz vol vols
    jan feb mär apr jun jul aug sep sept okt oct nov dez dec"""
)

# Abbreviations that may also be the last word of a sentence.
CLOSABLE: Final = word_set("etc usw usf ff dgl al inc ltd corp jr sr")

MONTHS: Final = word_set(
    """januar jänner februar märz april mai juni juli august september oktober november dezember
    jan feb mär apr jun jul aug sep sept okt nov dez january february march may june july october
    december"""
)

# Words that, capitalised after a full stop, begin a sentence rather than name a thing.
STARTERS: Final = word_set(
    """Ab Abweichend Alle Allerdings Als Am An Andernfalls Auch Auf Aus Außerdem Bei Beim Bis Da
    Dabei Dadurch Dafür Damit Danach Daneben Dann Daraus Darf Darüber Das Dass Dazu Dem Den Denn
    Der Des Deshalb Die Dies Diese Dieser Dieses Diesem Diesen Dort Durch Ein Eine Einem Einen Einer
    Eines Entsprechendes Er Es Falls Ferner Für Gegen Gilt Hat Hier Hierbei Hierfür Hierzu Ihr Ihre
    Im In Ist Jede Jeder Jedes Jedoch Kann Kein Keine Liegt Man Mit Nach Neben Nicht Nur Ob Oder
    Ohne Satz Sätze Seit Sie Sind So Sofern Solange Solche Soll Sollen Soweit Sowohl Statt Trotz Um
    Und Unter Unbeschadet Unverzüglich Vom Von Vor Während Wann Wäre Was Weil Weiter Weitere
    Weiterhin Welche Wenn Wer Werden Wie Wird Wo Wurde Zu Zudem Zum Zur Zusätzlich Zwischen
    A According Additionally After All Also Although An And Another Any Are As At Because Before
    Both But By Can Consider Currently Does During Each Either Even Every Finally First For From
    Further Furthermore Given Hence Here How However I If In Instead Is It Its Later Like Many More
    Most Next No Not Note Now Of On Once One Only Or Other Our Otherwise Over Several She Should
    Similarly Since So Some Such Than That The Their Then There Therefore These They This Those
    Though Through Thus To Two Under Unlike Until Use Using We What When Where Whether Which While
    Who Why With Without You"""
)
