import HostLoop
import JSON
import Lua
import TaskAPI
import TaskImport

/// Rows of a file, of which a function of the script's makes tasks.
@HostActor
final class MappedRowSource: RowSource {
  private let reader: any RecordReader
  private let map: LuaFunction
  private let host: ScriptHost
  private var rows: LuaRows?

  init(_ reader: any RecordReader, map: LuaFunction, _ host: ScriptHost) {
    self.reader = reader
    self.map = map
    self.host = host
  }

  var bytesRead: Int { reader.bytesRead }
  var totalBytes: Int? { reader.totalBytes }

  var draftsDependOnEarlier: Bool { true }

  func next() async throws -> SourceRecord? { try reader.next() }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    let row: LuaValue
    switch record.content {
    case .row(let fields): row = rowTables(fields.header).table(fields)
    case .value(let value): row = host.json.value(value)
    case .malformed(let code, let reason, let fields):
      return .unusable(code: code, reason: reason, text: fields.joined(separator: " "))
    case .opaque: row = .nil
    }
    let result = try await map.call([row, .integer(Int64(record.number))]).first ?? .nil
    return try host.rowDraft(result, for: "tasks.import: map, row \(record.number)")
  }

  private func rowTables(_ header: CSVHeader) -> LuaRows {
    if let rows { return rows }
    let made = LuaRows(header, host.state)
    rows = made
    return made
  }
}

/// Rows from a Lua function that returns the next one, then nil.
@HostActor
final class IteratorRowSource: RowSource {
  private let iterator: LuaFunction
  private let map: LuaFunction?
  private let host: ScriptHost
  private let isKnownAgain: Bool
  private var number = 0
  private var last = LuaValue.nil
  /// A generator must not be called again after its end.
  private var hasEnded = false

  /// - Parameter isKnownAgain: whether a later run is to recognize its rows, which then have to be what JSON can say.
  init(_ iterator: LuaFunction, map: LuaFunction?, _ host: ScriptHost, isKnownAgain: Bool) {
    self.iterator = iterator
    self.map = map
    self.host = host
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
    let content = try host.json.json(value, at: "tasks.import: row \(number)").encoded()
    return SourceRecord(number: number, content: .opaque, fingerprint: StableHash.of(content))
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    var value = last
    last = .nil
    if let map { value = try await map.call([value, .integer(Int64(number))]).first ?? .nil }
    return try host.rowDraft(value, for: "tasks.import: row \(number)")
  }
}

extension ScriptHost {
  /// What a script made of a row: nothing, a text, or a table with one.
  func rowDraft(_ value: LuaValue, for place: String) throws -> RowDraft {
    value.isNil ? .skipped : RowDraft(try draft(value, for: place))
  }
}
