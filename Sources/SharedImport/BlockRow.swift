import ImportFormats
import JSON
import TaskAPI

/// A row of a block: everything that any machine needs to send it and to report its failure.
package struct BlockRow: Sendable {
  var number: Int
  var line: Int?
  var fingerprint: UInt64
  /// Nil for a row that is settled before it is sent: skipped, or no task.
  var draft: TaskDraft?
  /// The row as it is in the source, as JSON.
  var original: String?

  var record: SourceRecord {
    SourceRecord(number: number, line: line, content: content, fingerprint: fingerprint)
  }

  private var content: SourceRecord.Content { original.map { .encoded($0) } ?? .opaque }
}

/// The rows of a block as bytes, compressed by the caller.
enum BlockPayload {
  /// The first byte: the form of the others.
  private static let form: UInt8 = 1
  /// Two numbers, a fingerprint, the mark of a draft, and a text.
  private static let smallestRow = 12

  static func encode(_ rows: [BlockRow]) -> [UInt8] {
    var bytes = ByteWriter()
    bytes.add(form)
    bytes.add(number: rows.count)
    for row in rows {
      bytes.add(number: row.number)
      bytes.add(number: (row.line ?? -1) + 1)
      bytes.add(fixed: row.fingerprint)
      // 0 is no draft, 1 a draft, and 2 a draft with fields that could not be read whole.
      bytes.add(row.draft.map { $0.unread.isEmpty ? 1 : 2 } ?? 0)
      if let draft = row.draft {
        bytes.add(text: draft.text)
        var fields = draft.fields
        fields[TaskDraft.listIDName] = draft.listID.map { .string($0) }
        bytes.add(text: fields.isEmpty ? "" : JSON.object(fields).encoded())
        if !draft.unread.isEmpty { bytes.add(text: JSON.object(draft.unread.mapValues { .string($0) }).encoded()) }
      }
      bytes.add(text: row.original ?? "")
    }
    return bytes.bytes
  }

  /// True if the rows have successive numbers from this one.
  static func begins(_ rows: [BlockRow], at first: Int) -> Bool {
    rows.enumerated().allSatisfy { $0.element.number.subtractingReportingOverflow(first) == ($0.offset, false) }
  }

  /// Nil for bytes of another form, or of another number of rows.
  static func decode(_ bytes: [UInt8], count: Int) -> [BlockRow]? {
    var reader = ByteReader(bytes)
    guard reader.byte() == form, reader.number() == count, count <= bytes.count / smallestRow else { return nil }
    var rows: [BlockRow] = []
    rows.reserveCapacity(count)
    for _ in 0..<count {
      guard let number = reader.number(), let line = reader.number(), let fingerprint = reader.fixed(),
        let hasDraft = reader.byte()
      else { return nil }
      var row = BlockRow(number: number, line: line == 0 ? nil : line - 1, fingerprint: fingerprint)
      if hasDraft == 1 || hasDraft == 2 {
        guard let text = reader.text(), let fields = reader.text() else { return nil }
        var draft = TaskDraft(text: text)
        if !fields.isEmpty {
          guard let object = (try? JSON(parsing: fields))?.object else { return nil }
          draft.fields = object
          draft.takeListID()
        }
        if hasDraft == 2 {
          guard let unread = reader.text().flatMap({ try? JSON(parsing: $0) })?.object else { return nil }
          draft.unread = unread.compactMapValues(\.string)
        }
        row.draft = draft
      }
      guard let original = reader.text() else { return nil }
      row.original = original.isEmpty ? nil : original
      rows.append(row)
    }
    return reader.isAtEnd ? rows : nil
  }
}

/// Writes numbers as in LEB128 and texts with their length.
private struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ byte: UInt8) { bytes.append(byte) }

  mutating func add(number: Int) {
    var rest = UInt64(number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func add(fixed: UInt64) { withUnsafeBytes(of: fixed.littleEndian) { bytes.append(contentsOf: $0) } }

  mutating func add(text: String) {
    var text = text
    text.withUTF8 {
      add(number: $0.count)
      bytes.append(contentsOf: $0)
    }
  }
}

private struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// Nil for a number that `Int` does not hold.
  mutating func number() -> Int? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard let byte = byte() else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return Int(exactly: value) }
    }
    return nil
  }

  mutating func fixed() -> UInt64? {
    guard bytes.count - position >= 8 else { return nil }
    defer { position += 8 }
    return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self)) }
  }

  mutating func text() -> String? {
    guard let count = number(), count <= bytes.count - position else { return nil }
    defer { position += count }
    return String(decoding: bytes[position..<position + count], as: UTF8.self)
  }
}
