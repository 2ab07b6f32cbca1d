import Core

/// The beginning of a file, by which formats recognize their files.
package struct FormatHead: Sendable {
  /// A line that may have the names of the columns of a table.
  private struct Line: Sendable {
    let number: Int
    let separator: Character
    let names: [String]
    let known: Set<String>
  }

  /// The beginning of the file, or of a sheet of a workbook.
  private struct Page: Sendable {
    let part: String?
    let lines: [Line]
  }

  /// The last part of the path.
  package let name: String
  /// The entries of a zip archive, or the sheets of a workbook; empty for another file.
  package private(set) var entries: [String] = []
  package private(set) var isWorkbook = false
  /// True for an archive with several lists, of which this is the first one.
  package private(set) var hasSeveralLists = false
  /// The first text of the file; empty for an archive without a list.
  package private(set) var text = ""
  package private(set) var outline: JSONOutline?
  /// The doubt about the encoding of the text.
  package private(set) var encodingDoubt: ReadingDoubt?
  private var pages: [Page] = []

  private static let textSize = 64 << 10
  /// JSON documents may have their marks behind other members.
  private static let outlineSize = 1 << 20
  /// No app writes more lines above the names of its columns, and no more sheets before its own.
  private static let mostLines = 40
  private static let mostSheets = 8
  /// No app has so many columns.
  private static let mostNames = 20_000

  /// Throws as reading the file does.
  package init(_ source: SourceFile) throws(ImportError) {
    name = source.path.lastName
    if let parts = try source.parts() {
      (entries, isWorkbook) = (parts.names, parts.book != nil)
      if isWorkbook {
        var source = source
        source.book = parts.book
        let sheets = source.part.map { [$0] } ?? Array(entries.prefix(Self.mostSheets))
        for sheet in sheets { try read(source, sheet) }
        return
      }
      hasSeveralLists = parts.lists.count > 1 && source.part == nil
      if let list = source.part ?? parts.lists.first { try read(source, list) }
      return
    }
    try read(source, source.part)
  }

  private mutating func read(_ source: SourceFile, _ part: String?) throws(ImportError) {
    var source = source
    source.part = part
    source.rewind()
    let buffer = try FileBuffer(source)
    let sample = UnsafeRawBufferPointer(rebasing: try buffer.sample(Self.textSize).prefix(Self.textSize))
    encodingDoubt = encodingDoubt ?? buffer.encodingDoubt
    if text.isEmpty { text = String(decoding: sample, as: UTF8.self) }
    pages.append(Page(part: isWorkbook ? part : nil, lines: Self.lines(sample)))
    if let first = JSONOutline(sample) {
      outline = sample.count < Self.textSize ? first : JSONOutline(try buffer.sample(Self.outlineSize)) ?? first
    }
  }

  private static func lines(_ sample: UnsafeRawBufferPointer) -> [Line] {
    var lines: [Line] = []
    var start = 0
    var number = 1
    var names = 0
    while start < sample.count, number <= mostLines, names < mostNames {
      let end = sample[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? sample.count
      let found = Self.lines(
        String(decoding: UnsafeRawBufferPointer(rebasing: sample[start..<end]), as: UTF8.self), number)
      lines += found
      names += found.reduce(0) { $0 + $1.names.count }
      let isPair = end + 1 < sample.count && sample[end] == 0x0D && sample[end + 1] == 0x0A
      start = end + (isPair ? 2 : 1)
      number += 1
    }
    return lines
  }

  /// The line by each separator that it has.
  private static func lines(_ text: String, _ number: Int) -> [Line] {
    ([",", ";", "\t", "|"] as [Character]).compactMap { separator in
      guard text.contains(separator) else { return nil }
      let names = text.split(separator: separator, omittingEmptySubsequences: false).map {
        ColumnNames.visible($0.filter { $0 != "\"" })
      }
      return Line(number: number, separator: separator, names: names, known: Set(names.map { $0.lowercased() }))
    }
  }

  /// The first line with these names of columns, in any letter case.
  package func header(with names: [String]) -> FormatMatch? {
    let wanted = names.map { $0.lowercased() }
    for page in pages {
      guard let line = page.lines.first(where: { $0.known.isSuperset(of: wanted) }) else { continue }
      var match = FormatMatch()
      (match.part, match.header, match.separator) = (page.part, line.number, line.separator)
      return match
    }
    return nil
  }

  /// The names of the columns: of the widest of the first lines, the first one.
  package var columns: [String] {
    let lines = pages.flatMap(\.lines)
    let most = lines.map(\.names.count).max() ?? 0
    return lines.first { $0.names.count == most }?.names ?? []
  }
}
