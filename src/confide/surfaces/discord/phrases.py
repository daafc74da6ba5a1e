"""What the bot says in its own words, in the languages that are screened (en, de, fr, es, pt)."""

from __future__ import annotations

from typing import Final

from confide.bridge.contract import Note
from confide.model import PlaceKind
from confide.surfaces.discord.owners_phrases import OWNERS

LANGUAGES: Final = ("en", "de", "fr", "es", "pt")

NOTES: Final[dict[Note, dict[str, str]]] = {
    Note.NOTHING_KNOWN: {
        "en": "I don't know anything about that.",
        "de": "Darüber weiß ich nichts.",
        "fr": "Je ne sais rien à ce sujet.",
        "es": "No sé nada sobre eso.",
        "pt": "Não sei nada sobre isso.",
    },
    Note.NOTED: {
        "en": "Noted.",
        "de": "Notiert.",
        "fr": "C'est noté.",
        "es": "Anotado.",
        "pt": "Anotado.",
    },
    Note.REMEMBERED: {
        "en": "I'll remember that.",
        "de": "Das merke ich mir.",
        "fr": "Je m'en souviendrai.",
        "es": "Lo recordaré.",
        "pt": "Vou lembrar disso.",
    },
    Note.REMEMBERED_LATER: {
        "en": "I'll remember that.",
        "de": "Das merke ich mir.",
        "fr": "Je m'en souviendrai.",
        "es": "Lo recordaré.",
        "pt": "Vou lembrar disso.",
    },
    Note.NOT_KEPT: {
        "en": "I did not keep that.",
        "de": "Das habe ich mir nicht gemerkt.",
        "fr": "Je ne l'ai pas gardé.",
        "es": "No lo he guardado.",
        "pt": "Não guardei isso.",
    },
}
#: Each phrase in the order of LANGUAGES. Braces are filled in.
PHRASES: Final[dict[str, tuple[str, str, str, str, str]]] = {
    "away": (
        "I can't look that up just now. Please try again in a moment.",
        "Ich kann das gerade nicht nachsehen. Bitte versuche es gleich noch einmal.",
        "Je ne peux pas vérifier pour l'instant. Réessaie dans un moment.",
        "Ahora mismo no puedo consultarlo. Inténtalo de nuevo en un momento.",
        "Não consigo verificar agora. Tente de novo daqui a pouco.",
    ),
    "direct only": (
        "Others may be reading along here. Ask me in a direct message.",
        "Hier lesen vielleicht andere mit. Frag mich in einer Direktnachricht.",
        "D'autres lisent peut-être ici. Demande-moi en message privé.",
        "Puede que otros lean aquí. Pregúntame por mensaje directo.",
        "Outros podem estar lendo aqui. Pergunte-me por mensagem direta.",
    ),
    "remembered": (
        "I'll remember that, for you alone.",
        "Das merke ich mir, für dich allein.",
        "Je m'en souviendrai, pour toi seul.",
        "Lo recordaré, solo para ti.",
        "Vou lembrar disso, só para você.",
    ),
    "waits": (
        "I keep it; it waits for review before I use it.",
        "Ich behalte es; es wartet auf Prüfung, bevor ich es nutze.",
        "Je le garde ; il attend une vérification avant que je l'utilise.",
        "Lo guardo; espera una revisión antes de que lo use.",
        "Vou guardar; espera revisão antes de eu usar.",
    ),
    "nothing": (
        "There is nothing.",
        "Da ist nichts.",
        "Il n'y a rien.",
        "No hay nada.",
        "Não há nada.",
    ),
    "no such memory": (
        "There is no such memory.",
        "Eine solche Erinnerung gibt es nicht.",
        "Ce souvenir n'existe pas.",
        "No existe ese recuerdo.",
        "Essa lembrança não existe.",
    ),
    "page": (
        "Page {page}",
        "Seite {page}",
        "Page {page}",
        "Página {page}",
        "Página {page}",
    ),
    "next": ("Next", "Weiter", "Suivant", "Siguiente", "Próxima"),
    "previous": ("Previous", "Zurück", "Précédent", "Anterior", "Anterior"),
    "yes": ("Yes", "Ja", "Oui", "Sí", "Sim"),
    "no": ("No", "Nein", "Non", "No", "Não"),
    "cancelled": (
        "Nothing was changed.",
        "Es wurde nichts geändert.",
        "Rien n'a été modifié.",
        "No se cambió nada.",
        "Nada foi alterado.",
    ),
    "sure delete": (
        "Delete this memory?\n> {text}",
        "Diese Erinnerung löschen?\n> {text}",
        "Supprimer ce souvenir ?\n> {text}",
        "¿Borrar este recuerdo?\n> {text}",
        "Apagar esta lembrança?\n> {text}",
    ),
    "deleted": (
        "It is gone, and I will not tell it again.",
        "Es ist weg, und ich erzähle es nicht mehr.",
        "C'est supprimé, et je n'en parlerai plus.",
        "Se ha borrado y no lo volveré a contar.",
        "Foi apagado, e não vou contar de novo.",
    ),
    "sure delete all": (
        "Delete everything I keep of you, in every place? This cannot be undone after {hours} hours.",
        "Alles löschen, was ich von dir habe, überall? Nach {hours} Stunden ist das endgültig.",
        "Supprimer tout ce que je garde de toi, partout ? Irréversible après {hours} heures.",
        "¿Borrar todo lo que guardo de ti, en todas partes? Irreversible tras {hours} horas.",
        "Apagar tudo o que guardo de você, em todo lugar? Irreversível após {hours} horas.",
    ),
    "deleted all": (
        "Everything of you is deleted.",
        "Alles von dir ist gelöscht.",
        "Tout ce qui te concerne est supprimé.",
        "Todo lo tuyo se ha borrado.",
        "Tudo o que era seu foi apagado.",
    ),
    "corrected": (
        "Corrected.",
        "Berichtigt.",
        "Corrigé.",
        "Corregido.",
        "Corrigido.",
    ),
    "names another": (
        "The new words mention somebody else, who has a say in them. Use /remember, and delete this.",
        "Die neuen Worte nennen jemand anderen, der mitzureden hat. Nimm /remember und lösche dies.",
        "Ces mots mentionnent quelqu'un d'autre, qui a son mot à dire. Utilise /remember, et supprime ceci.",
        "Las nuevas palabras mencionan a otra persona, que tiene voz en ello. Usa /remember y borra esto.",
        "As novas palavras mencionam outra pessoa, que tem voz nisso. Use /remember e apague isto.",
    ),
    "status on": (
        "I keep what you say to me. /privacy opt-out stops that.",
        "Ich behalte, was du mir sagst. /privacy opt-out beendet das.",
        "Je garde ce que tu me dis. /privacy opt-out y met fin.",
        "Guardo lo que me dices. /privacy opt-out lo detiene.",
        "Guardo o que você me diz. /privacy opt-out encerra isso.",
    ),
    "status global off": (
        "I keep what you say to me, and tell none of it outside the place it was said in.",
        "Ich behalte, was du mir sagst, und erzähle nichts davon außerhalb seines Ortes.",
        "Je garde ce que tu me dis, et rien n'est dit hors du lieu d'origine.",
        "Guardo lo que me dices y no lo cuento fuera del lugar donde se dijo.",
        "Guardo o que você me diz e nada é contado fora do lugar onde foi dito.",
    ),
    "status off": (
        "You opted out: I keep nothing of you and tell nothing of you. /privacy opt-in ends that.",
        "Du hast widersprochen: Ich behalte und erzähle nichts von dir. /privacy opt-in hebt das auf.",
        "Tu t'es retiré : je ne garde et ne dis rien de toi. /privacy opt-in y met fin.",
        "Te has excluido: no guardo ni cuento nada de ti. /privacy opt-in lo revierte.",
        "Você saiu: não guardo nem conto nada seu. /privacy opt-in desfaz isso.",
    ),
    "off the record": (
        "Off the record here: nothing of you is read or written in this place.",
        "Hier vertraulich: Von dir wird an diesem Ort nichts gelesen oder geschrieben.",
        "Hors enregistrement ici : rien de toi n'est lu ni écrit dans ce lieu.",
        "Fuera de registro aquí: nada tuyo se lee ni se escribe en este lugar.",
        "Fora do registro aqui: nada seu é lido ou escrito neste lugar.",
    ),
    "on the record": (
        "Back on the record here. What was said meanwhile stays unknown.",
        "Hier wieder normal. Was inzwischen gesagt wurde, bleibt unbekannt.",
        "De nouveau enregistré ici. Ce qui a été dit entre-temps reste inconnu.",
        "De nuevo en registro aquí. Lo dicho entretanto sigue sin conocerse.",
        "De volta ao registro aqui. O que foi dito nesse meio-tempo continua desconhecido.",
    ),
    "exported": (
        "I sent it to you as a direct message.",
        "Ich habe es dir als Direktnachricht geschickt.",
        "Je te l'ai envoyé en message privé.",
        "Te lo envié por mensaje directo.",
        "Enviei para você por mensagem direta.",
    ),
    "closed": (
        "You don't take direct messages from me. Open them and try again.",
        "Du nimmst keine Direktnachrichten von mir an. Erlaube sie und versuche es noch einmal.",
        "Tu n'acceptes pas mes messages privés. Autorise-les et réessaie.",
        "No aceptas mensajes directos míos. Actívalos e inténtalo de nuevo.",
        "Você não aceita minhas mensagens diretas. Permita e tente de novo.",
    ),
    "sure share": (
        "Share this with {whom}?\n> {text}",
        "Das mit {whom} teilen?\n> {text}",
        "Partager ceci avec {whom} ?\n> {text}",
        "¿Compartir esto con {whom}?\n> {text}",
        "Compartilhar isto com {whom}?\n> {text}",
    ),
    "everyone here": (
        "everyone here",
        "allen hier",
        "tout le monde ici",
        "todos aquí",
        "todos aqui",
    ),
    "shared": (
        "Shared. /consents takes it back.",
        "Geteilt. /consents nimmt es zurück.",
        "Partagé. /consents permet de revenir en arrière.",
        "Compartido. /consents lo retira.",
        "Compartilhado. /consents desfaz.",
    ),
    "shared and asked": (
        "You agreed. It is told once those it is about agree too: /consents asks them.",
        "Du hast zugestimmt. Erzählt wird es, wenn auch die zustimmen, um die es geht: /consents fragt sie.",
        "Tu es d'accord. Ce sera dit quand ceux dont il s'agit le seront aussi : /consents le leur demande.",
        "Has aceptado. Se contará cuando también acepten las personas de que trata: /consents se lo pregunta.",
        "Você concordou. Será contado quando as pessoas de que trata concordarem: /consents pergunta a elas.",
    ),
    "asks you": (
        "{n}. {who} asks whether this may be told to {whom}",
        "{n}. {who} fragt, ob {whom} das erfahren darf",
        "{n}. {who} demande si {whom} peut l'entendre",
        "{n}. {who} pregunta si se le puede contar a {whom}",
        "{n}. {who} pergunta se pode ser contado a {whom}",
    ),
    "you agreed": (
        "{n}. You let {whom} hear something",
        "{n}. Du lässt {whom} etwas hören",
        "{n}. Tu laisses {whom} entendre quelque chose",
        "{n}. Dejas que {whom} oiga algo",
        "{n}. Você deixa {whom} ouvir algo",
    ),
    "take back": ("Take back {n}", "{n} zurücknehmen", "Retirer {n}", "Retirar {n}", "Retirar {n}"),
    "done": ("Done.", "Erledigt.", "C'est fait.", "Hecho.", "Feito."),
    "only for me": ("Only for me", "Nur für mich", "Pour moi seul", "Solo para mí", "Só para mim"),
    "question gone": (
        "The question is gone, so I can't answer it again.",
        "Die Frage ist weg, darum kann ich sie nicht noch einmal beantworten.",
        "La question a disparu, je ne peux donc pas y répondre à nouveau.",
        "La pregunta ya no está, así que no puedo responderla de nuevo.",
        "A pergunta sumiu, então não posso respondê-la de novo.",
    ),
    "share here": (
        "Share here: {text}",
        "Hier teilen: {text}",
        "Partager ici : {text}",
        "Compartir aquí: {text}",
        "Compartilhar aqui: {text}",
    ),
    "told": (
        "told {when} in {where}",
        "erzählt {when} in {where}",
        "dit le {when} dans {where}",
        "contado {when} en {where}",
        "contado {when} em {where}",
    ),
    "opened": (
        "{room} was opened ({kind}). What was said before stays closed.",
        "{room} wurde geöffnet ({kind}). Früher Gesagtes bleibt verschlossen.",
        "{room} a été ouvert ({kind}). Ce qui a été dit avant reste fermé.",
        "{room} se abrió ({kind}). Lo dicho antes sigue cerrado.",
        "{room} foi aberto ({kind}). O que foi dito antes continua fechado.",
    ),
    "seen": ("Seen: {name}", "Gesehen: {name}", "Vu : {name}", "Visto: {name}", "Visto: {name}"),
    "held": (
        "{n}. waits because {why}:\n> {text}",
        "{n}. wartet ({why}):\n> {text}",
        "{n}. attend ({why}) :\n> {text}",
        "{n}. espera ({why}):\n> {text}",
        "{n}. espera ({why}):\n> {text}",
    ),
    "free": ("Tell {n}", "{n} freigeben", "Autoriser {n}", "Permitir {n}", "Permitir {n}"),
    "keep back": (
        "Never tell {n}",
        "{n} nie erzählen",
        "Ne jamais dire {n}",
        "No contar {n}",
        "Nunca contar {n}",
    ),
    "sure keep back": (
        "Never tell this? It cannot be freed here any more.\n> {text}",
        "Das nie erzählen? Hier kann es dann nicht mehr freigegeben werden.\n> {text}",
        "Ne jamais dire ceci ? Impossible de l'autoriser ici ensuite.\n> {text}",
        "¿No contar esto nunca? Después no se podrá permitir aquí.\n> {text}",
        "Nunca contar isto? Depois não será possível permitir aqui.\n> {text}",
    ),
    "known places": (
        "{kind}: {rooms} places, at most {people} people known in one",
        "{kind}: {rooms} Orte, höchstens {people} bekannte Personen in einem",
        "{kind} : {rooms} lieux, au plus {people} personnes connues dans un lieu",
        "{kind}: {rooms} lugares, como máximo {people} personas conocidas en uno",
        "{kind}: {rooms} lugares, no máximo {people} pessoas conhecidas em um",
    ),
    "known held": (
        "Words that wait for review: {n}",
        "Worte, die auf Prüfung warten: {n}",
        "Paroles en attente de vérification : {n}",
        "Palabras que esperan revisión: {n}",
        "Palavras que esperam revisão: {n}",
    ),
    "not here": (
        "This works in a server only.",
        "Das geht nur auf einem Server.",
        "Cela ne fonctionne que sur un serveur.",
        "Esto solo funciona en un servidor.",
        "Isto só funciona em um servidor.",
    ),
    "refused": (
        "That is not possible: {why}",
        "Das geht nicht: {why}",
        "Ce n'est pas possible : {why}",
        "No es posible: {why}",
        "Não é possível: {why}",
    ),
} | OWNERS


def phrase(key: str, language: str, **filled: object) -> str:
    return PHRASES[key][LANGUAGES.index(language)].format(**filled)


def language(locale: object) -> str:
    """One of ours for a Discord locale such as `pt-BR`; English for every other."""
    short = str(getattr(locale, "value", locale) or "en")[:2]
    return short if short in LANGUAGES else "en"


#: Kinds of places that are heard like another.
_ALIKE: Final = {PlaceKind.STAGE: PlaceKind.VOICE, PlaceKind.FORUM_POST: PlaceKind.THREAD}


def heard_by(kind: PlaceKind, language: str = "en") -> str:
    """Who could hear what is told in a place of this kind."""
    key = f"heard by {_ALIKE.get(kind, kind).value}"
    return phrase(key if key in PHRASES else f"heard by {PlaceKind.UNKNOWN.value}", language)
