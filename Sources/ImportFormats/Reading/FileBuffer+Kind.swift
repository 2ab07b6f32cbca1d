extension FileBuffer {
  /// The beginnings of files that are no text, and the names of their formats.
  private static let kinds: [(beginning: [UInt8], name: String, hint: String)] = [
    ([0x50, 0x4B, 0x05, 0x06], "an empty zip archive", "get the file again"),
    (
      [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an old Microsoft Office document (.xls, .doc)",
      "save the spreadsheet as CSV"
    ), (Array("%PDF-".utf8), "a PDF document", "export the list as CSV or JSON instead"),
    ([0x7F] + Array("ELF".utf8), "a program (ELF)", "name the file with the tasks"),
    (
      Array("SQLite format 3\0".utf8), "an SQLite database",
      "export its table as CSV: sqlite3 -csv -header FILE 'SELECT …'"
    ),
    ([0x04, 0x22, 0x4D, 0x18], "packed with lz4", unpack("unlz4")),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", unpack("7z x")),
    (Array("Rar!\u{1A}\u{7}".utf8), "a rar archive", unpack("unrar x")),
    ([0x89] + Array("PNG".utf8), "a picture (PNG)", "name the file with the tasks"),
    ([0xFF, 0xD8, 0xFF], "a picture (JPEG)", "name the file with the tasks"),
    (Array("GIF8".utf8), "a picture (GIF)", "name the file with the tasks"),
  ]

  private static func unpack(_ command: String) -> String { "unpack it: \(command)" }

  /// Throws if a file begins like one that is no text, whatever its name.
  func refuseOtherKinds(_ bytes: UnsafeRawBufferPointer) throws(ImportError) {
    if bytes.starts(with: "{\"b2c_run_plan\":".utf8) {
      throw ImportError(
        kind: .notText, message: "\(name) is a plan of b2c-run, expected a list of tasks",
        hint: "b2c-run import --apply \(name) carries it out")
    }
    guard let kind = Self.kinds.first(where: { bytes.starts(with: $0.beginning) }) else { return }
    throw ImportError(
      kind: .notText, message: "\(name) is \(kind.name), expected a list of tasks as text", hint: kind.hint)
  }
}
