import Core
package import HostLoop
package import JSON
package import Lua
import LuaKit

/// The values that a client can expand while the script is halted, by the numbers that it knows them by.
@HostActor
package final class ShownValues {
  /// A thing with variables in it.
  package enum Holder {
    case locals(ScriptFrame)
    case upvalues(ScriptFrame)
    case globals(ScriptFrame)
    case table(LuaTable)
    case object(any LuaObject)
  }

  /// The most variables of one answer; a client asks for more with `start` and `count`.
  private static let most = 1000

  private let state: LuaState
  private var holders: [Int: Holder] = [:]
  private var lastNumber = 0

  package init(_ state: LuaState) { self.state = state }

  package func forgetAll() { holders = [:] }

  package func number(of holder: Holder) -> Int {
    lastNumber += 1
    holders[lastNumber] = holder
    return lastNumber
  }

  package func holder(_ number: Int) -> Holder? { holders[number] }

  /// The variables in a holder, from `start` on.
  package func variables(of holder: Holder, start: Int = 0, count: Int? = nil) throws -> [JSON] {
    let all: [(name: String, value: LuaValue)]
    switch holder {
    case .locals(let frame): all = Inspection(state).locals(of: frame).map { ($0.name, $0.value) }
    case .upvalues(let frame): all = Inspection(state).upvalues(of: frame).map { ($0.name, $0.value) }
    case .globals(let frame): all = try Self.entries(of: Inspection(state).globals(of: frame))
    case .table(let table): all = try Self.entries(of: table)
    case .object(let object): all = properties(of: object)
    }
    let shown = all.dropFirst(start).prefix(min(count ?? Self.most, Self.most))
    return shown.map { .object(fields(of: $0.value).merging(["name": .string(OutputText($0.name).text)]) { $1 }) }
  }

  private static func entries(of table: LuaTable) throws -> [(name: String, value: LuaValue)] {
    let access = ValueText()
    return try TableContents(table).entries.map { entry in
      (entry.key.string.flatMap { LuaNotation.isName($0) ? $0 : nil } ?? access.access(entry.key), entry.value)
    }
  }

  private func properties(of object: any LuaObject) -> [(name: String, value: LuaValue)] {
    type(of: object).luaType.properties.map { property in
      do { return (property.name, try property.get(object, state)) } catch {
        return (property.name, .string("(\(LuaError(error).message))"))
      }
    }
  }

  /// The text, the type and the number of a value, as `variables`, `evaluate` and `setVariable` answer.
  package func fields(of value: LuaValue) -> [String: JSON] {
    var number = 0
    switch value {
    case .table(let table): number = self.number(of: .table(table))
    case .object(let object) where !type(of: object).luaType.properties.isEmpty:
      number = self.number(of: .object(object))
    default: break
    }
    return [
      "value": .string(Self.text(of: value)), "type": .string(value.typeName),
      "variablesReference": .integer(Int64(number)),
    ]
  }

  /// A value on one line. Secrets are replaced before anything is cut.
  package static func text(of value: LuaValue) -> String {
    guard case .table(let table) = value else { return scalar(value, limit: 2000) }
    guard let entries = try? entries(of: table) else { return "table" }
    let shown = entries.prefix(4).map { entry -> String in
      let text = entry.value.table == nil ? scalar(entry.value, limit: 40) : "{ … }"
      return entry.name.hasPrefix("[") ? text : "\(OutputText(entry.name).text) = \(text)"
    }
    let rest = entries.count > shown.count ? ["… \(entries.count - shown.count) more"] : []
    return entries.isEmpty ? "{}" : "{ \((shown + rest).joined(separator: ", ")) }"
  }

  private static func scalar(_ value: LuaValue, limit: Int) -> String {
    switch value {
    case .bytes(let bytes):
      let text = String(validating: bytes, as: UTF8.self).map { Array(OutputText($0).text.utf8) }
      return LuaNotation.quoted(text ?? bytes, limit: limit)
    case .function(let function):
      return function.place.map { "function at \($0)" } ?? OutputText(ValueText().line(of: value)).text
    default: return OutputText(ValueText().line(of: value)).text
    }
  }
}
