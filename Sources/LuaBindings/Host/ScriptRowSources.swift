import HostLoop
import JSON
import Lua
import TaskAPI
import TaskImport

/// The rows of a file, from which a function of the script makes tasks.
@HostActor
final class MappedRowSource: RowSource {
  private let reader: any RecordReader
  private let map: LuaFunction
  private let json: JSONMarshal
  private let state: LuaState
  private var rows: LuaRows?

  init(_ reader: any RecordReader, map: LuaFunction, _ json: JSONMarshal, _ state: LuaState) {
    self.reader = reader
    self.map = map
    self.json = json
    self.state = state
  }

  var bytesRead: Int { reader.bytesRead }
  var totalBytes: Int? { reader.totalBytes }

  var draftsDependOnEarlier: Bool { true }

  func next() async throws -> SourceRecord? { try reader.next() }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    let row: LuaValue
    switch record.content {
    case .row(let fields): row = rowTables(fields.header).table(fields)
    case .value(let value): row = json.value(value)
    case .malformed(let code, let reason, let fields):
      return .unusable(code: code, reason: reason, text: fields.joined(separator: " "))
    case .opaque: row = .nil
    }
    let result = try await map.call([row, .integer(Int64(record.number))]).first ?? .nil
    return try json.rowDraft(result, for: "tasks.import: map, row \(record.number)")
  }

  private func rowTables(_ header: CSVHeader) -> LuaRows {
    if let rows { return rows }
    let made = LuaRows(header, state)
    rows = made
    return made
  }
}

/// Rows from a Lua function that returns the next one, then nil.
@HostActor
final class IteratorRowSource: RowSource {
  private let iterator: LuaFunction
  private let map: LuaFunction?
  private let json: JSONMarshal
  private let isKnownAgain: Bool
  private var number = 0
  private var last = LuaValue.nil
  /// A generator must not be called again after its end.
  private var hasEnded = false

  /// - Parameter isKnownAgain: true if a later run has to recognize its rows. Then JSON has to be able to hold them.
  init(_ iterator: LuaFunction, map: LuaFunction?, _ json: JSONMarshal, isKnownAgain: Bool) {
    self.iterator = iterator
    self.map = map
    self.json = json
    self.isKnownAgain = isKnownAgain
  }

  var draftsDependOnEarlier: Bool { map != nil }

  var bytesRead: Int { 0 }
  var totalBytes: Int? { nil }

  func next() async throws -> SourceRecord? {
    guard !hasEnded else { return nil }
    guard let value = try await iterator.call().first, !value.isNil else {
      hasEnded = true
      return nil
    }
    number += 1
    last = value
    guard isKnownAgain else { return SourceRecord(number: number, content: .opaque, fingerprint: 0) }
    let content = try json.json(value, at: "tasks.import: row \(number)").encoded()
    return SourceRecord(number: number, content: .opaque, fingerprint: StableHash.of(content))
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    var value = last
    last = .nil
    if let map { value = try await map.call([value, .integer(Int64(number))]).first ?? .nil }
    return try json.rowDraft(value, for: "tasks.import: row \(number)")
  }
}
