import Core
import TableReading

/// The place where the rows of a table begin, and its separator.
struct TableStart {
  let separator: Character
  /// The line with the names of the columns; `none` if the first row is data.
  let header: TableShape.Header
  /// The bytes and the lines before the header, or before the first row of a table without one.
  let offset: Int
  let line: Int
  /// The names of the columns of a table without a header; nil to read them.
  let names: [String]?
  /// Why the header is there, in words; nil if the caller has named it.
  let reason: String?
  /// The doubt about the header.
  let doubt: ReadingDoubt?

  private static let sampleSize = 64 << 10

  /// Judges the beginning of a table.
  /// - Parameter separator: nil to find it.
  init(_ buffer: FileBuffer, _ source: SourceFile, separator given: Character?) throws(ImportError) {
    let passed = if case .line(let number)? = source.header { number - 1 } else { source.skippedLines }
    let sample = try buffer.sample(Self.sampleSize, lines: passed + 2)
    var passing = (offset: 0, line: 1)
    while passing.line <= passed, passing.offset < sample.count { Self.passOver(sample, &passing) }
    guard passing.line > passed else {
      throw ImportError(
        kind: .emptyFile,
        message:
          "\(buffer.name) has only \(counted(passing.line - 1, "line")), expected a table from line \(passed + 1) on",
        hint: "--header N (header = N in a script) names the line with the names of the columns")
    }
    let rest = UnsafeRawBufferPointer(rebasing: sample[passing.offset...])
    // The cuts by several separators have many cells in common.
    var known: [String: Bool] = [:]
    let shape = TableShape(rest, isWhole: buffer.isAtEnd, separator: given, isSheet: buffer.isSheet) { name in
      if let isName = known[name] { return isName }
      let isName = ColumnNames.isUsual(name) || source.columns.contains(ColumnNames.plain(name))
      known[name] = isName
      return isName
    }
    separator = shape?.separator ?? given ?? ","
    guard let shape, source.header == nil else {
      header = source.header ?? .line(passing.line)
      names = header == .none ? TableShape.names(shape?.width ?? 1) : nil
      (offset, line, reason, doubt) = (passing.offset, passing.line, nil, nil)
      return
    }
    offset = passing.offset + shape.offset
    reason = shape.reason
    doubt = shape.isSure ? nil : Self.doubt(shape, above: passed)
    switch shape.header {
    case .line(let number): (header, line, names) = (.line(number + passed), number + passed, nil)
    case .none: (header, line, names) = (.none, (shape.rows.first?.line ?? 1) + passed, shape.names)
    }
  }

  /// In words, if the header is not the first line: `header in line 7`.
  var note: String? {
    switch header {
    case .line(let number): number > 1 ? "header in line \(number)" : nil
    case .none: "no header"
    }
  }

  private static func doubt(_ shape: TableShape, above: Int) -> ReadingDoubt? {
    // A single column has its own doubts, which depend on its name.
    guard shape.width > 1, let first = shape.above.first ?? shape.rows.first else { return nil }
    var (number, cells) = (first.line + above, first.cells)
    if case .line(let header) = shape.header { (number, cells) = (header + above, shape.names) }
    return ReadingDoubt(
      "line \(number) may have the names of the columns, or values: \(cells.joined(separator: ", ").clipped(to: 60))",
      "--header \(number) (header = \(number) in a script) if it has the names",
      "--header none (header = \"none\" in a script) if the first row is a task")
  }

  /// Moves behind the next line.
  private static func passOver(_ sample: UnsafeRawBufferPointer, _ place: inout (offset: Int, line: Int)) {
    guard let end = sample[place.offset...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
      place.offset = sample.count
      return
    }
    let isPair = sample[end] == 0x0D && end + 1 < sample.count && sample[end + 1] == 0x0A
    place = (end + (isPair ? 2 : 1), place.line + 1)
  }
}
