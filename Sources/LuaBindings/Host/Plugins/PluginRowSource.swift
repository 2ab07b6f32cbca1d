import Automation
import HostLoop
import JSON
import Lua
import TaskImport

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
