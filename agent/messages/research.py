"""What a research run says: warnings, limits, reasons, refusals."""

from agent.messages.base import Message

MESSAGES = (
    # Warnings of a report
    Message(
        "research.words-unknown",
        "These words of the question do not occur in the documents: {words}.",
        "Diese Wörter der Frage kommen in den Dokumenten nicht vor: {words}.",
        also="Diese Wörter der Frage kommen in den Dokumenten nicht vor: {words}.",
    ),
    Message(
        "research.restored-by-hand",
        "Restored by hand, though validation had dropped it: {passages}.",
        "Von Hand wieder aufgenommen, obwohl die Prüfung es verworfen hatte: {passages}.",
        also="Von Hand wieder aufgenommen, obwohl die Prüfung es verworfen hatte: {passages}.",
    ),
    Message(
        "research.drifted",
        "{dropped} of {total} pieces of evidence were dropped as drift: the tasks may have led "
        "away from the question.",
        "{dropped} von {total} Belegen wurden verworfen, weil sie zu weit von der Frage entfernt "
        "sind: Die Aufgaben haben vielleicht von ihr weggeführt.",
    ),
    Message(
        "research.prompt-unused",
        "The synthesis prompt that was set has no effect: no language model is used.",
        "Die eingestellte Schreibanweisung bleibt ohne Wirkung: Es arbeitet kein Sprachmodell.",
    ),
    Message(
        "research.cut-short",
        "The run was cancelled: the report rests on what was found until then.",
        "Die Recherche wurde abgebrochen: Der Bericht stützt sich auf das, was bis dahin gefunden "
        "war.",
    ),
    # Limits: what was done by a rule, or left out
    Message(
        "research.left-out",
        "{step}: left out for lack of support: {what}",
        "{step}: Ohne Beleg, deshalb weggelassen: {what}",
        "{step}: Left out for lack of proof: {what}",
    ),
    *(
        Message(
            f"research.by-rule.{name}",
            f"{{step}}: {error}: {{reason}}",
            f"{{step}}: Eine Regel ersetzte das Sprachmodell. {why}: {{reason}}",
            f"{{step}}: A rule stood in for the language model. {because}: {{reason}}",
        )
        for name, error, why, because in (
            ("unavailable", "ModelUnavailable", "Nicht erreichbar", "Not reachable"),
            ("timeout", "ModelTimeout", "Zu langsam", "Too slow"),
            ("busy", "StoresBusy", "Nicht erreichbar", "Not reachable"),
            ("truncated", "TruncatedGeneration", "Nicht zu Ende", "Not finished"),
            ("invalid", "InvalidGeneration", "Unbrauchbare Antwort", "Unusable answer"),
            ("too-long", "PromptTooLong", "Zu viel Text", "Too much text"),
            ("missing", "NoModel", "Fehlt", "Missing"),
        )
    ),
    # Evidence, references, quality
    Message(
        "research.dropped",
        "relevance {relevance} to the question is below {least}",
        "Relevanz {relevance} zur Frage, nötig sind {least}",
        "relevance {relevance} to the question, needed is {least}",
    ),
    Message(
        "reference.external",
        "external: listed, not fetched",
        "außerhalb: nur genannt, nicht geholt",
    ),
    Message("reference.missing", "not in the corpus", "nicht in den Dokumenten"),
    Message(
        "reference.no-section",
        "no such section in the corpus",
        "kein solcher Abschnitt in den Dokumenten",
    ),
    Message(
        "reference.other-version",
        "another version, not in the corpus: {version}",
        "andere Fassung, nicht in den Dokumenten: {version}",
    ),
    Message("reference.ambiguous", "ambiguous: {files}", "mehrdeutig: {files}"),
    Message("quality.not-covered", "not covered: {facet}", "nicht abgedeckt: {facet}"),
    Message("plan.removed", "removed: {task}", "gestrichen: {task}"),
    Message("plan.added", "added: {task}", "ergänzt: {task}"),
    Message("plan.reordered", "reordered", "umgeordnet"),
    # Refusals
    Message(
        "research.no-question",
        "The question is empty. Ask something.",
        "Die Frage ist leer. Schreiben Sie, was Sie wissen möchten.",
    ),
    Message(
        "research.no-documents",
        "There are no documents yet. Add some: rabbithole ingest PATH... --collection NAME",
        "Es gibt noch keine Dokumente. Lesen Sie zuerst welche ein, in der Bibliothek.",
        "There are no documents yet. Add some in the library.",
    ),
    Message(
        "research.no-answer",
        "The answer is empty. Write one, or /end to go on without.",
        "Die Antwort ist leer. Schreiben Sie eine, oder /end, um ohne sie fortzufahren.",
    ),
    Message(
        "research.answered",
        "This question was answered before; the thread went on.",
        "Diese Frage wurde schon beantwortet; die Recherche ging weiter.",
    ),
    Message(
        "research.waits-for-answer",
        "The thread waits for an answer to its questions, not for an approval.",
        "Die Recherche wartet auf eine Antwort auf ihre Fragen, nicht auf eine Freigabe.",
    ),
    Message(
        "research.waits-for-approval",
        "The thread waits for its plan to be approved, not for an answer.",
        "Die Recherche wartet auf die Freigabe ihres Plans, nicht auf eine Antwort.",
    ),
    Message(
        "research.answered-in-thread",
        "This question of the thread '{thread}' was answered already. Look at the run to see how "
        "it went on.",
        "Diese Frage der Recherche {thread} wurde schon beantwortet. Öffnen Sie die Recherche, um "
        "zu sehen, wie es weiterging.",
    ),
    Message(
        "research.running",
        "Thread {thread} is running already.",
        "Die Recherche {thread} läuft schon.",
    ),
    Message(
        "research.elsewhere",
        "Another process ({process}) works on the thread '{thread}'. Follow it there, or pause it "
        "first.",
        "An der Recherche {thread} arbeitet ein anderer Prozess ({process}). Verfolgen Sie sie "
        "dort, oder halten Sie sie zuerst an.",
    ),
    Message(
        "research.incompatible",
        "Thread {thread} was written by another version of Rabbithole and cannot be continued. "
        "Its report, if any, can still be shown; start a new run.",
        "Die Recherche {thread} stammt von einer anderen Version von Rabbithole und lässt sich "
        "nicht fortsetzen. Ein fertiger Bericht bleibt lesbar; beginnen Sie eine neue Recherche.",
    ),
    Message(
        "research.waits",
        "Thread {thread} waits for an answer: give one, or approve its plan.",
        "Die Recherche {thread} wartet auf eine Antwort: Geben Sie eine, oder geben Sie den Plan "
        "frei.",
    ),
    Message(
        "research.ended",
        "Thread {thread} has ended already.",
        "Die Recherche {thread} ist schon zu Ende.",
    ),
    Message(
        "research.ended-with-report",
        "Thread {thread} has ended; its report can be shown.",
        "Die Recherche {thread} ist zu Ende; ihr Bericht lässt sich öffnen.",
    ),
    Message(
        "research.unknown",
        "There is no thread '{thread}' among your runs. `rabbithole runs list` shows them.",
        "Unter Ihren Recherchen gibt es keine {thread}. Die Seite „Läufe“ zeigt alle.",
        "There is no thread {thread} among your runs. The page “Runs” shows them.",
    ),
    Message(
        "research.taken",
        "There is a thread '{thread}' already. Resume it, or choose another id.",
        "Eine Recherche {thread} gibt es schon. Setzen Sie sie fort, oder wählen Sie eine andere "
        "Kennung.",
    ),
    Message(
        "research.id-with-colon",
        "The thread id '{thread}' has a colon. Choose another id.",
        "Die Kennung {thread} enthält einen Doppelpunkt. Wählen Sie eine andere.",
    ),
    Message(
        "research.title-too-long",
        "The title has {length} characters, {most} are possible. Shorten it.",
        "Der Titel hat {length} Zeichen, möglich sind {most}. Kürzen Sie ihn.",
    ),
    Message(
        "research.delete-running",
        "Thread {thread} is running. Pause or cancel it, then delete.",
        "Die Recherche {thread} läuft. Halten Sie sie an oder brechen Sie sie ab, dann lässt sie "
        "sich löschen.",
    ),
    Message(
        "plan.empty",
        "The plan has no task. Keep or add at least one, then approve.",
        "Der Plan hat keine Aufgabe. Behalten oder ergänzen Sie mindestens eine, dann geben Sie "
        "ihn frei.",
    ),
    Message(
        "plan.too-long",
        "The plan has {tasks} tasks, {most} are possible. Remove some.",
        "Der Plan hat {tasks} Aufgaben, möglich sind {most}. Streichen Sie einige.",
    ),
    # Evidence that is restored, the past of a thread, exports
    Message(
        "restore.nothing-named",
        "Name at least one piece of dropped evidence to restore.",
        "Wählen Sie mindestens einen verworfenen Beleg, der zurückgeholt werden soll.",
    ),
    Message(
        "restore.unknown",
        "'{chunk}' is no evidence of this thread. Choose among what its report lists as dropped.",
        "{chunk} ist kein Beleg dieser Recherche. Wählen Sie unter dem, was ihr Bericht als "
        "verworfen nennt.",
    ),
    Message(
        "restore.counts-already",
        "This evidence counts already; reload the report to see it.",
        "Dieser Beleg zählt schon; laden Sie den Bericht neu, um ihn zu sehen.",
    ),
    Message(
        "restore.unfinished",
        "Thread {thread} has no finished report yet. Let it finish, then restore.",
        "Die Recherche {thread} hat noch keinen fertigen Bericht. Warten Sie, bis sie zu Ende ist.",
    ),
    Message(
        "history.no-evidence",
        "Thread {thread} has gathered no evidence that could be restored.",
        "Die Recherche {thread} hat keine Belege gesammelt, die sich zurückholen ließen.",
    ),
    Message(
        "history.unknown-checkpoint",
        "Thread {thread} cannot be continued from a checkpoint '{checkpoint}'. `rabbithole runs "
        "fork {same}` lists those it has.",
        "Die Recherche {thread} lässt sich nicht von einem Stand {checkpoint} an fortsetzen. "
        "„Abzweigen“ auf der Seite „Läufe“ zeigt die möglichen.",
        "Thread {thread} cannot be continued from a checkpoint {checkpoint}. “Fork” on the page "
        "“Runs” shows those it has.",
    ),
    Message(
        "history.lost-checkpoint",
        "The checkpoint '{checkpoint}' of thread {thread} has disappeared.",
        "Der Stand {checkpoint} der Recherche {thread} ist verschwunden.",
    ),
    Message(
        "export.unknown-format",
        "There is no format '{format}'. Use one of {formats}.",
        "Das Format {format} gibt es nicht. Möglich sind: {formats}.",
    ),
    Message(
        "export.cancelled",
        "Thread {thread} was cancelled before anything was found, so it has no report. Ask again "
        "with `rabbithole research`.",
        "Die Recherche {thread} wurde abgebrochen, bevor etwas gefunden war, und hat deshalb "
        "keinen Bericht. Stellen Sie die Frage neu.",
        "Thread {thread} was cancelled before anything was found, so it has no report. Ask again.",
    ),
    Message(
        "export.unfinished",
        "Thread {thread} has no report yet, it is {status}. Bring it to its end with `rabbithole "
        "resume {same}`, then export it.",
        "Die Recherche {thread} hat noch keinen Bericht, sie {status}. Bringen Sie sie zu Ende, "
        "dann lässt er sich exportieren.",
        "Thread {thread} has no report yet, it is {status}. Bring it to its end, then export it.",
    ),
)
