import TableReading
import Testing

/// The words of twelve languages for the state and the priority of a task.
struct ValueWordsTests {
  @Test(arguments: [
    "Done", "WAHR", "ja", "VRAI", "oui", "Sí", "Terminé", "erledigt", "completata", "Voltooid", "kyllä", "TAK",
    "hotovo",
  ])
  func aWordSaysThatATaskIsDone(_ word: String) { #expect(ValueWords.isDone(word) == true) }

  @Test(arguments: [
    "Not started", "FALSCH", "nein", "Nicht begonnen", "non", "En cours", "pendiente", "needsAction", "nee", "ei",
    "w toku",
  ])
  func aWordSaysThatATaskIsOpen(_ word: String) { #expect(ValueWords.isDone(word) == false) }

  @Test func anotherWordSaysNothing() {
    #expect(ValueWords.isDone("perhaps") == nil)
    #expect(ValueWords.priority("perhaps") == nil)
  }

  @Test(arguments: [("Hoch", 1), ("Urgent", 1), ("moyenne", 5), ("Normale", 5), ("laag", 9), ("Low", 9), ("keine", 0)])
  func aWordIsAPriority(_ word: String, _ number: Int) { #expect(ValueWords.priority(word) == number) }
}
