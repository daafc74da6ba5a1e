"""Words that search treats specially: those that tell nothing, and irregular English forms."""

from __future__ import annotations

from typing import Final


def _of(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Left out of what is indexed and asked: they are in every message and tell none apart.
ENGLISH: Final = _of(
    """a about above after again against all also am an and any anyone anything are as at be because
    been before being below between both but by can could did do does doing done down during each
    either else ever every few for from further get gets getting got had has have having he her
    here hers herself him himself his how i if in into is it its itself just let me might more
    most much must my myself no nor not now of off on once only or other our ours ourselves out
    over own please really same shall she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up us very was we were
    what when where whether which while who whom whose why will with would yes you your yours
    yourself yourselves"""
)

#: Left out of a question asked in that language (accents folded, as `words` folds them). Only
#: there, since "die" and "son" are telling words in English.
OTHERS: Final = {
    "de": _of(
        """aber alle als am an auch auf aus bei bin bis bist da damit das dass dein deine dem den der des
        dich die dir doch du ein eine einem einen einer er es euch fur gibt habe haben hat
        hatte ich ihm ihn ihr im in ist ja kann kein keine konnen man mein meine meinem meinen
        meiner mich mir mit nach nicht noch nur oder schon sein seine sich sie sind so uber um
        und uns unser vom von vor wann war waren warum was weiss welche welcher welches wem
        wen wenn wer wie wir wird wo wurde zu zum zur"""
    ),
    "fr": _of(
        """a ai au aux avec c ce ces cette comment d dans de des du elle elles en es est et etait eu
        il ils j je l la le les leur lui m ma mais me mes moi mon n ne nos notre nous on ont ou
        par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa se ses son sont
        suis sur t ta te tes toi ton tu un une vos votre vous y"""
    ),
    "es": _of(
        """a al algo como con cual cuales cuando cuanto de del desde donde dos e el ella ellas ellos
        en entre era es esa ese eso esta estan este esto fue ha han hay la las le les lo los me mi
        mis mucho muy no nos o para pero por porque que quien quienes se ser si sin sobre son soy
        su sus tambien te tiene tu tus un una y ya yo"""
    ),
    "pt": _of(
        """a ao aos as com como da das de do dos e ela elas ele eles em entre era essa esse esta este eu
        foi ha isso ja la lhe mais mas me meu meus minha minhas muito na nao nas no nos o onde
        os ou para pela pelo por porque quais qual quando que quem sao se sem ser seu seus sou
        sua suas tem teu tu tua um uma voce"""
    ),
}

#: Words by which askers mean themselves.
FIRST_PERSON: Final = _of(
    """eu i ich j je ma me mein meine meinem meinen meiner mes meu meus mi mich mine minha minhas mir
    mis moi mon my myself yo"""
)

# A question says "did she buy", the message "I bought": no stemmer brings the two together.
_FORMS: Final = """
arise arose arisen;bear bore borne;beat beaten;become became;begin began begun;bend bent; bind
bound;bite bit bitten;bleed bled;blow blew blown;break broke broken;breed bred;bring brought;
build built;burn burnt;buy bought;catch caught;choose chose chosen;come came;creep crept;deal
dealt; dig dug;draw drew drawn;dream dreamt;drink drank drunk;drive drove driven;eat ate
eaten;fall fell fallen;feed fed;feel felt;fight fought;find found;flee fled;fly flew flown;forbid
forbade forbidden; forget forgot forgotten;forgive forgave forgiven;freeze froze frozen;give gave
given;go went gone goes;grow grew grown;hang hung;hear heard;hide hid hidden;hold held;keep
kept;kneel knelt;know knew known;lay laid;lead led;learn learnt;leave left;lend lent;light
lit;lose lost;make made;mean meant; meet met;pay paid;ride rode ridden;ring rang rung;rise
risen;run ran;say said;see saw seen;seek sought;sell sold;send sent;sew sewn;shake shook
shaken;shine shone;shoot shot;show shown;shrink shrank shrunk;sing sang sung;sink sank sunk;sit
sat;sleep slept;slide slid;speak spoke spoken;spell spelt;spend spent;spin spun;stand stood;steal
stole stolen;stick stuck;sting stung;strike struck; swear swore sworn;sweep swept;swim swam
swum;swing swung;take took taken;teach taught;tear tore torn;tell told;think thought;throw threw
thrown;understand understood;wake woke woken;wear wore worn;weep wept;win won;write wrote
written;child children;man men;woman women;foot feet;tooth teeth; mouse mice;goose geese;
wife wives;knife knives;half halves;wolf wolves;shelf shelves
"""

#: An irregular English form and the word it belongs to.
IRREGULAR: Final = {
    form: base for base, *forms in (group.split() for group in _FORMS.split(";")) for form in forms
}
