/// The words for the state and the priority of a task in twelve languages, as apps and people write them.
package enum ValueWords {
  /// The word in lower case, with one blank between its parts.
  private static func plain(_ text: some StringProtocol) -> String {
    PlainWords.ascii(text)
      ?? text.lowercased().split { $0 == "_" || $0 == "-" || $0.isWhitespace }.joined(separator: " ")
  }

  /// True for a word that says that a task is done, false for one that says that it is open; nil for others.
  package static func isDone(_ text: some StringProtocol) -> Bool? {
    let word = plain(text)
    if done.contains(word) { return true }
    return open.contains(word) ? false : nil
  }

  /// The priority from 1, the highest, to 9, and 0 for none; nil for another word.
  package static func priority(_ text: some StringProtocol) -> Int? { priorities[plain(text)] }

  private static let done: Set<String> = [
    "true", "t", "yes", "y", "1", "x", "[x]", "done", "completed", "complete", "finished", "closed", "resolved",
    "checked", "on", "✓", "✔", "☑", "✅", "archived", "won't do", "cancelled", "canceled",
    // German
    "wahr", "ja", "erledigt", "fertig", "abgebrochen", "storniert", "gelöst", "abgeschlossen", "beendet", "geschlossen",
    "abgehakt",
    // French
    "vrai", "oui", "terminé", "terminée", "fait", "faite", "achevé", "achevée", "fini", "fermé", "clôturé", "clos",
    "complété", "résolu",
    // Spanish
    "verdadero", "sí", "si", "hecho", "hecha", "completado", "completada", "terminado", "terminada", "finalizado",
    "finalizada", "cerrado", "cerrada", "listo", "resuelto",
    // Portuguese
    "verdadeiro", "sim", "feito", "feita", "concluído", "concluída", "concluido", "concluida", "fechado", "encerrado",
    "completo", "resolvido",
    // Italian
    "vero", "sì", "fatto", "fatta", "completato", "completata", "terminato", "terminata", "finito", "chiuso", "chiusa",
    // Dutch
    "waar", "voltooid", "klaar", "gereed", "afgerond", "afgesloten", "gesloten",
    // Swedish, Danish, Norwegian
    "sant", "klar", "klart", "slutförd", "slutfört", "avklarad", "avslutad", "färdig", "stängd", "sand", "færdig",
    "fuldført", "udført", "afsluttet", "lukket", "sann", "ferdig", "fullført", "utført", "avsluttet",
    // Finnish
    "tosi", "kyllä", "valmis", "tehty", "suljettu",
    // Polish
    "prawda", "tak", "ukończone", "ukończono", "ukończony", "zrobione", "zakończone", "zakończono", "zamknięte",
    "gotowe",
    "wykonane",
    // Czech
    "pravda", "ano", "hotovo", "dokončeno", "splněno", "uzavřeno", "vyřízeno",
  ]

  private static let open: Set<String> = [
    "false", "f", "no", "n", "0", "[ ]", "", "open", "todo", "to do", "pending", "waiting", "active", "new", "started",
    "not started", "notstarted", "in progress", "inprogress", "needsaction", "needs action", "incomplete", "unchecked",
    "off", "backlog", "planned", "blocked", "on hold", "hold", "paused", "parked", "postponed", "later", "someday",
    "next",
    "ready", "assigned", "unassigned", "doing", "wip", "working", "working on it", "in review", "review", "testing",
    "in testing", "qa", "in qa", "draft", "scheduled", "reopened", "stuck", "☐", "deferred", "waiting on someone else",
    "waitingonothers", "normal", "recurring",
    // German
    "falsch", "nein", "offen", "nicht begonnen", "nicht gestartet", "in bearbeitung", "in arbeit", "begonnen",
    "zurückgestellt", "wartet auf jemand anderen", "wartend", "ausstehend", "unerledigt", "zu erledigen", "neu",
    "geplant", "wartet", "warten", "läuft", "laufend", "pausiert", "blockiert", "verschoben", "später", "angehalten",
    "in prüfung", "angefangen", "gestartet",
    // French
    "faux", "non", "ouvert", "ouverte", "à faire", "non commencé", "non commencée", "en cours", "en attente", "différé",
    "différée", "nouveau", "nouvelle", "prévu", "prévue",
    // Spanish
    "falso", "abierto", "abierta", "pendiente", "por hacer", "no comenzada", "no iniciada", "no iniciado", "en curso",
    "en progreso", "en proceso", "en espera", "aplazada", "nuevo", "nueva",
    // Portuguese
    "não", "nao", "aberto", "aberta", "pendente", "a fazer", "não iniciada", "não iniciado", "em andamento", "em curso",
    "em progresso", "em espera", "adiada", "adiado", "novo", "nova",
    // Italian
    "aperto", "aperta", "da fare", "non iniziata", "non iniziato", "in corso", "in attesa", "rinviata", "rinviato",
    "nuovo",
    "nuova",
    // Dutch
    "onwaar", "nee", "niet gestart", "niet begonnen", "bezig", "te doen", "in behandeling", "uitgesteld", "nieuw",
    // Swedish, Danish, Norwegian
    "falskt", "nej", "öppen", "ej påbörjad", "inte påbörjad", "pågående", "pågår", "att göra", "väntar", "uppskjuten",
    "ny",
    "falsk", "åben", "ikke begyndt", "ikke startet", "ikke påbegyndt", "i gang", "igangværende", "udskudt", "afventer",
    "usann", "nei", "åpen", "ikke påbegynt", "å gjøre", "utsatt", "venter",
    // Finnish
    "epätosi", "ei", "avoin", "ei aloitettu", "kesken", "tekemättä", "odottaa", "lykätty", "uusi",
    // Polish
    "fałsz", "nie", "otwarte", "otwarty", "do zrobienia", "nie rozpoczęto", "nie rozpoczęte", "w toku", "w trakcie",
    "oczekuje", "odroczone", "nowe", "nowy",
    // Czech
    "nepravda", "ne", "otevřeno", "otevřený", "nezahájeno", "probíhá", "nesplněno", "odloženo", "čeká", "nové", "nový",
  ]

  private static let priorities: [String: Int] = {
    var numbers: [String: Int] = [:]
    for (number, words) in byPriority { for word in words { numbers[word] = number } }
    return numbers
  }()

  private static let byPriority: [(Int, [String])] = [
    (
      1,
      [
        "urgent", "critical", "blocker", "highest", "very high", "high", "h", "important", "!!!",
        "hoch", "sehr hoch", "höchste", "dringend", "wichtig", "kritisch", "haute", "élevée", "élevé", "haut",
        "critique",
        "urgente", "alta", "alto", "muy alta", "crítica", "crítico", "importante", "muito alta", "altissima", "critica",
        "hoog", "zeer hoog", "belangrijk", "hög", "brådskande", "viktig", "høj", "haster", "vigtig", "høy", "kritisk",
        "korkea", "suuri", "tärkeä", "kiireellinen", "wysoki", "wysoka", "pilne", "pilny", "ważne", "vysoká", "vysoký",
        "naléhavé", "důležité",
      ]
    ),
    (3, ["major"]),
    (
      5,
      [
        "medium", "normal", "m", "!!", "mittel", "moyenne", "moyen", "normale", "media", "medio", "média", "médio",
        "normaal", "gemiddeld", "medel", "middel", "middels", "normaali", "tavallinen", "keskitaso", "średni",
        "średnia",
        "normalny", "normalna", "střední", "normální",
      ]
    ),
    (7, ["minor"]),
    (
      9,
      [
        "low", "lowest", "very low", "trivial", "l", "!", "niedrig", "sehr niedrig", "gering", "basse", "faible",
        "baja",
        "bajo", "muy baja", "baixa", "baixo", "bassa", "basso", "laag", "låg", "lav", "matala", "pieni", "niski",
        "niska",
        "nízká", "nízký",
      ]
    ),
    (
      0,
      [
        "none", "no", "no priority", "keine", "ohne", "aucune", "ninguna", "nenhuma", "nessuna", "geen", "ingen",
        "ei mitään", "brak", "žádná",
      ]
    ),
  ]
}
