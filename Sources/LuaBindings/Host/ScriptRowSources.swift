import Automation
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

/// Rows that a plugin's format makes of a file.
@HostActor
final class PluginRowSource: RowSource {
  private let format: PluginFormat
  private let source: LuaSource
  private let map: LuaFunction?
  private let host: ScriptHost
  /// The iterator that the format's function `rows` returned. The first request for a row calls this function.
  private var iterator: LuaFunction?
  private var number = 0
  private var last = LuaValue.nil
  private var hasEnded = false

  /// - Parameter map: what becomes of a row; nil where the rows are tasks.
  init(_ format: PluginFormat, path: String, map: LuaFunction?, _ host: ScriptHost) {
    self.format = format
    self.map = map
    self.host = host
    source = LuaSource(path: path, host)
  }

  var draftsDependOnEarlier: Bool { map != nil }

  var bytesRead: Int { source.bytesRead }
  var totalBytes: Int? { source.totalBytes }

  func next() async throws -> SourceRecord? {
    guard !hasEnded else { return nil }
    let answer = try await rows().call()
    guard let value = answer.first, !value.isNil else {
      hasEnded = true
      return nil
    }
    number += 1
    last = value
    let json = try host.json.json(value, at: "\(place): row \(number)")
    let line = answer.count > 1 ? answer[1].integer.flatMap { Int(exactly: $0) } : nil
    return SourceRecord(number: number, line: line, content: .value(json), fingerprint: StableHash.of(json.encoded()))
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    let value = last
    last = .nil
    if let map {
      let result = try await map.call([value, .integer(Int64(record.number))]).first ?? .nil
      return try host.json.rowDraft(result, for: "tasks.import: map, row \(record.number)")
    }
    // One row without a text is no reason to give up the others.
    guard value.string != nil || value.table?["text"].string != nil else {
      return .unusable(code: "empty_text", reason: "there is no \"text\"", text: "")
    }
    return try host.json.rowDraft(value, for: "tasks.import: row \(record.number)")
  }

  private var place: String { "\(format.file.shown): formats.\(format.name)" }

  private func rows() async throws -> LuaFunction {
    if let iterator { return iterator }
    let result = try await format.rows?.call([.object(source)]).first ?? .nil
    guard let function = result.function else {
      throw LuaError(
        code: "invalid_plugin",
        message:
          "\(place): rows returned \(result.isNil ? "nothing" : "a \(result.typeName)"), expected a function that "
          + "gives the next row")
    }
    iterator = function
    return function
  }
}

/// Rows as tables by column name. A name that is not a column is an error, so that a misspelled one is not just nil.
@HostActor
struct LuaRows {
  private let maker: RowMaker

  init(_ header: CSVHeader, _ state: LuaState) {
    let metatable = state.makeTable()
    metatable["__index"] = .function(
      state.closure(
        HostFunction("row", "", [.any("row"), .any("column")]) { arguments in
          guard let name = arguments[1].string else { return [.nil] }
          _ = try header.column(named: name)
          return [.nil]
        }))
    maker = RowMaker(header.names, metatable: metatable, state)
  }

  func table(_ row: CSVRow) -> LuaValue { .table(maker.table { column, set in row.withBytes(of: column, set) }) }
}
