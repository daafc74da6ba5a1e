"""Words that ask for a kind of thing, and words for things of that kind.

"What does she drink?" shares no word with "Prefers tea", and averaged word vectors hardly know that
tea is drunk. A memory is therefore also indexed under the kinds of its words. The list is of
everyday English; whatever is not on it is searched as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from confide.store.terms import terms

#: As many as a question has bits left for when all its words are counted.
MAX_KINDS: Final = 4
#: Each kind: words that ask for it, then words that are of it but ask for nothing: whoever asks for
#: a drink is answered by "tea", and whoever asks for tea is not answered by "beer".
_KINDS: Final = {
    "work": (
        "job work profession occupation career living employer workplace office",
        """accountant actor actress analyst architect artist author baker bakery banker barista builder
        carpenter cashier chef cleaner coach company consultant counselor dentist designer developer
        doctor driver editor electrician engineer entrepreneur farmer firefighter firm freelance
        freelancer gardener hairdresser hospital intern internship journalist judge lawyer lecturer
        librarian manager mechanic midwife musician nurse officer painter pharmacist photographer
        physicist pilot planner plumber police professor programmer psychologist receptionist
        researcher restaurant retired sailor salesman scientist secretary shop soldier startup surgeon tailor teach
        teacher technician therapist trainer translator unemployed vet waiter waitress writer""",
    ),
    "food": (
        "food eat meal dish cuisine cook snack diet",
        """allergic allergy almond apple bacon banana bean beef berry biscuit bread breakfast brunch
        burger burrito butter cake carrot cheese chicken chili chocolate cookie curry dairy dessert
        dinner dumpling egg fish fruit garlic gluten halal hazelnut hummus kosher lactose lamb lasagna
        lunch meat mushroom noodle nut onion pancake pasta peanut pie pizza pork potato quiche ramen
        rice salad salmon sandwich sausage seafood shellfish shrimp soup spaghetti spicy spinach steak
        strawberry supper sushi taco tofu tomato vegan vegetable vegetarian walnut wheat yoghurt""",
    ),
    "drink": (
        "drink beverage",
        """ale beer cappuccino champagne cider cocktail cocoa coffee cola espresso gin juice latte
        lemonade milk rum smoothie soda tea vodka water whiskey whisky wine""",
    ),
    "coffee": ("coffee", "cappuccino espresso latte"),
    "instrument": (
        "instrument",
        """accordion banjo bass cello clarinet drum fiddle flute guitar harmonica harp horn keyboard oboe
        organ piano saxophone trombone trumpet ukulele viola violin""",
    ),
    "pet": (
        "pet animal",
        """beagle bird budgie bunny canary cat dog ferret goldfish greyhound hamster hen horse kitten
        labrador lizard mare parrot pony poodle puppy rabbit retriever snake terrier tortoise turtle""",
    ),
    "colour": (
        "colour color",
        "beige black blue brown green grey gray orange pink purple red turquoise violet white yellow",
    ),
    "sport": (
        "sport exercise workout fitness",
        """athletics badminton baseball basketball boxing climb cricket cycle fence football futsal golf
        gym gymnastics handball hike hockey jog judo karate marathon pilates row rugby run sail skate
        ski snowboard soccer squash surf swim tennis triathlon volleyball wrestle yoga""",
    ),
    "race": ("race", "marathon regatta sprint triathlon"),
    "music": (
        "music listen band song genre",
        """album blues classical concert country fado folk jazz metal opera orchestra playlist pop
        punk rap reggae rock singer symphony techno tune""",
    ),
    "language": (
        "language",
        """arabic chinese czech danish dutch english finnish french german greek hebrew hindi hungarian
        italian japanese korean latin mandarin norwegian polish portuguese russian spanish swedish
        turkish ukrainian""",
    ),
    "car": (
        "car vehicle",
        """audi bmw citroen fiat ford honda hyundai jeep kia mazda mercedes nissan opel peugeot porsche
        prius renault skoda subaru suv tesla toyota truck van volkswagen volvo""",
    ),
    "bike": ("bike bicycle", ""),
    "home": (
        "live home house reside residence address town city hometown",
        """amsterdam apartment barcelona berlin born boston bristol brussels chicago copenhagen cottage
        dublin flat grow hamburg lisbon london madrid move munich neighbourhood oslo paris rome rotterdam
        seattle stockholm sydney tokyo toronto vienna village zurich""",
    ),
    "childhood": ("childhood", "born grow raise"),
    "politics": (
        "politics political",
        "conservative democrat green labour liberal republican socialist vote",
    ),
    "flat": ("apartment flat", ""),
    "spouse": ("husband wife spouse", "fiance fiancee marry married partner"),
    "child": ("child kid", "baby daughter son toddler"),
    "mother": ("mother mum mom", ""),
    "father": ("father dad", ""),
    "parent": ("parent", "dad father mom mother mum"),
    "sibling": ("sibling", "brother sister"),
    "relative": (
        "family relative",
        """aunt brother cousin dad daughter father grandfather grandma grandmother grandpa husband mom
        mother mum nephew niece sister son uncle wife""",
    ),
    "birthday": ("birthday born birth age old", "turn"),
    "name": ("name called nickname", ""),
    "like": ("like love enjoy prefer favourite favorite", "adore fan fond keen passionate"),
    "dislike": ("dislike hate avoid", "allergic cannot despise detest loathe stand"),
    "fear": ("afraid scared fear phobia", "anxious frightened terrified"),
    "hobby": (
        "hobby pastime",
        """bake chess climb collect crochet dance fish garden hike knit paint photography pottery sew sing
        woodwork yoga""",
    ),
    "game": ("game", "chess cards catan minecraft monopoly poker puzzle scrabble zelda"),
    "film": ("film movie cinema genre", "comedy documentary horror thriller western"),
    "book": ("book novel genre", "biography fiction literature poem poetry read thriller"),
    "study": (
        "study university college degree subject",
        """bachelor biology chemistry economics graduate history law linguistics literature master
        mathematics maths medicine phd philosophy physics psychology sociology student thesis""",
    ),
    "illness": (
        "illness disease ill sick injury injured health condition",
        """allergic allergy asthma break cancer depression diabetes epilepsy fever flu fracture migraine
        pain sprain surgery tear""",
    ),
    "medicine": (
        "medicine medication drug painkiller pill",
        "antibiotic aspirin diclofenac ibuprofen insulin naproxen paracetamol penicillin tablet",
    ),
    "religion": (
        "religion religious faith",
        """atheist buddhist catholic christian church hindu jewish mosque muslim protestant synagogue
        temple""",
    ),
    "season": ("season", "autumn spring summer winter"),
    "commute": ("commute", "bicycle bike bus cycle drive metro train tram walk"),
    "earn": ("earn salary income wage", ""),
    "travel": ("travel trip vacation holiday journey", "flight tour visit"),
    "prepare": ("prepare train practise practice", ""),
    "buy": ("buy purchase", ""),
    "begin": ("begin start", ""),
    "gift": ("gift present", ""),
    "photo": ("photo picture photograph", ""),
    "repair": ("fix repair mend", ""),
    "quarrel": ("quarrel argue argument dispute", ""),
}
#: Asked more often than said: "which games do I like?" is answered by "Plays chess".
SELDOM_SAID: Final = frozenset(
    terms(
        """current currently enjoy exactly favorite favourite kind know like love many mention normally
        prefer remember say sort tell type use usually"""
    )
)
#: The kinds that a term of a question asks for, and those that a term of a memory is of.
_ASKED: Final[dict[str, list[str]]] = {}
_OF: Final[dict[str, list[str]]] = {}
for _kind, (_asking, _others) in _KINDS.items():
    for _known, _words in ((_ASKED, _asking), (_OF, f"{_asking} {_others}")):
        for _term in dict.fromkeys(terms(_words)):
            _known.setdefault(_term, []).append(f"~{_kind}")


def kinds_asked(question: Sequence[str]) -> dict[str, list[str]]:
    """The kinds of things that each term of a question may ask for; the first few kinds count."""
    every = dict.fromkeys(kind for term in question for kind in _ASKED.get(term, ()))
    first = set(list(every)[:MAX_KINDS])
    asked = {term: [kind for kind in _ASKED.get(term, ()) if kind in first] for term in question}
    return {term: kinds for term, kinds in asked.items() if kinds}


def things_asked(question: Sequence[str]) -> list[str]:
    """All of those kinds, each once."""
    return list(dict.fromkeys(kind for kinds in kinds_asked(question).values() for kind in kinds))


def kinds_of(text: Iterable[str]) -> frozenset[str]:
    """The kinds of everything that a text with these terms speaks of."""
    return frozenset(kind for term in text for kind in _OF.get(term, ()))
