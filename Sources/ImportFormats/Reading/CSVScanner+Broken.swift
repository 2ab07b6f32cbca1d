import TableReading

/// The knowledge about a broken row while the lines behind its first one are read.
struct Recovery {
  /// True if its last line may look like a row.
  var hasTail: Bool
}

extension CSVScanner {
  /// The doubt about a row of several lines, or about one behind a broken row; nil if it is a row like others.
  func doubt(_ row: CSVExtent, _ text: UnsafeRawBufferPointer, isLong: Bool, quotes: Int) -> CSVCursor.Problem? {
    guard width > 0 else { return nil }
    if let recovery {
      let look = habits?.look(text, hasBlanks: dialect.hasBlanks) ?? .unknown
      let isRow =
        row.count == width && StrayQuotes.count(dialect.quote, in: text) == quotes
        && (width == 1 || (recovery.hasTail ? look == .alike : look != .unlike))
      guard isRow else { return .remainder(fields: row.count) }
    }
    guard isLong else { return nil }
    let lines = lines(of: text)
    return (row.count == width ? lines.isSwallowing : lines.hasRow) ? .swallowedRows(line: row.line) : nil
  }

  func lines(of text: UnsafeRawBufferPointer, most: Int = .max) -> RowLines {
    RowLines(text, width: width, dialect, habits, most: most)
  }

  /// Begins to pass over the row at the window's start: the first line of a broken row, or all of one that is too long. Returns the
  /// error about it.
  func skip(_ problem: CSVCursor.Problem) -> ImportError {
    switch problem {
    case .tooManyFields:
      skipped = SkippedRow(
        line: line, reason: "this row has more than \(CSVCursor.mostFields) fields", dialect: dialect)
    case .remainder(let fields):
      recovery = Recovery(hasTail: recovery?.hasTail == true && fields != width)
      skipped = SkippedRow(line: line, kind: .misplacedQuote, reason: reason(problem))
    default:
      recovery = Recovery(hasTail: lines(of: buffer.window, most: 1).hasTail)
      skipped = SkippedRow(line: line, kind: failure(problem).kind, reason: reason(problem))
    }
    return failure(problem)
  }

  /// Why a line fails, in words.
  private func reason(_ problem: CSVCursor.Problem) -> String {
    let rule = "a quote inside a quoted field is written twice"
    return switch problem {
    case .unclosedQuote: "the quote that opens a field here is never closed: \(rule)"
    case .misplacedQuote(line, let field): "field \(field) continues after its closing quote: \(rule)"
    case .misplacedQuote(let line, let field):
      "the quote that opens field \(field) is closed in line \(line), where the field continues: \(rule)"
    case .remainder(width): "this line may be the end of the broken row above it"
    case .remainder(let fields):
      "this line has \(counted(fields, "field")), expected \(width) as in the header, and stands behind a broken row"
    case .swallowedRows: "a quote in this line takes in the next lines, which look like rows: \(rule)"
    case .tooManyFields: "this row has more than \(CSVCursor.mostFields) fields"
    }
  }

  private func failure(_ problem: CSVCursor.Problem) -> ImportError {
    let (kind, line, text): (ImportError.Kind, Int, String) =
      switch problem {
      case .unclosedQuote(let line): (.unclosedQuote, line, "the quote that opens a field here is never closed")
      case .misplacedQuote(let line, let field):
        (.misplacedQuote, line, "field \(field) continues after its closing quote")
      case .swallowedRows(let line):
        (.misplacedQuote, line, "a quote in this line takes in the next lines, which look like rows")
      case .remainder: (.misplacedQuote, line, reason(problem))
      case .tooManyFields(let line): (.rowTooLong, line, reason(problem))
      }
    return ImportError(
      kind: kind, message: "\(buffer.name):\(line): \(text)",
      hint: kind == .rowTooLong ? "is the separator right?" : "a quote inside a quoted field is written twice",
      line: line)
  }
}
