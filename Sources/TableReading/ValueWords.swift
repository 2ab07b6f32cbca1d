/// The words for the state and the priority of a task in twelve languages, as apps and people write them.
package enum ValueWords {
  /// The word in lower case, with one blank between its parts.
  private static func plain(_ text: some StringProtocol) -> String {
    text.lowercased().split { $0 == "_" || $0 == "-" || $0.isWhitespace }.joined(separator: " ")
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
    // German, French, Spanish, Portuguese, Italian
    "wahr", "ja", "erledigt", "fertig", "abgeschlossen", "vrai", "oui", "terminé", "terminée", "fait", "achevé",
    "verdadero", "sí", "si", "hecho", "hecha", "completado", "completada", "terminado", "terminada", "verdadeiro",
    "sim",
    "feito", "concluído", "concluída", "vero", "sì", "fatto", "fatta", "completato", "completata",
    // Dutch, Swedish, Danish and Norwegian, Finnish, Polish, Czech
    "waar", "voltooid", "klaar", "gereed", "sant", "klar", "slutförd", "avklarad", "sand", "færdig", "ferdig",
    "fullført", "udført", "tosi", "kyllä", "valmis", "prawda", "tak", "ukończone", "ukończono", "zrobione", "pravda",
    "ano", "hotovo", "dokončeno", "splněno",
  ]

  private static let open: Set<String> = [
    "false", "f", "no", "n", "0", "[ ]", "", "open", "todo", "to do", "pending", "waiting", "active", "new", "started",
    "not started", "notstarted", "in progress", "inprogress", "needsaction", "needs action", "incomplete", "unchecked",
    "off", "backlog", "planned", "☐", "deferred", "waiting on someone else", "waitingonothers", "normal", "recurring",
    "falsch", "nein", "offen", "nicht begonnen", "in bearbeitung", "zurückgestellt", "wartet auf jemand anderen",
    "faux",
    "non", "ouvert", "à faire", "non commencé", "non commencée", "en cours", "falso", "abierto", "abierta", "pendiente",
    "por hacer", "no comenzada", "no iniciada", "en curso", "não", "nao", "aberto", "pendente", "a fazer",
    "não iniciada", "em andamento", "aperto", "aperta", "da fare", "non iniziata", "non iniziato", "in corso", "onwaar",
    "nee", "niet gestart", "niet begonnen", "bezig", "te doen", "falskt", "nej", "öppen", "ej påbörjad",
    "inte påbörjad", "pågående", "att göra", "falsk", "nei", "åben", "åpen", "ikke begyndt", "ikke startet",
    "ikke påbegynt", "i gang", "pågår", "epätosi", "ei", "avoin", "ei aloitettu", "kesken", "fałsz", "nie", "otwarte",
    "do zrobienia", "nie rozpoczęto", "nie rozpoczęte", "w toku", "nepravda", "ne", "otevřeno", "nezahájeno", "probíhá",
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
        "urgent", "critical", "highest", "high", "h", "important", "hoch", "dringend", "wichtig", "haute", "élevée",
        "haut", "alta", "alto", "urgente", "hoog", "hög", "høj", "høy", "korkea", "wysoki", "wysoka", "vysoká",
        "vysoký", "!!!",
      ]
    ),
    (
      5,
      [
        "medium", "normal", "m", "mittel", "moyenne", "moyen", "normale", "media", "medio", "média", "médio",
        "normaal", "gemiddeld", "medel", "middel", "normaali", "średni", "średnia", "normalny", "střední", "normální",
        "!!",
      ]
    ),
    (
      9,
      [
        "low", "lowest", "l", "niedrig", "gering", "basse", "faible", "baja", "bajo", "baixa", "baixo", "bassa",
        "basso", "laag", "låg", "lav", "matala", "niski", "niska", "nízká", "nízký", "!",
      ]
    ),
    (
      0,
      [
        "none", "no", "keine", "ohne", "aucune", "ninguna", "nenhuma", "nessuna", "geen", "ingen", "ei mitään", "brak",
        "žádná",
      ]
    ),
  ]
}
