import TableReading

/// The place where the rows of a table begin: behind the lines above its header.
struct TableStart {
  var separator: Character
  /// The bytes and the lines before the header, or before the first row of a table without one.
  var offset = 0
  var line = 1
  /// The names of the columns of a table without a header; nil to read them.
  var names: [String]?
  /// In words, if it is not the first line: `header in line 7`.
  var note: String?

  private static let sampleSize = 64 << 10

  /// - Parameters:
  ///   - separator: nil to find it.
  ///   - header: nil to find it: it is the first line, unless a later line in the beginning has the names of columns.
  ///   - skipped: the lines to pass over before.
  init(_ buffer: FileBuffer, separator given: Character?, header: TableShape.Header?, skipping skipped: Int)
    throws(ImportError)
  {
    if let given { separator = given } else { separator = try SeparatorSniffer.separator(of: buffer) }
    let sample = try buffer.sample(Self.sampleSize)
    switch header {
    case .line(let number)?:
      try passOver(number - 1, sample, buffer)
      note = number > 1 ? "header in line \(number)" : nil
    case .none?:
      try passOver(skipped, sample, buffer)
      let rest = UnsafeRawBufferPointer(rebasing: sample[offset...])
      let shape = TableShape(rest, isWhole: buffer.isAtEnd, separator: separator) { _ in false }
      names = (0..<max(1, shape?.names.count ?? 1)).map { "Column \($0 + 1)" }
      note = "no header"
    case nil:
      try passOver(skipped, sample, buffer)
      if skipped == 0 { find(sample, isWhole: buffer.isAtEnd, given) }
    }
  }

  /// Moves to a later line with the names of columns, if the first line has none that tells the text.
  private mutating func find(_ sample: UnsafeRawBufferPointer, isWhole: Bool, _ given: Character?) {
    let end = sample.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? sample.count
    let names = String(decoding: UnsafeRawBufferPointer(rebasing: sample[..<end]), as: UTF8.self).split(
      separator: separator)
    if names.contains(where: { Self.isTextName(ColumnNames.bare(String($0))) }) { return }
    // Another separator may suit the rows below.
    let shape = TableShape(sample, isWhole: isWhole, separator: given, isName: Self.isName)
    guard let shape, shape.isSure, shape.offset > 0, case .line(let number) = shape.header,
      shape.names.contains(where: Self.isTextName)
    else { return }
    separator = shape.separator
    (offset, line) = (shape.offset, number)
    note = "header in line \(number)"
  }

  private mutating func passOver(
    _ lines: Int, _ sample: UnsafeRawBufferPointer, _ buffer: FileBuffer
  ) throws(ImportError) {
    for _ in 0..<max(0, lines) {
      guard let end = sample[offset...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
        throw ImportError(kind: .emptyFile, message: "\(buffer.name) has only \(line) lines in its beginning")
      }
      let isPair = sample[end] == 0x0D && end + 1 < sample.count && sample[end + 1] == 0x0A
      offset = end + (isPair ? 2 : 1)
      line += 1
    }
  }

  private static func isTextName(_ name: String) -> Bool {
    ColumnNames.isText(name) || ColumnNames.isHeading(name) || name == JSONRecord.failureName
  }

  private static func isName(_ name: String) -> Bool {
    isTextName(name) || FieldNames.usualField(ColumnNames.plain(name)) != nil || ForeignNames.field(of: name) != nil
  }
}
