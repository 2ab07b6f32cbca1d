import HostLoop
import Lua

/// Compares the results of host functions with their declarations, in every test that runs a script.
@HostActor
enum ResultChecker {
  /// - Throws: `wrong_result`, naming the function and what is not as declared.
  static func check(_ function: HostFunction, _ results: [LuaValue]) throws(LuaError) {
    // Metamethods have no declarations, and iterators are declared by the functions that return them.
    guard !function.doc.isEmpty, !function.doc.hasPrefix("The next "), function.name != "tostring" else { return }
    if results.count > function.results.count, !passesOn(function) {
      throw wrong(function, "\(results.count) results, \(function.results.count) are declared")
    }
    for (offset, declared) in function.results.enumerated() {
      let value = offset < results.count ? results[offset] : .nil
      if let problem = problem(value, declared.type, declared.isOptional, "result \(offset + 1)") {
        throw wrong(function, problem)
      }
    }
  }

  /// True if the host function returns all results of a script's function, so their count varies.
  private static func passesOn(_ function: HostFunction) -> Bool {
    if case .any? = function.results.last?.type { true } else { false }
  }

  private static func wrong(_ function: HostFunction, _ problem: String) -> LuaError {
    LuaError(code: "wrong_result", message: "\(function.name) is not what it is declared to be: \(problem)")
  }

  private static func problem(_ value: LuaValue, _ type: LuaType, _ isOptional: Bool, _ place: String) -> String? {
    if case .any = type { return nil }
    if value.isNil { return isOptional ? nil : "\(place): nil" }
    switch type {
    case .record(let record):
      guard let pairs = pairs(value) else { return "\(place): \(value.typeName), declared as \(type.description)" }
      return problem(pairs, record, place)
    case .list(let element):
      guard let elements = elements(value) else {
        return "\(place): \(value.typeName), declared as \(type.description)"
      }
      return elements.lazy.compactMap { problem($0, element, true, "\(place), element") }.first
    case .map(let element):
      guard let pairs = pairs(value) else { return "\(place): \(value.typeName), declared as \(type.description)" }
      return pairs.lazy.compactMap { problem($0.value, element, false, "\(place).\($0.name)") }.first
    case .either(let types):
      let fits = types.contains { problem(value, $0, isOptional, place) == nil }
      return fits ? nil : "\(place): \(value.typeName), declared as \(type.description)"
    default: return type.accepts(value) ? nil : "\(place): \(value.typeName), declared as \(type.description)"
    }
  }

  private static func problem(
    _ pairs: [(name: String, value: LuaValue)], _ record: LuaRecord, _ place: String
  ) -> String? {
    for pair in pairs where !pair.value.isNil {
      if let field = record.fields.first(where: { $0.name == pair.name }) {
        if let problem = problem(pair.value, field.type, field.isOptional, "\(place).\(pair.name)") { return problem }
      } else if let others = record.others {
        if let problem = problem(pair.value, others, true, "\(place).\(pair.name)") { return problem }
      } else {
        return "\(place).\(pair.name) is not declared for \(record.name)"
      }
    }
    let given = Set(pairs.lazy.filter { !$0.value.isNil }.map(\.name))
    return record.fields.first { !$0.isOptional && !given.contains($0.name) }
      .map { "\(place).\($0.name) is missing, and not optional in \(record.name)" }
  }

  private static func pairs(_ value: LuaValue) -> [(name: String, value: LuaValue)]? {
    switch value {
    case .record(let fields): fields
    case .table(let table): (try? table.pairs)?.map { (name: $0.key.string ?? "[\($0.key.typeName)]", value: $0.value) }
    default: nil
    }
  }

  private static func elements(_ value: LuaValue) -> [LuaValue]? {
    switch value {
    case .list(let elements, _): elements
    case .table(let table): try? table.sequence
    default: nil
    }
  }
}
