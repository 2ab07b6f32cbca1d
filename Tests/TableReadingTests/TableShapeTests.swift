import TableReading
import Testing

/// The separator and the header of a table are judged together.
struct TableShapeTests {
  private func shape(_ text: String) throws -> TableShape {
    let known: Set<String> = [
      "text", "title", "due", "due date", "notes", "priority", "done", "status", "aufgabe", "fällig",
    ]
    var text = text
    return try text.withUTF8 { bytes in
      try #require(TableShape(UnsafeRawBufferPointer(bytes), isWhole: true) { known.contains($0.lowercased()) })
    }
  }

  @Test(arguments: [
    ("Text,Due\nMilk,2026-10-01\nBread,2026-10-02\n", "," as Character),
    ("Text;Price;Due\nMilk;1,50;1.10.2026\nBread, fresh;2,75;2.10.2026\n", ";"),
    ("Text\tDue\nMilk, cold\t2026-10-01\nBread; fresh\t2026-10-02\n", "\t"),
    ("Text|Due\nMilk|2026-10-01\nBread|2026-10-02\n", "|"),
    ("sep=;\nText;Due\nMilk, cold;2026-10-01\n", ";"),
    ("Text,Due\n\"a; b; c\",1\n\"d; e; f\",2\n\"g; h; i\",3\n", ","),
    ("Text, \"Due\", \"Notes\"\nMilk, \"2026-10-01\", \"a, b\"\n", ","),
  ])
  func aSeparatorIsFound(_ text: String, _ separator: Character) throws {
    let shape = try shape(text)
    #expect(shape.separator == separator)
    #expect(shape.names.first == "Text")
    #expect(shape.isSure)
  }

  @Test func linesAboveTheHeaderArePassedOver() throws {
    let tickTick = """
      "Date: 2026-06-15+0000"
      "Version: 7.1"
      "Status: \n0 Normal\n1 Completed\n2 Archived"
      "Folder Name","Title","Due","Priority"
      "Home","Milk","2026-10-01","0"
      "Home","Bread","2026-10-02","5"
      """
    let shape = try shape(tickTick)
    #expect(shape.header == .line(7))
    #expect(shape.names == ["Folder Name", "Title", "Due", "Priority"])
    #expect(shape.above.count == 3)
    #expect(shape.rows.map(\.line) == [8, 9])
  }

  @Test func titlesWithEmptyCellsAreNoHeader() throws {
    let shape = try shape("My tasks,,,\n,,,\nTitle,Due,Priority,Cost\nMilk,2026-10-01,High,5\nBread,2026-10-02,Low,6\n")
    #expect(shape.header == .line(3))
    #expect(shape.isSure)
  }

  @Test func aTableWithoutAHeaderIsSeen() throws {
    let shape = try shape("Milk,2026-10-01,5\nBread,2026-10-02,6\nEggs,2026-10-03,7\n")
    #expect(shape.header == .none)
    #expect(shape.isSure)
    #expect(shape.names == ["Column 1", "Column 2", "Column 3"])
    #expect(shape.rows.count == 3)
  }

  @Test func unknownNamesAboveValuesAreAHeader() throws {
    let shape = try shape("Was,Wann\nMilch,1.10.2026\nBrot,2.10.2026\n")
    #expect(shape.header == .line(1))
    #expect(shape.isSure)
  }

  @Test func textsAboveTextsAreADoubt() throws {
    let shape = try shape("Milk,cold\nBread,fresh\nEggs,brown\n")
    #expect(!shape.isSure)
  }

  @Test func aStrayQuoteDoesNotHideTheTable() throws {
    let shape = try shape("Text,Due\nMilk,2026-10-01\n\"Bread,2026-10-02\nEggs,2026-10-03\nHam,2026-10-04\n")
    #expect(shape.separator == ",")
    #expect(shape.rows.map(\.isBroken) == [false, true, false, false])
  }
}
