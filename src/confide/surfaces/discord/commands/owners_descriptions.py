"""What the commands of those who run a server are for, in their languages."""

from __future__ import annotations

#: By the English description: German, French, Spanish, Portuguese.
OWNERS: dict[str, tuple[str, str, str, str]] = {
    "What I do in this server": (
        "Was ich auf diesem Server tue",
        "Ce que je fais sur ce serveur",
        "Lo que hago en este servidor",
        "O que faço neste servidor",
    ),
    "What I may do in this server; nothing given shows it": (
        "Was ich auf diesem Server darf; ohne Angabe wird es gezeigt",
        "Ce que je peux faire ici ; sans option, je le montre",
        "Lo que puedo hacer aquí; sin opciones, lo muestra",
        "O que posso fazer aqui; sem opções, mostra",
    ),
    "Keep what is said to me": (
        "Behalten, was mir gesagt wird",
        "Garder ce qui m'est dit",
        "Guardar lo que me dicen",
        "Guardar o que me dizem",
    ),
    "Tell memories in this server": (
        "Erinnerungen auf diesem Server erzählen",
        "Dire des souvenirs sur ce serveur",
        "Contar recuerdos en este servidor",
        "Contar lembranças neste servidor",
    ),
    "Let learn and tell count for one channel only": (
        "learn und tell nur für einen Kanal",
        "learn et tell pour un seul salon",
        "learn y tell solo para un canal",
        "learn e tell só para um canal",
    ),
    "Let learn and tell count for those who have a role": (
        "learn und tell für alle mit einer Rolle",
        "learn et tell pour ceux qui ont un rôle",
        "learn y tell para quienes tienen un rol",
        "learn e tell para quem tem um cargo",
    ),
    "Role whose channels are public among those who have it": (
        "Rolle, deren Kanäle unter ihren Mitgliedern öffentlich sind",
        "Rôle dont les salons sont publics entre ceux qui l'ont",
        "Rol cuyos canales son públicos entre quienes lo tienen",
        "Cargo cujos canais são públicos entre quem o tem",
    ),
    "A role whose holders all have the community role": (
        "Eine Rolle, deren Mitglieder alle die Gemeinschaftsrolle haben",
        "Un rôle dont tous ont aussi le rôle de communauté",
        "Un rol cuyos miembros tienen todos el rol de comunidad",
        "Um cargo cujos membros têm todos o cargo da comunidade",
    ),
    "A role of whose holders nothing is kept": (
        "Eine Rolle, von deren Mitgliedern nichts behalten wird",
        "Un rôle dont rien n'est gardé",
        "Un rol de cuyos miembros no se guarda nada",
        "Um cargo de cujos membros nada é guardado",
    ),
    "People who are not members read the public channels": (
        "Auch Nichtmitglieder lesen die öffentlichen Kanäle",
        "Des non-membres lisent les salons publics",
        "Personas que no son miembros leen los canales públicos",
        "Quem não é membro lê os canais públicos",
    ),
    "Days that messages' own words stay": (
        "Tage, die der Wortlaut von Nachrichten bleibt",
        "Jours pendant lesquels les mots des messages restent",
        "Días que se conservan las palabras de los mensajes",
        "Dias em que as palavras das mensagens ficam",
    ),
    "Dollars a month for language models in this server": (
        "Dollar im Monat für Sprachmodelle auf diesem Server",
        "Dollars par mois pour les modèles de langue ici",
        "Dólares al mes para modelos de lenguaje aquí",
        "Dólares por mês para modelos de linguagem aqui",
    ),
    "Hear all that is said in a channel, as announced there": (
        "Alles in einem Kanal mithören, wie dort angekündigt",
        "Écouter tout un salon, comme annoncé là",
        "Oír todo lo que se dice en un canal, como se anuncia allí",
        "Ouvir tudo o que é dito num canal, como anunciado lá",
    ),
    "Which channel": (
        "Welcher Kanal",
        "Quel salon",
        "Qué canal",
        "Qual canal",
    ),
    "Listen, or stop": (
        "Mithören oder damit aufhören",
        "Écouter, ou arrêter",
        "Escuchar o dejar de hacerlo",
        "Ouvir ou parar",
    ),
    "What each channel is to me, and who could hear it": (
        "Was jeder Kanal für mich ist und wer es hören könnte",
        "Ce qu'est chaque salon pour moi, et qui pourrait entendre",
        "Qué es cada canal para mí y quién podría oírlo",
        "O que cada canal é para mim e quem poderia ouvir",
    ),
    "Channels that opened, and words that wait for a yes": (
        "Geöffnete Kanäle und Worte, die auf ein Ja warten",
        "Salons ouverts, et paroles qui attendent un oui",
        "Canales que se abrieron y palabras que esperan un sí",
        "Canais que abriram e palavras que esperam um sim",
    ),
    "How many people and channels of this server I know": (
        "Wie viele Personen und Kanäle dieses Servers ich kenne",
        "Combien de personnes et de salons je connais ici",
        "Cuántas personas y canales de este servidor conozco",
        "Quantas pessoas e canais deste servidor conheço",
    ),
    "Erase what a departed account said here": (
        "Löschen, was ein ausgetretenes Konto hier gesagt hat",
        "Effacer ce qu'un compte parti a dit ici",
        "Borrar lo que dijo aquí una cuenta que se fue",
        "Apagar o que uma conta que saiu disse aqui",
    ),
    "The number of the account that left": (
        "Die Nummer des Kontos, das ausgetreten ist",
        "Le numéro du compte parti",
        "El número de la cuenta que se fue",
        "O número da conta que saiu",
    ),
}
