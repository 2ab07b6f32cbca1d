import HostLoop

/// A function that scripts can call, declared once: the binding, its argument errors, `help` and the stubs come from it.
package final class HostFunction: Sendable {
  /// The Swift code. `immediate` returns at once; `suspending` may wait, and only the calling coroutine waits with it.
  package enum Body: Sendable {
    /// Takes nothing and answers yes or no at once: the cheapest call there is.
    case question(@HostActor @Sendable () -> Bool)
    case immediate(@HostActor @Sendable (Arguments) throws -> [LuaValue])
    case suspending(@HostActor @Sendable (Arguments) async throws -> [LuaValue])
  }

  /// As scripts write it: `tasks.add`, `account:token`.
  package let name: String
  /// A sentence or a few about the function.
  package let doc: String
  package let parameters: [Parameter]
  package let results: [Result]
  package let body: Body
  /// True if more arguments than parameters are taken (the last parameter's type holds for them).
  package let isVariadic: Bool
  /// Lua code that shows its use, with `b2c` in place and the local tenant running; empty where none is needed.
  package let example: String

  /// A result of a call.
  package struct Result: Sendable {
    package let type: LuaType
    /// True if it may be nil.
    package let isOptional: Bool
    package let doc: String

    package init(_ type: LuaType, optional isOptional: Bool = false, _ doc: String) {
      self.type = type
      self.isOptional = isOptional
      self.doc = doc
    }
  }

  package convenience init(
    _ name: String, _ doc: String, _ parameters: [Parameter] = [], returns results: [Result] = [],
    isVariadic: Bool = false, example: String = "",
    _ body: @escaping @HostActor @Sendable (Arguments) throws -> [LuaValue]
  ) { self.init(name, doc, parameters, results, isVariadic, example, .immediate(body)) }

  /// A function that may wait.
  package static func suspending(
    _ name: String, _ doc: String, _ parameters: [Parameter] = [], returns results: [Result] = [],
    isVariadic: Bool = false, example: String = "",
    _ body: @escaping @HostActor @Sendable (Arguments) async throws -> [LuaValue]
  ) -> HostFunction { HostFunction(name, doc, parameters, results, isVariadic, example, .suspending(body)) }

  /// A function that takes nothing and answers yes or no: to the question that `doc` puts.
  package static func question(
    _ name: String, _ doc: String, _ body: @escaping @HostActor @Sendable () -> Bool
  ) -> HostFunction {
    HostFunction(name, doc, [], [Result(.boolean, "The answer.")], false, "", .question(body))
  }

  private init(
    _ name: String, _ doc: String, _ parameters: [Parameter], _ results: [Result], _ isVariadic: Bool,
    _ example: String, _ body: Body
  ) {
    self.name = name
    self.doc = doc
    self.parameters = parameters
    self.results = results
    self.isVariadic = isVariadic
    self.example = example
    self.body = body
  }

  /// True if a call may wait, which it cannot where Lua has C below it: in `table.sort`, in a metamethod.
  package var mayWait: Bool { if case .suspending = body { true } else { false } }

  /// True if it is called with a colon.
  package var isMethod: Bool { name.contains(":") }

  /// The parameters between the parentheses: without the object in front of the colon.
  package var shownParameters: ArraySlice<Parameter> { isMethod ? parameters.dropFirst() : parameters[...] }

  /// The name behind the dot or colon.
  package var shortName: String {
    name.lastIndex { $0 == "." || $0 == ":" }.map { String(name[name.index(after: $0)...]) } ?? name
  }

  /// `tasks.add(task, options?)`
  package var signature: String {
    let names = shownParameters.map { $0.isOptional ? "\($0.name)?" : $0.name } + (isVariadic ? ["..."] : [])
    return "\(name)(\(names.joined(separator: ", ")))"
  }
}
