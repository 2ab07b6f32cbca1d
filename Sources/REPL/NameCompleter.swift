import Documentation
import HostLoop
import Lua

/// Finds the names that are possible at the cursor: existing names and declared names.
@HostActor
struct NameCompleter {
  private static let keywords =
    "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"
    .split(separator: " ").map(String.init)

  let state: LuaState
  let reference: Reference

  func complete(_ text: String) -> Completion {
    let typed = TypedText(text)
    if let value = typed.value {
      let words = optionKeys(of: typed.optionsOf)?.first { $0.name == value.option }?.type.knownWords ?? []
      return Completion(of: typed.part, among: words, ending: String(value.quote))
    }
    guard typed.isCode else { return Completion() }
    if !typed.optionsOf.isEmpty, let keys = optionKeys(of: typed.optionsOf) {
      let completion = Completion(of: typed.part, among: keys.map(\.name), ending: " = ")
      if completion != Completion() { return completion }
    }
    guard typed.separator != nil else {
      guard !typed.part.isEmpty else { return Completion() }
      return Completion(of: typed.part, among: Self.keywords + globals)
    }
    return Completion(of: typed.part, among: members(of: typed.path, isMethod: typed.separator == ":"))
  }

  private var globals: [String] {
    ((try? state.globals.pairs) ?? []).compactMap(\.key.string) + reference.modules.map(\.name)
      + reference.rootFunctions.map(\.name)
      + ["args"]
  }

  private func members(of path: [String], isMethod: Bool) -> [String] {
    let declared = declaredMembers(of: path)
    if !declared.isEmpty { return declared }
    guard let value = value(of: path) else { return [] }
    switch value {
    case .table(let table):
      return pairs(of: table).filter { !isMethod || $0.value.function != nil }.compactMap(\.key.string).filter(isName)
    case .object(let object):
      let type = type(of: object).luaType
      let names = type.methods.filter { $0.isMethod == isMethod }.map(\.shortName)
      return isMethod ? names : names + type.properties.map(\.name) + ((try? type.fieldNames?(object)) ?? [])
    case .bytes:
      return isMethod ? state.globals["string"].table.map { pairs(of: $0).compactMap(\.key.string) } ?? [] : []
    default: return []
    }
  }

  /// The members that the API declares below a name, unless the user has assigned that name.
  private func declaredMembers(of path: [String]) -> [String] {
    guard let first = path.first, first == "b2c" || state.globals[first].isNil else { return [] }
    let inside = first == "b2c" ? path.dropFirst() : path[...]
    guard let module = inside.first else {
      return reference.modules.map(\.name) + reference.rootFunctions.map(\.name) + ["args"]
    }
    guard reference.modules.contains(where: { $0.name == module }) else { return [] }
    let name = inside.joined(separator: ".")
    // The declared names below a function are its parameters, which are not members.
    if case .function? = reference[name] { return [] }
    return reference.names.filter { $0.hasPrefix("\(name).") }.map {
      String($0.dropFirst(name.count + 1).prefix { $0 != "." })
    }
  }

  private func optionKeys(of path: [String]) -> [Parameter]? {
    let name = (path.first == "b2c" ? Array(path.dropFirst()) : path).joined(separator: ".")
    var function: HostFunction?
    if case .function(let declared)? = reference[name] { function = declared }
    if case .function(let value)? = value(of: path) { function = state.declaration(of: value) }
    if function == nil, case .object(let object)? = value(of: path.dropLast()), let last = path.last {
      function = type(of: object).luaType.methods.first { $0.shortName == last }
    }
    return function?.parameters.lazy.compactMap(\.type.optionKeys).first
  }

  /// Reads the value without calling the user's functions.
  private func value(of path: some Collection<String>) -> LuaValue? {
    guard let first = path.first else { return nil }
    var value = state.globals[first]
    for name in path.dropFirst() {
      switch value {
      case .table(let table): value = pairs(of: table).first { $0.key.string == name }?.value ?? .nil
      case .object(let object):
        let property = type(of: object).luaType.properties.first { $0.name == name }
        value = (try? property?.get(object, state)) ?? .nil
      default: return nil
      }
    }
    return value.isNil ? nil : value
  }

  /// The pairs of the table, including those inherited by a metatable, as in objects written in Lua.
  private func pairs(of table: LuaTable) -> [(key: LuaValue, value: LuaValue)] {
    let chain = sequence(first: table) { $0.metatable?["__index"].table }
    return chain.prefix(9).flatMap { (try? $0.pairs) ?? [] }
  }

  private func isName(_ text: String) -> Bool { text.contains(/^[A-Za-z_][A-Za-z0-9_]*$/) }
}
