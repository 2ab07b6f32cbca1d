import Databases
import Testing

@Suite("Reading rows that somebody else may have written")
struct RowReaderTests {
  private let read = Row(
    columns: ["text", "number", "real", "null", "largest", "nan", "infinite"],
    values: ["a", 7, 1.5, nil, .integer(.max), .real(.nan), .real(-.infinity)]
  ).reader(of: "thing", in: "db")

  @Test("gives values of their kind and range")
  func right() throws {
    #expect(try read.text("text") == "a")
    #expect(try read.integer("number", in: 0...7) == 7)
    #expect(try read.real("real", in: 0...2) == 1.5)
    #expect(try read.real("number", in: 0...7) == 7)
    #expect(try read.optionalText("null") == nil && read.optionalTime("null") == nil)
    #expect(try read.time("number") == 7)
  }

  @Test("refuses others, with their place")
  func wrong() {
    let error = #expect(throws: DamagedRow.self) { try read.integer("number", in: 0...6) }
    #expect(
      error?.message == "the table thing in db is damaged: its column number does not hold an integer from 0 to 6")
    #expect(error?.code == "store_damaged")
    #expect(error?.details == ["place": "db", "table": "thing", "column": "number"])
    let missing = #expect(throws: DamagedRow.self) { try read.optionalText("missing") }
    #expect(missing?.message == "the table thing in db is damaged: it has no column missing")
    #expect(throws: DamagedRow.self) { try read.text("null") }
    #expect(throws: DamagedRow.self) { try read.text("number") }
    #expect(throws: DamagedRow.self) { try read.time("largest") }
    #expect(throws: DamagedRow.self) { try read.optionalTime("text") }
    #expect(throws: DamagedRow.self) { try read.preciseTime("nan") }
    #expect(throws: DamagedRow.self) { try read.preciseTime("infinite") }
    #expect(throws: DamagedRow.self) { try read.flag("number") }
  }

  @Test("name the row by its key")
  func key() {
    let read = Row(columns: ["id", "name", "real"], values: [7, "a\u{1b}b", 1.5]).reader(
      of: "t", in: "db", key: ["id", "name"])
    let error = #expect(throws: DamagedRow.self) { try read.text("real") }
    #expect(error?.message.hasPrefix("the row 7, a") == true && error?.message.contains("\u{1b}") == false, "\(error!)")
    #expect(error?.details["row"] == error?.row && error?.row?.hasPrefix("7, a") == true)
  }

  @Test("a number of any size becomes an integer")
  func clamped() {
    #expect(Int(clamped: .nan) == 0 && Int(clamped: 1e300) == .max && Int(clamped: -.infinity) == .min)
    #expect(Int(clamped: -1.9) == -1 && Int64(clamped: 9.3e18) == .max && UInt8(clamped: -4) == 0)
  }
}
