import Archives
import Core
import Encodings
import Files
import Workbooks

/// The text with the rows inside of an archive or a workbook.
protocol ContainedText: AnyObject {
  /// Its name in the file, by which its format is known; nil if it has none.
  var name: String? { get }
  /// The file in words, such as `zip, "Inbox.csv"`.
  var summary: String { get }
  /// True for the rows of a sheet: each is one line, and empty cells at the end are left out.
  var isSheet: Bool { get }
  /// The names of the other sheets with rows, if nobody has named a sheet.
  var otherSheets: [String] { get }
  /// The bytes of the file that were read so far.
  var position: Int { get }
  /// Reads the next bytes; 0 at the end.
  func read(into target: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int
  /// The lines up to those that were read that cannot be used; each is returned once.
  func takeFaults() -> [LineFault]
}

/// Opens the text inside of a file that is an archive or a workbook.
enum Containers {
  /// The kind of a container, by the beginning of its file.
  enum Kind {
    case zip, bzip2, xz

    init?(_ bytes: some Collection<UInt8>) {
      if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
        self = .zip
      } else if bytes.starts(with: Array("BZh".utf8)), bytes.count > 3,
        (0x31...0x39).contains(bytes[bytes.index(bytes.startIndex, offsetBy: 3)])
      {
        self = .bzip2
      } else if bytes.starts(with: [0xFD, 0x37, 0x7A, 0x58]) {
        self = .xz
      } else {
        return nil
      }
    }
  }

  /// - Parameters:
  ///   - range: the bytes of the file.
  ///   - part: the entry or the sheet with the rows; nil to take the only one.
  ///   - book: the file as a workbook, if it was opened already.
  static func open(
    _ kind: Kind, _ file: OpenFile, _ range: Range<Int>, part: String?, book: Workbook? = nil
  ) throws(FileProblem) -> any ContainedText {
    if let book {
      return try FileProblem.workbook { () throws(WorkbookError) in try SheetRowsText(book, part) }
    }
    switch kind {
    case .bzip2, .xz:
      return try FileProblem.archive { () throws(ArchiveError) in
        try PackedText(ArchiveReader(file, range, .packed), kind == .xz ? "xz" : "bzip2")
      }
    case .zip:
      let entries = try FileProblem.archive { () throws(ArchiveError) in try Self.entries(file, range) }
      if Workbook.isWorkbook(entries) {
        return try FileProblem.workbook { () throws(WorkbookError) in try SheetRowsText(Workbook(file, range), part) }
      }
      return try archived(entries, file, range, part)
    }
  }

  /// The parts of a file that is an archive or a workbook.
  struct Parts {
    var names: [String]
    /// Nil for an archive.
    var book: Workbook?
    /// The entries that may be lists.
    var lists: [String]
  }

  static func parts(_ file: OpenFile, size: Int) throws(FileProblem) -> Parts {
    let entries = try FileProblem.archive { () throws(ArchiveError) in try Self.entries(file, 0..<size) }
    guard Workbook.isWorkbook(entries) else {
      let names = entries.map(\.name)
      return Parts(names: names, lists: candidates(names))
    }
    let book = try FileProblem.workbook { () throws(WorkbookError) in try Workbook(file, 0..<size) }
    let sheets = book.sheets.map(\.name)
    return Parts(names: sheets, book: book, lists: sheets)
  }

  private static func entries(_ file: OpenFile, _ range: Range<Int>) throws(ArchiveError) -> [ArchiveEntry] {
    let archive = try ArchiveReader(file, range, .zip)
    var entries: [ArchiveEntry] = []
    while let entry = try archive.next() { entries.append(entry) }
    return entries
  }

  /// The entry with the rows: the one that was named, or the only one that may be a list.
  private static func archived(
    _ entries: [ArchiveEntry], _ file: OpenFile, _ range: Range<Int>, _ part: String?
  ) throws(FileProblem) -> any ContainedText {
    let lists = candidates(entries.map(\.name))
    let name = part ?? (lists.count == 1 ? lists[0] : nil)
    guard let name else {
      guard lists.isEmpty else { throw .severalParts("lists", lists) }
      throw FileProblem(
        kind: .notText, message: "is a zip archive without a list of tasks: it has \(shown(entries.map(\.name)))",
        hint: "name the entry with the list: FILE.zip:NAME")
    }
    guard entries.contains(where: { $0.name == name }) else {
      throw FileProblem(
        kind: .fileNotFound, message: "has no entry \"\(name.displayable)\": it has \(shown(entries.map(\.name)))",
        hint: nearestName(to: name, in: entries.map(\.name)).map { "did you mean \"\($0)\"?" })
    }
    return try FileProblem.archive { () throws(ArchiveError) in
      let archive = try ArchiveReader(file, range, .zip)
      try archive.find(name)
      return PackedText(archive, "zip, \"\(name.displayable)\"", name)
    }
  }

  /// The names of entries that may be lists. Of two exports of one list, Notion's, the one with all rows counts.
  private static func candidates(_ names: [String]) -> [String] {
    let lists = names.filter { name in
      !name.hasPrefix("__MACOSX/") && !name.split(separator: "/").contains { $0.hasPrefix(".") && $0 != ".." }
        && SourceFormat(path: name) != nil
    }
    return lists.filter { name in
      guard let dot = name.lastIndex(of: ".") else { return true }
      return !lists.contains("\(name[..<dot])_all\(name[dot...])")
    }
  }

  static func shown(_ names: [String]) -> String {
    let most = 8
    let more = names.count > most ? " and \(names.count - most) more" : ""
    return names.isEmpty ? "nothing" : names.prefix(most).map(\.displayable).quotedList + more
  }
}

/// An entry of an archive, or a packed file.
private final class PackedText: ContainedText {
  let name: String?
  let summary: String
  var isSheet: Bool { false }
  var otherSheets: [String] { [] }
  private let archive: ArchiveReader

  init(_ archive: ArchiveReader, _ summary: String, _ name: String) {
    (self.archive, self.summary, self.name) = (archive, summary, name)
  }

  /// A file that is packed alone.
  init(_ archive: ArchiveReader, _ summary: String) throws(ArchiveError) {
    (self.archive, self.summary, name) = (archive, summary, nil)
    guard try archive.next() != nil else { throw ArchiveError(.damaged, "there is nothing in it") }
  }

  var position: Int { archive.position }

  func read(into target: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    try FileProblem.archive { () throws(ArchiveError) in try archive.read(into: target) }
  }

  func takeFaults() -> [LineFault] { [] }
}

/// A sheet of a workbook.
private final class SheetRowsText: ContainedText {
  var name: String? { "sheet.csv" }
  let summary: String
  var isSheet: Bool { true }
  let otherSheets: [String]
  private let text: SheetText

  init(_ book: Workbook, _ part: String?) throws(WorkbookError) {
    let sheet: Workbook.Sheet
    var others: [Workbook.Sheet] = []
    if let part {
      sheet = try book.sheet(named: part)
    } else {
      let tables = try book.tables()
      guard let first = tables.first ?? book.sheets.first else {
        throw WorkbookError(.empty, "the workbook has no sheet")
      }
      sheet = first
      others = Array(tables.dropFirst())
    }
    otherSheets = others.map(\.name)
    let more = others.isEmpty ? "" : " (others with rows: \(otherSheets.map(\.displayable).quotedList))"
    summary = "the sheet \"\(sheet.name.displayable)\"\(more)"
    text = try book.text(of: sheet)
  }

  var position: Int { text.position }

  func read(into target: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    try FileProblem.workbook { () throws(WorkbookError) in try text.read(into: target) }
  }

  func takeFaults() -> [LineFault] { text.takeFaults().map { LineFault(line: $0.row, reason: $0.reason) } }
}

extension FileProblem {
  static func severalParts(_ noun: String, _ names: [String]) -> FileProblem {
    FileProblem(
      kind: .doubtful, message: "has \(names.count) \(noun): \(Containers.shown(names))",
      hint: "name one of them: FILE.zip:\(names[0].displayable)")
  }

  static func memory<T>(_ body: () throws(FileFailure) -> T) throws(FileProblem) -> T {
    do { return try body() } catch {
      throw FileProblem(kind: .unreadable, message: "cannot be kept in memory: \(error.reason)")
    }
  }

  static func archive<T>(_ body: () throws(ArchiveError) -> T) throws(FileProblem) -> T {
    do { return try body() } catch {
      throw FileProblem(
        kind: error.kind == .encrypted ? .notText : .damagedFile, message: error.message, hint: error.hint, place: .file
      )
    }
  }

  static func workbook<T>(_ body: () throws(WorkbookError) -> T) throws(FileProblem) -> T {
    do { return try body() } catch {
      let kind: ImportError.Kind =
        switch error.kind {
        case .missingSheet: .fileNotFound
        case .empty: .emptyFile
        case .encrypted: .notText
        case .damaged, .tooLarge, .libraryMissing: .damagedFile
        }
      throw FileProblem(kind: kind, message: error.message, hint: error.hint, place: .file)
    }
  }
}
