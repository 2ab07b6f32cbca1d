import Automation
import HostLoop
import ImportFormats
import JSON
import Lua
import LuaKit
import TaskAPI

/// The rows of a file, from which a function of the script makes tasks.
final class MappedRowSource: RowSource {
  private let reader: PreviewedReader
  private let cursor: RecordCursor
  private let map: LuaFunction
  private let json: JSONMarshal
  private let state: LuaState
  private var rows: LuaRows?

  init(_ reader: PreviewedReader, map: LuaFunction, _ json: JSONMarshal, _ state: LuaState) {
    self.reader = reader
    cursor = RecordCursor(reader)
    self.map = map
    self.json = json
    self.state = state
  }

  var bytesRead: Int { reader.bytesRead }
  var totalBytes: Int? { reader.totalBytes }

  var draftsDependOnEarlier: Bool { true }
  var beginning: [SourceRecord] { reader.beginning }
  var table: SourceTable? { reader.table }

  func next() async throws -> SourceRecord? { try await cursor.next() }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    let row: LuaValue
    switch record.content {
    case .row(let fields): row = rowTables(fields.header).table(fields)
    case .value(let value): row = json.value(value)
    case .malformed(let code, let reason, let fields):
      return .unusable(code: code, reason: reason, text: fields.joined(separator: " "))
    case .opaque, .encoded: row = .nil
    }
    return try await json.rowDraft(map, [row, .integer(Int64(record.number))], for: "row \(record.number)")
  }

  private func rowTables(_ header: CSVHeader) -> LuaRows {
    if let rows { return rows }
    let made = LuaRows(header, state)
    rows = made
    return made
  }
}

/// Rows from a Lua function that returns the next one, then nil: of the script, or of a plugin's format for a file.
final class IteratorRowSource: RowSource {
  private var iterator: LuaFunction?
  private let plugin: (format: PluginFormat, source: LuaSource)?
  private let map: LuaFunction?
  private let json: JSONMarshal
  private let isKnownAgain: Bool
  private var number = 0
  private var last = LuaValue.nil
  /// The records of the file that the format could not get.
  private var broken: ArraySlice<SourceRecord> = []
  /// The fields of the last row of which the format could not keep everything.
  private var unread: [String: String] = [:]
  /// A generator must not be called again after its end.
  private var hasEnded = false

  /// - Parameter isKnownAgain: true if a later run has to recognize its rows. Then JSON has to be able to hold them.
  init(_ iterator: LuaFunction, map: LuaFunction?, _ json: JSONMarshal, isKnownAgain: Bool) {
    self.iterator = iterator
    plugin = nil
    self.map = map
    self.json = json
    self.isKnownAgain = isKnownAgain
  }

  /// The rows that a plugin's format makes of a file. Without `map` the rows are tasks.
  init(_ format: PluginFormat, _ source: LuaSource, map: LuaFunction?, _ context: ScriptContext) {
    plugin = (format, source)
    self.map = map
    json = context.json
    isKnownAgain = true
  }

  var draftsDependOnEarlier: Bool { map != nil }

  var bytesRead: Int { plugin?.source.bytesRead ?? 0 }
  var totalBytes: Int? { plugin?.source.totalBytes }

  func next() async throws -> SourceRecord? {
    if let record = nextBroken() { return record }
    guard !hasEnded else { return nil }
    let answer = try await rows().call()
    broken += plugin?.source.takeBroken() ?? []
    guard let value = answer.first, !value.isNil else {
      hasEnded = true
      return nextBroken()
    }
    number += 1
    last = value
    unread = [:]
    for pair in try (plugin == nil || answer.count < 3 ? nil : answer[2].table)?.pairs ?? [] {
      if let field = pair.key.string, let reason = pair.value.string { unread[field] = reason }
    }
    guard isKnownAgain else { return SourceRecord(number: number, content: .opaque, fingerprint: 0) }
    let content = try json.json(value, at: "\(place): row \(number)")
    let fingerprint = StableHash.of(content.encoded())
    guard plugin != nil else { return SourceRecord(number: number, content: .opaque, fingerprint: fingerprint) }
    let line = answer.count > 1 ? answer[1].integer.flatMap { Int(exactly: $0) } : nil
    return SourceRecord(number: number, line: line, content: .value(content), fingerprint: fingerprint)
  }

  /// A record that the format could not get, behind the row that was read last.
  private func nextBroken() -> SourceRecord? {
    guard var record = broken.popFirst() else { return nil }
    number += 1
    record.number = number
    return record
  }

  func draft(of record: SourceRecord) async throws -> RowDraft {
    if case .malformed(let code, let reason, let fields) = record.content {
      return .unusable(code: code, reason: reason, text: fields.joined(separator: " "))
    }
    let value = last
    last = .nil
    if let map { return try await json.rowDraft(map, [value, .integer(Int64(number))], for: "row \(number)") }
    if plugin != nil, value.string == nil, value.table?["text"].string == nil {
      // The other rows are imported, too.
      return .unusable(code: "empty_text", reason: "there is no \"text\"", text: "")
    }
    let draft = try json.rowDraft(value, for: "tasks.import: row \(number)")
    guard !unread.isEmpty, case .task(var task) = draft else { return draft }
    task.unread = unread
    return .task(task)
  }

  private var place: String { plugin.map { "\($0.format.file.shown): formats.\($0.format.name)" } ?? "tasks.import" }

  /// The iterator. The first request for a row calls the function `rows` of a plugin's format, which returns it.
  private func rows() async throws -> LuaFunction {
    if let iterator { return iterator }
    var result = LuaValue.nil
    if let plugin { result = try await plugin.format.rows?.call([.object(plugin.source)]).first ?? .nil }
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

  /// The table of a row whose dates are read.
  func table(_ row: CSVRow, _ dates: DateColumns) -> LuaValue {
    guard !dates.isEmpty else { return table(row) }
    return .table(
      maker.table { column, set in
        guard var text = dates.text(in: column, of: row) else { return row.withBytes(of: column, set) }
        text.withUTF8(set)
      })
  }
}
