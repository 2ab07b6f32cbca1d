import HostLoop
import TaskImport
import TestSupport
import Testing

/// Files that are perhaps not what their name says are doubtful before anything is sent; others are not.
@HostActor @Suite struct RecognitionTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    /// A part of the only finding; nil for a file without doubt.
    let finding: String?

    init(_ name: String, _ text: String, _ finding: String?) {
      (self.name, self.text, self.finding) = (name, text, finding)
    }

    var testDescription: String { "\(name): \(text.prefix(40))" }
  }

  nonisolated static let doubtful = [
    Example("a.csv", "Text^Due\nmilk^2027-01-31\n", "its only column is called \"Text^Due\""),
    Example("a.csv", "Text~Due\nmilk~2027-01-31\n", "its only column is called \"Text~Due\""),
    Example("a.tsv", "Text^Due\nmilk^2027-01-31\n", "its only column is called \"Text^Due\""),
    Example("a.csv", "Tasks of Ann\n\nText,Due\nmilk,2027-01-31\n", "its only column is called \"Tasks of Ann\""),
    Example("a.csv", "Buy milk\nCall Ann\n", "its only column is called \"Buy milk\""),
    Example("a.csv", "Todo\nText,Due\nmilk,2027-01-31\n", "2 of the first 2 rows do not have 1 field"),
    Example("a.csv", "Text,Due\na,,x\nb,,y\nc,\n", "2 of the first 3 rows do not have 2 fields"),
    Example("a.csv", "Text;Due\na,2027-01-31\nb,2027-02-01\n", "2 of the first 2 rows do not have 2 fields"),
    Example("a.ndjson", "{\"text\": \"a\"}\nno\nnor\n", "2 of the first 3 lines are not tasks"),
    Example(
      "a.csv", "Text, \"Due\"\nmilk, \"2027-01-31\"\n", "the column \"\"Due\"\" would be left out, and may be due"),
    Example("a.csv", "Text,(Due)\nmilk,2027-01-31\n", "the column \"(Due)\" would be left out, and may be due"),
    Example("a.csv", "Text,Due,Deadline\na,2027-01-31,2027-02-01\n", "due may be in the columns \"Due\", \"Deadline\""),
    Example("a.csv", "Text,,Due\na,x,2027-01-31\n", "column 2 has no name, and values such as \"x\""),
    Example("a.csv", "Title,Due\n1001,2027-01-31\n1002,\n", "\"Title\", which has no words: \"1001\", \"1002\""),
    Example("a.csv", "<!DOCTYPE html>\n<html></html>\n", "it begins like a page of HTML"),
    Example("a.txt", "\n  <HTML><head>\n", "it begins like a page of HTML"),
    Example("a.json", "<?xml version=\"1.0\"?>\n<tasks/>\n", "it begins like XML"),
    Example("a.txt", "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n", "it begins like iCalendar"),
    Example("a.csv", "[{\"text\": \"a\"}, {\"text\": \"b\"}]", "it begins like JSON"),
    Example("a.txt", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n", "it begins like JSON"),
    Example("a.txt", "Text,Due\nmilk,2027-01-31\n", "it looks like a table with columns"),
    Example("a.csv", "Text,Due\na\0b,2027-01-31\n", "it has the byte 0x00"),
  ]

  nonisolated static let clear = [
    Example("a.csv", "Text\nBuy milk; bread\nCall Ann, today\n", nil), Example("a.csv", "Aufgaben\nMilch\n", nil),
    Example("a.csv", "Text,Due\u{200B}\nmilk,2027-01-31\n", nil),
    Example("a.csv", "\u{FEFF}\u{FEFF}Text,Due\nmilk,\n", nil),
    Example("a.csv", "Text,Due\u{A0}\nmilk,2027-01-31\n", nil), Example("a.csv", "Text\tDue\nmilk\t\nbread\t\n", nil),
    Example("a.csv", "Text|Due\nmilk|\n", nil), Example("a.csv", "Text,Due,\nmilk,,\nbread,,\n", nil),
    Example("a.csv", "Text,Due\nmilk,\na,b,c\nbread,\n", nil), Example("a.csv", "Title\n2027\nBuy milk\n", nil),
    Example("a.csv", "Text,Id\nA-1 sauce,1\nB 2,2\n", nil), Example("a.csv", "Text\n", nil),
    Example("a.txt", "Buy milk, bread\nText me, please\n", nil), Example("a.txt", "<3\n", nil),
    Example("a.json", "[{\"text\": \"a\", \"due\": null}]", nil),
  ]

  @Test(arguments: doubtful + clear) func doubts(_ example: Example) throws {
    let file = TemporaryFile(example.text, name: example.name)
    let found: [String]
    do throws(ImportError) {
      let reading = try RecordReaders.read(try SourceFile(path: file.path))
      found = try FileRowSource(reading, mapping: nil).doubts.map(\.finding)
    } catch {
      #expect(error.kind == .doubtful)
      found = [error.message]
    }
    guard let finding = example.finding else {
      #expect(found == [])
      return
    }
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(finding) == true, "\(found)")
  }

  @Test func optionsDecide() throws {
    let page = TemporaryFile("<html>\n", name: "a.txt")
    #expect(try RecordReaders.read(try SourceFile(path: page.path), format: .text, isDecided: true).doubts == [])
    let caret = TemporaryFile("Text^Due\nmilk^2027-01-31\n", name: "a.csv")
    let reading = try RecordReaders.read(try SourceFile(path: caret.path), separator: "^")
    #expect(try FileRowSource(reading, mapping: nil).doubts == [])
    let mapped = try FileRowSource(
      RecordReaders.read(try SourceFile(path: caret.path)), mapping: RowMapping(parsing: "text=\"Text^Due\""))
    #expect(mapped.doubts == [])
  }
}
