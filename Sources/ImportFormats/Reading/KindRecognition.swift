/// Finds out that a file is of another kind than the format by its name says.
enum KindRecognition {
  private static let beginnings: [(texts: [String], name: String, remedy: String)] = [
    (
      ["<!doctype html", "<html", "<head", "<body", "<script"], "a page of HTML",
      "\(list), perhaps after a sign-in there"
    ),
    (["<?xml", "<!doctype", "<svg", "<!--"], "XML", list), (["{\\rtf"], "a document of RTF", list),
    (["%!ps"], "a document of PostScript", list),
    (
      ["begin:vcalendar", "begin:vtodo", "begin:vevent"], "iCalendar",
      "--format ics (format = \"ics\" in a script) reads it as iCalendar"
    ),
    (["begin:vcard"], "a file of contacts (vCard)", list),
  ]

  /// The remedy for a file that no option reads as a list.
  static let list = "get the list itself: export or download it as CSV or JSON from the program that has it"

  /// The doubt about a file whose name says `format`; nil if its beginning may be of this format.
  static func doubt(_ sample: UnsafeRawBufferPointer, _ format: SourceFormat, _ buffer: FileBuffer) -> ReadingDoubt? {
    let asNamed = remedy(format, "as \(words(format))")
    if let kind = marked(sample) {
      return ReadingDoubt("it begins like \(kind.name), not like \(words(format))", kind.remedy)
    }
    switch format {
    case .csv, .tsv, .text, .todotxt:
      if let json = FormatSniffer.json(sample) {
        return ReadingDoubt(
          "it begins like JSON, not like \(words(format))", remedy(json, "as \(words(json))"), asNamed)
      }
    case .json, .ndjson, .taskwarrior: return nil
    }
    // One in a table makes its row fail.
    let strange = sample.lazy.filter { $0 < 0x20 && !allowed.contains($0) }
    if let byte = strange.dropFirst(format == .csv || format == .tsv ? 2 : 0).first {
      let digits = String(byte, radix: 16, uppercase: true)
      return ReadingDoubt(
        "it has the byte 0x\(byte < 16 ? "0" : "")\(digits), which a list of tasks hardly has", list, asNamed)
    }
    if format == .text, let table = FormatSniffer.table(sample, isWhole: buffer.isAtEnd, isCertain: true) {
      return ReadingDoubt(
        "it looks like a table with columns, and each of its lines would be a task", remedy(table, "as a table"),
        asNamed)
    }
    return nil
  }

  /// Tab, line feed, vertical tab, form feed, carriage return, escape.
  private static let allowed: Set<UInt8> = [9, 10, 11, 12, 13, 27]

  private static func marked(_ sample: UnsafeRawBufferPointer) -> (name: String, remedy: String)? {
    let start = sample.drop { JSONRecord.isBlank($0) }.prefix(32)
    let text = String(decoding: start, as: UTF8.self).lowercased()
    return beginnings.first { $0.texts.contains { text.hasPrefix($0) } }.map { ($0.name, $0.remedy) }
  }

  private static func remedy(_ format: SourceFormat, _ reading: String) -> String {
    "--format \(format.rawValue) (format = \"\(format.rawValue)\" in a script) reads it \(reading)"
  }

  private static func words(_ format: SourceFormat) -> String {
    switch format {
    case .csv, .tsv: "a table"
    case .json: "a JSON array"
    case .ndjson: "a JSON value a line"
    case .text: "a task a line"
    case .todotxt: "todo.txt"
    case .taskwarrior: "Taskwarrior's export"
    }
  }
}
