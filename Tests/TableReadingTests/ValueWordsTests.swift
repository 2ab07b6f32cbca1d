import TableReading
import Testing

/// The words of twelve languages for the state and the priority of a task.
struct ValueWordsTests {
  @Test(arguments: [
    "Done", "WAHR", "ja", "VRAI", "oui", "Sí", "Terminé", "erledigt", "completata", "Voltooid", "kyllä", "TAK",
    "hotovo", "SANN", "sant", "tosi", "PRAWDA", "Pravda", "VERO", "verdadero", "verdadeiro", "waar", "sand",
    "zakończone",
    "fuldført", "utført", "tehty", "cerrado", "fechado", "chiuso", "gesloten", "beendet", "clôturé",
  ])
  func aWordSaysThatATaskIsDone(_ word: String) { #expect(ValueWords.isDone(word) == true) }

  @Test(arguments: [
    "Not started", "FALSCH", "nein", "Nicht begonnen", "non", "En cours", "pendiente", "needsAction", "nee", "ei",
    "w toku", "USANN", "falskt", "falsk", "epätosi", "FAŁSZ", "nepravda", "FALSO", "onwaar", "nej", "nei", "nie", "ne",
    "não",
    "in Arbeit", "en attente", "em progresso", "in attesa", "in behandeling", "pågår", "odottaa", "oczekuje", "čeká",
  ])
  func aWordSaysThatATaskIsOpen(_ word: String) { #expect(ValueWords.isDone(word) == false) }

  @Test func anotherWordSaysNothing() {
    #expect(ValueWords.isDone("perhaps") == nil)
    #expect(ValueWords.priority("perhaps") == nil)
  }

  @Test(arguments: [
    ("Hoch", 1), ("Urgent", 1), ("moyenne", 5), ("Normale", 5), ("laag", 9), ("Low", 9), ("keine", 0), ("kritisch", 1),
    ("élevée", 1), ("muy alta", 1), ("Suuri", 1), ("Tavallinen", 5), ("Pieni", 9), ("Normalna", 5),
    ("Niska", 9), ("vysoká", 1), ("Blocker", 1), ("Trivial", 9), ("!!!", 1), ("!", 9),
  ])
  func aWordIsAPriority(_ word: String, _ number: Int) { #expect(ValueWords.priority(word) == number) }
}
