/// A file with one fault of a known kind, and what it says without the fault.
struct PollutedFile: Sendable {
  /// The kinds of faults, after those of Pollock (VLDB 2023), and how often files have them: the weights of the weighted score.
  enum Kind: String, CaseIterable, Sendable {
    case none = "none"
    case strayQuote = "stray quote"
    case missingSeparator = "missing separator"
    case extraSeparator = "extra separator"
    case missingCell = "missing cell"
    case unquotedSeparator = "unquoted separator"
    case shiftedValues = "shifted values"
    case otherSeparator = "another separator in a row"
    case recordEnd = "record end"
    case emptyLine = "empty line"
    case nullByte = "null byte"
    case blanks = "blanks around a cell"
    case dialect = "dialect"
    case encoding = "encoding"
    case linesAbove = "lines above"
    case linesBelow = "lines below"
    case header = "header"
    case size = "size"

    var weight: Double {
      switch self {
      case .none: 40
      case .dialect, .encoding, .recordEnd: 10
      case .linesAbove, .linesBelow, .header, .size: 2
      default: 1
      }
    }
  }

  var kind: Kind
  var place: String
  var bytes: [UInt8]
  /// The names of the columns. Nil if the file has none.
  var header: [String]?
  /// The rows that the file had before.
  var rows: [[String]]
  /// The lines of the rows in the file, the first and the last of each, counting from 1.
  var lines: [ClosedRange<Int>]
  /// The rows that the fault has touched: they may fail, and may be right.
  var damaged: Set<Int> = []

  var name: String { "\(kind.rawValue): \(place)" }
}

/// A table, written as a person or a program may write it.
struct WrittenTable: Sendable {
  var header: [String]
  var rows: [[String]]
  var separator = ","
  var quote: Character = "\""
  /// The text before a quote in a field; nil to write it twice.
  var escape: String?
  var lineBreak = "\n"
  /// True for quotes around all fields.
  var quotesAll = false
  var endsWithLineBreak = true

  /// The cells of the header and of the rows with their quotes.
  var cells: [[String]] { ([header] + rows).map { $0.map(written) } }

  private func written(_ value: String) -> String {
    let special =
      value.contains(separator) || value.contains(separator.prefix(1)) || value.contains(quote) || value.contains("\n")
    guard quotesAll || special else { return value }
    let mark = String(quote)
    return mark + value.replacing(mark, with: (escape ?? mark) + mark) + mark
  }

  func text(_ cells: [[String]]) -> String {
    let lines = cells.map { $0.joined(separator: separator) }
    return lines.joined(separator: lineBreak) + (endsWithLineBreak ? lineBreak : "")
  }

  /// The lines of the rows in the file if so many lines stand above the header.
  func lines(above: Int = 0) -> [ClosedRange<Int>] {
    var next = 1 + above
    let all = ([header] + rows).map { row -> ClosedRange<Int> in
      let first = next
      next += 1 + row.reduce(0) { $0 + $1.count { $0 == "\n" } }
      return first...next - 1
    }
    return Array(all.dropFirst())
  }

  /// The file with these cells in the place of the usual ones.
  func file(
    _ kind: PollutedFile.Kind, _ place: String, _ cells: [[String]]? = nil, damaged: Set<Int> = []
  ) -> PollutedFile {
    PollutedFile(
      kind: kind, place: place, bytes: Array(text(cells ?? self.cells).utf8), header: header, rows: rows,
      lines: lines(), damaged: damaged)
  }
}

extension WrittenTable {
  /// A list of tasks as people have it: quoted texts, notes of several lines, empty cells.
  static let tasks: WrittenTable = {
    let things = ["Milk", "Bread", "Eggs", "Rice", "Salt", "Tea", "Nails", "Paint"]
    let lists = ["Home", "Work", "Garden"]
    let rows = (1...32).map { number -> [String] in
      let thing = things[number % things.count]
      let text =
        switch number % 5 {
        case 0: "\(number) of \(thing), fresh and cold"
        case 1: "Read \(number) of \"\(thing)\" today"
        default: "Buy \(number) of \(thing)"
        }
      let notes =
        switch number % 4 {
        case 0: "before nine, not on a Monday"
        case 1: number % 8 == 1 ? "first line of \(number)\nsecond line, with more" : "ask Ann \(number) times"
        default: number % 3 == 0 ? "" : "see plan \(number) of it"
        }
      let day = number % 28 + 1
      return [
        text, number % 6 == 0 ? "" : "2026-10-\(day < 10 ? "0" : "")\(day)", lists[number % 3], String(number % 4 + 1),
        notes,
        "2026-09-\(day < 10 ? "0" : "")\(day)", number % 2 == 0 ? "yes" : "no", String(1000 + 7 * number),
      ]
    }
    return WrittenTable(
      header: ["Text", "Due", "List", "Priority", "Notes", "Created", "Done", "Id"], rows: rows)
  }()
}
