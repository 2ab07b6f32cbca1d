package import Archives
import Core
package import Files
import Markup

/// A file of a spreadsheet program: Office Open XML (ECMA-376, `.xlsx`) or OpenDocument (ISO 26300, `.ods`).
package struct Workbook: Sendable {
  package struct Sheet: Sendable, Equatable {
    package let name: String
    package let isHidden: Bool
    /// The entry of the archive with its cells.
    let part: String
  }

  enum Kind: Sendable { case officeOpenXML, openDocument }

  /// In the order of the tabs.
  package let sheets: [Sheet]
  let kind: Kind
  private let file: OpenFile
  private let range: Range<Int>
  private let strings: SharedStrings
  private let formats: NumberFormats

  /// The most bytes of a part that is read as a whole.
  private static let mostBytes = 16 << 20
  /// More sheets than this are not looked at when nobody names one.
  private static let mostSheets = 256

  /// True for the entries of an archive that is a workbook.
  package static func isWorkbook(_ entries: [ArchiveEntry]) -> Bool { kind(of: entries.map(\.name)) != nil }

  private static func kind(of names: [String]) -> Kind? {
    if names.contains(where: { $0.hasSuffix("workbook.xml") && $0.hasPrefix("xl/") }) { return .officeOpenXML }
    return names.contains("content.xml") && names.contains("mimetype") ? .openDocument : nil
  }

  /// Reads the names of the sheets, the shared texts and the formats.
  /// - Parameter range: the bytes of the file that are the archive.
  package init(_ file: OpenFile, _ range: Range<Int>) throws(WorkbookError) {
    (self.file, self.range) = (file, range)
    let entries = try Self.entries(file, range)
    guard let kind = Self.kind(of: entries.map(\.name)) else { throw .damaged("it has no part with the sheets") }
    self.kind = kind
    if kind == .openDocument {
      (strings, formats) = (SharedStrings(), NumberFormats())
      sheets = try OpenDocumentNames.read { stream throws(WorkbookError) in
        try Self.feed(file, range, "content.xml", to: stream)
      }
    } else {
      let parts = try OfficeParts(names: Set(entries.map(\.name))) { name throws(WorkbookError) in
        try Self.element(file, range, name)
      }
      let strings = SharedStrings()
      if let part = parts.strings {
        let stream = try WorkbookError.wrapping { () throws(MarkupError) in try XMLStream(strings) }
        try Self.feed(file, range, part, to: stream) { strings.isFull }
        if strings.isFull {
          throw WorkbookError(.tooLarge, "its texts have more than \(SharedStrings.mostBytes >> 20) MiB")
        }
      }
      self.strings = strings
      formats = parts.formats
      sheets = parts.sheets
    }
    if sheets.isEmpty { throw WorkbookError(.empty, "the workbook has no sheet") }
  }

  /// The rows of a sheet as CSV.
  package func text(of sheet: Sheet) throws(WorkbookError) -> SheetText {
    let archive = try Self.archive(file, range)
    try WorkbookError.wrapping { () throws(ArchiveError) in try archive.find(sheet.part) }
    let rows = SheetRows(sheet: sheet.name, most: ArchiveReader.mostBytes(of: range.count))
    let handler: any XMLStream.Handler =
      kind == .officeOpenXML
      ? OfficeSheet(rows, strings, formats) : OpenDocumentSheet(rows, table: sheet.name)
    let stream = try WorkbookError.wrapping { () throws(MarkupError) in try XMLStream(handler) }
    return SheetText(archive, stream, rows)
  }

  /// The sheet with that name, in any letter case, or with that number, counting from 1.
  package func sheet(named name: String) throws(WorkbookError) -> Sheet {
    if let sheet = sheets.first(where: { $0.name == name }) { return sheet }
    let similar = sheets.filter { $0.name.lowercased() == name.lowercased() }
    if similar.count == 1 { return similar[0] }
    if let number = Int(name), sheets.indices.contains(number - 1) { return sheets[number - 1] }
    throw WorkbookError(
      .missingSheet,
      "it has no sheet \"\(name)\": its sheets are \(sheets.map { "\"\($0.name)\"" }.joined(separator: ", "))",
      hint: nearestName(to: name, in: sheets.map(\.name)).map { "did you mean \"\($0)\"?" })
  }

  /// The visible sheets among the first ones that have a table: a row with two cells, or two rows.
  package func tables() throws(WorkbookError) -> [Sheet] {
    var found: [Sheet] = []
    for sheet in sheets.prefix(Self.mostSheets) where !sheet.isHidden {
      if try text(of: sheet).hasTable() { found.append(sheet) }
    }
    return found
  }

  private static func archive(_ file: OpenFile, _ range: Range<Int>) throws(WorkbookError) -> ArchiveReader {
    try WorkbookError.wrapping { () throws(ArchiveError) in try ArchiveReader(file, range, .zip) }
  }

  private static func entries(_ file: OpenFile, _ range: Range<Int>) throws(WorkbookError) -> [ArchiveEntry] {
    let archive = try archive(file, range)
    return try WorkbookError.wrapping { () throws(ArchiveError) in
      var entries: [ArchiveEntry] = []
      while let entry = try archive.next() { entries.append(entry) }
      return entries
    }
  }

  private static func element(_ file: OpenFile, _ range: Range<Int>, _ part: String) throws(WorkbookError) -> XMLElement
  {
    let archive = try archive(file, range)
    let bytes = try WorkbookError.wrapping { () throws(ArchiveError) in
      try archive.find(part)
      return try archive.contents(limit: mostBytes)
    }
    return try WorkbookError.wrapping(part) { () throws(MarkupError) in try XMLElement(parsing: bytes) }
  }

  /// Parses a part until its end, or until `isEnough`.
  private static func feed(
    _ file: OpenFile, _ range: Range<Int>, _ part: String, to stream: XMLStream, until isEnough: () -> Bool = { false }
  ) throws(WorkbookError) {
    let archive = try archive(file, range)
    try WorkbookError.wrapping { () throws(ArchiveError) in try archive.find(part) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { piece.deallocate() }
    while !isEnough() {
      let count = try WorkbookError.wrapping { () throws(ArchiveError) in try archive.read(into: piece) }
      try WorkbookError.wrapping(part) { () throws(MarkupError) in
        if count > 0 { try stream.add(UnsafeRawBufferPointer(rebasing: piece[..<count])) } else { try stream.finish() }
      }
      if count == 0 { return }
    }
  }
}

extension WorkbookError {
  static func damaged(_ reason: String) -> WorkbookError {
    WorkbookError(
      .damaged, "the workbook is damaged: \(reason)", hint: "open it in a spreadsheet program and save it again")
  }

  static func wrapping<T>(_ body: () throws(ArchiveError) -> T) throws(WorkbookError) -> T {
    do { return try body() } catch {
      let kind: WorkbookProblem =
        switch error.kind {
        case .encrypted: .encrypted
        case .libraryMissing: .libraryMissing
        case .tooLarge: .tooLarge
        case .damaged, .missingEntry: .damaged
        }
      throw WorkbookError(kind, error.message, hint: error.hint)
    }
  }

  static func wrapping<T>(_ part: String = "", _ body: () throws(MarkupError) -> T) throws(WorkbookError) -> T {
    do { return try body() } catch {
      if error.kind == .libraryMissing { throw WorkbookError(.libraryMissing, error.message, hint: error.hint) }
      let place = part.isEmpty ? "" : "\(part)\(error.line.map { ":\($0)" } ?? ""): "
      throw .damaged(place + error.message)
    }
  }
}
