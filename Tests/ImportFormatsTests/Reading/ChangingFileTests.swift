import Core
import Glibc
import ImportFormats
import TestSupport
import Testing

/// Tests of files that another process changes while they are read.
@Suite struct ChangingFileTests {
  static let names = ["tasks.csv", "tasks.txt", "tasks.ndjson"]

  private func text(_ name: String, rows: Int) -> String {
    switch name {
    case "tasks.csv": "Text\n" + (1...rows).map { "Task \($0)\n" }.joined()
    case "tasks.ndjson": (1...rows).map { "\"Task \($0)\"\n" }.joined()
    default: (1...rows).map { "Task \($0)\n" }.joined()
    }
  }

  @Test(arguments: names) func grows(name: String) throws {
    let text = text(name, rows: 50_000)
    let file = TemporaryFile(text, name: name)
    let reader = try RecordReaders.open(path: file.path)
    #expect(try reader.next()?.number == 1)
    file.write(Array((text + "Task 50001\n").utf8))
    var count = 1
    let error = #expect(throws: ImportError.self) { while try reader.next() != nil { count += 1 } }
    #expect(error?.code == "source_changed")
    #expect(
      error?.description == "\(file.path) grew while it was read, from \(text.utf8.count) bytes to "
        + "\(text.utf8.count + 11) (the rows read until then are in the journal: import it again when nothing writes to it "
        + "any more)")
    #expect(count == 50_000)
  }

  @Test(arguments: names) func shrinks(name: String) throws {
    let text = text(name, rows: 50_000)
    let file = TemporaryFile(text, name: name)
    let reader = try RecordReaders.open(path: file.path)
    #expect(try reader.next()?.number == 1)
    let half = text.utf8.count / 2
    file.write(Array(text.utf8.prefix(half)))
    let error = #expect(throws: ImportError.self) { while try reader.next() != nil {} }
    #expect(error?.code == "source_changed")
    #expect(
      error?.message == "\(file.path) shrank while it was read, from \(text.utf8.count) bytes to \(half)")
  }

  @Test(arguments: names) func isWrittenToInPlace(name: String) throws {
    let text = text(name, rows: 50_000)
    let file = TemporaryFile(text, name: name)
    let reader = try RecordReaders.open(path: file.path)
    #expect(try reader.next()?.number == 1)
    file.write(Array(text.replacing("Task", with: "Test").utf8))
    var times = [timespec](repeating: timespec(tv_sec: 1, tv_nsec: 0), count: 2)
    #expect(utimensat(AT_FDCWD, file.path, &times, 0) == 0)
    var texts: [String] = []
    let error = #expect(throws: ImportError.self) {
      while let record = try reader.next() { texts.append(String(describing: record.content)) }
    }
    #expect(error?.code == "source_changed")
    #expect(error?.message == "\(file.path) was written to while it was read")
    #expect(!texts.contains { $0.contains("Test") })
  }

  /// The last line has no end: a line that is still being written must not count as a whole row.
  @Test(arguments: names) func lastRowIsBeingWritten(name: String) throws {
    let text = String(text(name, rows: 3).dropLast(2))
    let file = TemporaryFile(text, name: name)
    let reader = try RecordReaders.open(path: file.path)
    #expect(try reader.next()?.number == 1)
    #expect(try reader.next()?.number == 2)
    file.write(Array((text + "33").utf8))
    let error = #expect(throws: ImportError.self) { try reader.next() }
    #expect(error?.code == "source_changed")
  }
}
