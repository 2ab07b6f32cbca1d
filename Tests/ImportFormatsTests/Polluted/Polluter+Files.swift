import Encodings

extension Polluter {
  /// Faults of a file as a whole.
  func fileFaults() -> [PollutedFile] { dialects + encodings + linesAbove + linesBelow + headers + sizes }

  private var dialects: [PollutedFile] {
    var files: [PollutedFile] = []
    for separator in [",", ";", "\t", "|", ", ", ";;", "||"] {
      for (quote, escape) in [("\"", nil), ("'", nil), ("\"", "\\")] as [(Character, String?)] {
        for quotesAll in [false, true] {
          var table = WrittenTable.tasks
          (table.separator, table.quote, table.escape, table.quotesAll) = (separator, quote, escape, quotesAll)
          let place =
            "\(separator == "\t" ? "tab" : separator) \(quote) \(escape ?? "") \(quotesAll ? "all quoted" : "")"
          files.append(table.file(.dialect, place))
        }
      }
    }
    for lineBreak in ["\n", "\r", "\r\n"] {
      for ends in [true, false] {
        var table = WrittenTable.tasks
        table.rows = table.rows.map { $0.map { $0.replacing("\n", with: "; ") } }
        (table.lineBreak, table.endsWithLineBreak) = (lineBreak, ends)
        files.append(table.file(.recordEnd, "\(lineBreak.debugDescription), \(ends)"))
      }
    }
    return files
  }

  private var encodings: [PollutedFile] {
    var table = WrittenTable.tasks
    table.rows = table.rows.map { row in
      [row[0].replacing("Milk", with: "Müslischüssel").replacing("Bread", with: "Brötchen für Jörg")] + row.dropFirst()
    }
    let text = table.text(table.cells)
    func file(_ place: String, _ bytes: [UInt8]) -> PollutedFile {
      var file = table.file(.encoding, place)
      file.bytes = bytes
      return file
    }
    let little = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return [
      file("UTF-8", Array(text.utf8)), file("UTF-8 with a mark", [0xEF, 0xBB, 0xBF] + Array(text.utf8)),
      file("UTF-16LE", little), file("UTF-16LE with a mark", [0xFF, 0xFE] + little), file("UTF-16BE", big),
      file("UTF-16BE with a mark", [0xFE, 0xFF] + big), file("ISO-8859-1", text.unicodeScalars.map { UInt8($0.value) }),
    ]
  }

  private func above(_ kind: PollutedFile.Kind, _ place: String, _ lines: [String]) -> PollutedFile {
    let table = WrittenTable.tasks
    var file = table.file(kind, place)
    file.bytes = Array((lines + [""]).joined(separator: "\n").utf8) + file.bytes
    file.lines = table.lines(above: lines.count)
    return file
  }

  private var linesAbove: [PollutedFile] {
    [
      above(.linesAbove, "a title", ["Tasks of the house"]),
      above(.linesAbove, "two lines", ["Tasks", "made on Monday"]),
      above(.linesAbove, "a title and an empty line", ["Tasks of the house", ""]),
      above(.linesAbove, "a title in a wide row", ["Tasks of the house,,,,,,,"]),
      above(.linesAbove, "three lines with values", ["Report,Tasks", "Made,2026-10-01", ""]),
      above(.linesAbove, "the separator for Excel", ["sep=,"]), above(.linesAbove, "empty lines", ["", "", ""]),
    ]
  }

  private func below(_ place: String, _ lines: [String]) -> PollutedFile {
    var file = WrittenTable.tasks.file(.linesBelow, place)
    file.bytes += Array((lines + [""]).joined(separator: "\n").utf8)
    return file
  }

  private var linesBelow: [PollutedFile] {
    [
      below("a footnote", ["made by a program"]), below("an empty line and a footnote", ["", "made by a program"]),
      below("a sum", ["Sum,32"]), below("a second table", ["", "Person,Room", "Ann,1", "Bob,2"]),
      below("rows of separators", [",,,,,,,"]), below("empty lines", ["", "", ""]),
    ]
  }

  private var headers: [PollutedFile] {
    let table = WrittenTable.tasks
    var none = table.file(.header, "none")
    none.bytes = Array(table.text(Array(table.cells.dropFirst())).utf8)
    none.header = nil
    none.lines = none.lines.map { $0.lowerBound - 1...$0.upperBound - 1 }
    var upper = table
    upper.header = table.header.map { $0.uppercased() }
    var blank = table
    blank.header = table.header.map { " \($0) " }
    var trailing = table.file(.header, "a separator behind each row and the header", table.cells.map { $0 + [""] })
    trailing.header = table.header + [""]
    trailing.rows = trailing.rows.map { $0 + [""] }
    var trimmed = blank.file(.header, "blanks around the names")
    trimmed.header = table.header
    return [
      none, upper.file(.header, "capitals"), trimmed, trailing,
      above(.header, "a line of groups", ["What,,Where,,,When,,"]),
    ]
  }

  private var sizes: [PollutedFile] {
    var table = WrittenTable.tasks
    table.rows = []
    var files = [table.file(.size, "header only")]
    table.endsWithLineBreak = false
    files.append(table.file(.size, "header only, without a line break"))
    for count in 1...3 {
      var few = WrittenTable.tasks
      few.rows = Array(few.rows.dropFirst(1).prefix(count))
      files.append(few.file(.size, "\(count) rows"))
    }
    var many = WrittenTable.tasks
    many.rows = (0..<40).flatMap { block in many.rows.map { ["\($0[0]) \(block)"] + $0.dropFirst() } }
    files.append(many.file(.size, "many rows"))
    var empty = WrittenTable.tasks.file(.size, "empty")
    (empty.bytes, empty.rows, empty.lines) = ([], [], [])
    files.append(empty)
    return files
  }
}
