import Files
import TaskAPI

@testable import Archives
@testable import ImportFormats
@testable import Workbooks

extension FuzzTarget {
  /// Archives: their entries, and the lists in them.
  static let zip = FuzzTarget("zip") { input in
    let file = try memory(input.bytes)
    let archive = try ArchiveReader(file, 0..<input.bytes.count, .zip)
    while try archive.next() != nil { _ = try? archive.contents(limit: 1 << 20) }
  }

  /// Workbooks. The parts of the input, which end with the byte 0x00, are the workbook, its first sheet, its texts and its styles; the
  /// archive around them is made here, because its checksums would stop nearly every other input.
  static let xlsx = FuzzTarget("xlsx") { input in
    var input = input
    let names = ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"]
    var parts = [
      ("[Content_Types].xml", Array("<Types/>".utf8)), ("xl/_rels/workbook.xml.rels", Array(relations.utf8)),
    ]
    for name in names { parts.append((name, input.part(until: 0).bytes)) }
    let bytes = StoredArchive.bytes(parts)
    let file = try memory(bytes)
    let book = try Workbook(file, 0..<bytes.count)
    for sheet in book.sheets.prefix(4) {
      let text = try book.text(of: sheet)
      var piece = [UInt8](repeating: 0, count: 4096)
      // A few bytes can be very many empty rows.
      for _ in 0..<256 {
        let count = try piece.withUnsafeMutableBytes { try text.read(into: $0) }
        if count == 0 { break }
      }
      for fault in text.takeFaults() {
        precondition(!fault.reason.isEmpty, "a fault of row \(fault.row) without a reason")
      }
    }
  }

  /// The beginning of a file decides how all of it is read: each row is a task, is skipped, or has a reason. The first byte selects
  /// the name of the file.
  static let recognition = FuzzTarget("recognition") { input in
    var input = input
    let names = ["a.csv", "a.tsv", "a.txt", "a.json", "a.ndjson", "a", "a.zip", "a.xlsx"]
    let name = names[Int(input.byte()) % names.count]
    let file = try memory(input.bytes)
    let reading = try RecordReaders.read(SourceFile(name) { _ in file })
    let source = try FileRowSource(reading, mapping: nil)
    for doubt in source.doubts {
      precondition(!doubt.finding.isEmpty && !doubt.remedies.isEmpty, "a doubt without a way out")
    }
    while let record = try await source.next() {
      switch try await source.draft(of: record) {
      case .task(let draft): precondition(!draft.text.isBlank, "a task without a text")
      case .skipped: break
      case .unusable(_, let reason, _): precondition(!reason.isEmpty, "row \(record.number) fails without a reason")
      }
    }
  }

  private static let relations = """
    <Relationships>
    <Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>
    <Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/>
    <Relationship Id="r3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>
    </Relationships>
    """
}

/// A zip archive whose entries are stored as they are.
private enum StoredArchive {
  static func bytes(_ entries: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for (name, bytes) in entries {
      let size = number(bytes.count, 4)
      let sizes = number(Int(checksum(bytes)), 4) + size + size
      let common = number(20, 2) + number(0, 8) + sizes + number(name.utf8.count, 2) + number(0, 2)
      directory +=
        [0x50, 0x4B, 1, 2] + number(20, 2) + common + number(0, 10) + number(archive.count, 4) + Array(name.utf8)
      archive += [0x50, 0x4B, 3, 4] + common + Array(name.utf8) + bytes
    }
    let counts = number(entries.count, 2) + number(entries.count, 2)
    let end =
      [0x50, 0x4B, 5, 6] + number(0, 4) + counts + number(directory.count, 4) + number(archive.count, 4) + number(0, 2)
    return archive + directory + end
  }

  /// The low bytes of a number, the lowest first.
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }

  /// CRC-32 (ISO 3309).
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
  }
}
