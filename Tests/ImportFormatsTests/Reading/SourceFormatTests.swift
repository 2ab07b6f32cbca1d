import Core
import ImportFormats
import TestSupport
import Testing

@Suite struct SourceFormatTests {
  @Test(
    arguments: [
      ("tasks.csv", .csv), ("a/b.c/Tasks.CSV", .csv), ("tasks.csv.gz", .csv), ("tasks.tsv.zst", .tsv),
      ("t.json", .json),
      ("t.ndjson", .ndjson), ("t.jsonl.gz", .ndjson), ("t.txt", .text), ("notes.text", .text), ("todo.txt", .todotxt),
      ("~/done.txt", .todotxt), ("work.todo.txt.gz", .todotxt), ("mytodo.txt", .text), ("notes.md", nil), ("-", nil),
      ("csv", nil), ("tasks.gz", nil), ("", nil),
    ] as [(String, SourceFormat?)])
  func byName(path: String, format: SourceFormat?) {
    #expect(SourceFormat(path: path) == format)
  }

  @Test(
    arguments: [
      ("[{\"text\":\"a\"}]", .json), (" [\n \"a\"]", .json), ("[]", .json), ("{\"text\":\"a\"}\n", .ndjson),
      ("Title;Due\na;b\nc;d\n", .csv), ("\"Text\",Due\na,b\n", .csv), ("text\nMilk\nBread\n", .csv),
      ("id\tname\n1\tMilk\n", .tsv),
    ] as [(String, SourceFormat)])
  func byContent(text: String, format: SourceFormat) throws {
    let file = TemporaryFile(text, name: "tasks.dat")
    #expect(try RecordReaders.open(path: file.path).format == format)
  }

  /// The first line of a text must not be lost as the header of a table.
  @Test(arguments: ["Buy milk\nCall Ann\n", "Buy milk, eggs\nCall Ann, Bob\n", "Task, one\ntwo\n", "x", "[x] Milk\n"])
  func inDoubt(text: String) throws {
    let file = TemporaryFile(text, name: "tasks.dat")
    let error = #expect(throws: ImportError.self) { try RecordReaders.open(path: file.path) }
    #expect(error?.code == "unknown_format")
    #expect(
      error?.description == "cannot tell the format of \(file.path) by its name or its beginning (say which with "
        + "--format, or format = in a script: csv, tsv, json, ndjson, text, todotxt, taskwarrior)")
    #expect(try !contents(RecordReaders.open(path: file.path, format: .text)).isEmpty)
  }
}
