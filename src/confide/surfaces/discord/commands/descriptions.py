"""What commands are for, in the languages of the people who read them."""

from __future__ import annotations

import discord
from discord import app_commands

from confide.surfaces.discord.commands.owners_descriptions import OWNERS
from confide.surfaces.discord.phrases import language

#: By the English description: German, French, Spanish, Portuguese.
TRANSLATED: dict[str, tuple[str, str, str, str]] = {
    "Ask me something; only you see the answer": (
        "Frag mich etwas; nur du siehst die Antwort",
        "Pose-moi une question ; toi seul vois la réponse",
        "Pregúntame algo; solo tú ves la respuesta",
        "Pergunte-me algo; só você vê a resposta",
    ),
    "Let me remember something, for you alone": (
        "Lass mich etwas merken, für dich allein",
        "Fais-moi retenir quelque chose, pour toi seul",
        "Hazme recordar algo, solo para ti",
        "Faça-me lembrar algo, só para você",
    ),
    "Delete one of your memories": (
        "Eine deiner Erinnerungen löschen",
        "Supprimer un de tes souvenirs",
        "Borrar uno de tus recuerdos",
        "Apagar uma de suas lembranças",
    ),
    "What my last answer to you here was based on": (
        "Worauf meine letzte Antwort an dich hier beruhte",
        "Sur quoi reposait ma dernière réponse ici",
        "En qué se basó mi última respuesta aquí",
        "Em que se baseou minha última resposta aqui",
    ),
    "What I remember of you": (
        "Was ich von dir weiß",
        "Ce que je sais de toi",
        "Lo que recuerdo de ti",
        "O que lembro de você",
    ),
    "Your memories, newest first": (
        "Deine Erinnerungen, neueste zuerst",
        "Tes souvenirs, les plus récents d'abord",
        "Tus recuerdos, los más nuevos primero",
        "Suas lembranças, as mais novas primeiro",
    ),
    "Look for something among your memories": (
        "In deinen Erinnerungen suchen",
        "Chercher parmi tes souvenirs",
        "Buscar entre tus recuerdos",
        "Procurar entre suas lembranças",
    ),
    "One memory with all that is known about it": (
        "Eine Erinnerung mit allem, was dazu bekannt ist",
        "Un souvenir avec tout ce qu'on en sait",
        "Un recuerdo con todo lo que se sabe de él",
        "Uma lembrança com tudo o que se sabe dela",
    ),
    "Put one of your memories right": (
        "Eine deiner Erinnerungen berichtigen",
        "Corriger un de tes souvenirs",
        "Corregir uno de tus recuerdos",
        "Corrigir uma de suas lembranças",
    ),
    "What shared memories say about you": (
        "Was geteilte Erinnerungen über dich sagen",
        "Ce que les souvenirs partagés disent de toi",
        "Qué dicen de ti los recuerdos compartidos",
        "O que lembranças compartilhadas dizem de você",
    ),
    "How much I remember of you, by level and kind": (
        "Wie viel ich von dir weiß, nach Stufe und Art",
        "Combien je sais de toi, par niveau et type",
        "Cuánto recuerdo de ti, por nivel y tipo",
        "Quanto lembro de você, por nível e tipo",
    ),
    "What I keep of you, and how to stop that": (
        "Was ich von dir behalte, und wie du das beendest",
        "Ce que je garde de toi, et comment y mettre fin",
        "Qué guardo de ti y cómo detenerlo",
        "O que guardo de você e como parar isso",
    ),
    "What I keep of you": (
        "Was ich von dir behalte",
        "Ce que je garde de toi",
        "Qué guardo de ti",
        "O que guardo de você",
    ),
    "I keep nothing of you and tell nothing of you": (
        "Ich behalte und erzähle nichts von dir",
        "Je ne garde et ne dis rien de toi",
        "No guardo ni cuento nada de ti",
        "Não guardo nem conto nada de você",
    ),
    "Nothing of you follows you to other places": (
        "Nichts von dir folgt dir an andere Orte",
        "Rien de toi ne te suit ailleurs",
        "Nada tuyo te sigue a otros lugares",
        "Nada seu acompanha você a outros lugares",
    ),
    "I may keep what you say to me again": (
        "Ich darf wieder behalten, was du mir sagst",
        "Je peux de nouveau garder ce que tu me dis",
        "Puedo volver a guardar lo que me dices",
        "Posso voltar a guardar o que você me diz",
    ),
    "All that I keep of you, as a file in a direct message": (
        "Alles, was ich von dir habe, als Datei per Direktnachricht",
        "Tout ce que je garde de toi, en fichier par message privé",
        "Todo lo que guardo de ti, en un archivo por mensaje directo",
        "Tudo o que guardo de você, em arquivo por mensagem direta",
    ),
    "Delete all that I keep of you": (
        "Alles löschen, was ich von dir habe",
        "Supprimer tout ce que je garde de toi",
        "Borrar todo lo que guardo de ti",
        "Apagar tudo o que guardo de você",
    ),
    "Nothing of you is read or written here": (
        "Hier wird von dir nichts gelesen oder geschrieben",
        "Rien de toi n'est lu ni écrit ici",
        "Aquí no se lee ni se escribe nada tuyo",
        "Nada seu é lido ou escrito aqui",
    ),
    "Let somebody hear one of your memories": (
        "Jemanden eine deiner Erinnerungen hören lassen",
        "Laisser quelqu'un entendre un de tes souvenirs",
        "Dejar que alguien oiga uno de tus recuerdos",
        "Deixar alguém ouvir uma de suas lembranças",
    ),
    "What you agreed to, and what waits for your yes": (
        "Wozu du ja gesagt hast und was auf dein Ja wartet",
        "Ce que tu as accepté, et ce qui attend ton oui",
        "A qué accediste y qué espera tu sí",
        "Com o que você concordou e o que espera seu sim",
    ),
    "What you want to know": (
        "Was du wissen willst",
        "Ce que tu veux savoir",
        "Lo que quieres saber",
        "O que você quer saber",
    ),
    "What I should remember": (
        "Was ich mir merken soll",
        "Ce que je dois retenir",
        "Lo que debo recordar",
        "O que devo lembrar",
    ),
    "Its id, as /memories list shows it": (
        "Ihre Kennung, wie /memories list sie zeigt",
        "Son identifiant, comme le montre /memories list",
        "Su identificador, como lo muestra /memories list",
        "O identificador, como /memories list mostra",
    ),
    "Only those of one privacy level": (
        "Nur die einer Stufe",
        "Seulement ceux d'un niveau",
        "Solo los de un nivel",
        "Só as de um nível",
    ),
    "What to look for": (
        "Wonach ich suchen soll",
        "Ce qu'il faut chercher",
        "Qué buscar",
        "O que procurar",
    ),
    "What is true instead": (
        "Was stattdessen stimmt",
        "Ce qui est vrai à la place",
        "Lo que es cierto en su lugar",
        "O que é verdade no lugar disso",
    ),
    "Off the record from now on, or back to normal": (
        "Ab jetzt vertraulich, oder wieder normal",
        "Hors enregistrement dès maintenant, ou retour à la normale",
        "Fuera de registro desde ahora, o de vuelta a lo normal",
        "Fora do registro a partir de agora, ou de volta ao normal",
    ),
    "Who may hear it; left out, everyone who can read this channel": (
        "Wer es hören darf; ohne Angabe alle, die diesen Kanal lesen",
        "Qui peut l'entendre ; sinon, tous ceux qui lisent ce salon",
        "Quién puede oírlo; si se omite, todos los que leen este canal",
        "Quem pode ouvir; sem isso, todos que leem este canal",
    ),
} | OWNERS
LANGUAGES = ("de", "fr", "es", "pt")


class Descriptions(app_commands.Translator):
    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        found, tongue = TRANSLATED.get(string.message), language(locale)
        return found[LANGUAGES.index(tongue)] if found and tongue != "en" else None
