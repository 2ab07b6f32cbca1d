package import HostLoop
package import Lua
import LuaKit

/// A sign-in flow in Lua: a function, or a table with the functions `sign_in` and `refresh`.
@HostActor
package struct LuaFlow: Sendable {
  let signIn: LuaFunction
  /// Renews the tokens of the flow's accounts; nil if the token endpoint does.
  let refresh: LuaFunction?

  /// Returns nil for a value of another type.
  package init?(_ value: LuaValue?) {
    if let function = value?.function {
      signIn = function
      refresh = nil
      return
    }
    guard let table = value?.table, let function = table["sign_in"].function else { return nil }
    signIn = function
    refresh = table["refresh"].function
  }

  /// Checks the fields of a flow in the form of a table. Another form is left alone.
  /// - Parameter place: the beginning of messages: `accounts.add_flow: argument 2`.
  package static func check(_ value: LuaValue?, _ place: String, _ state: LuaState) throws(LuaError) {
    guard value?.function == nil, let table = value?.table else { return }
    let declaration = HostFunction(place, "", [.options(LuaRecord.flowParts.fields)]) { _ in [] }
    _ = try Arguments(options: table, of: declaration, state, noun: "field")
  }
}

extension LuaType {
  /// A flow in either form.
  package static let anyFlow = LuaType.either([.flow, .record(.flowParts)])
}

extension LuaRecord {
  /// A flow that renews the tokens of its accounts itself.
  static let flowParts = LuaRecord(
    "flow with a refresh", "A flow, and the function that renews the tokens of its accounts.",
    Parameter("sign_in", .flow, "The flow."),
    .optional(
      "refresh", .refreshFunction,
      "Renews the tokens of the flow's accounts. ctx.options has refresh_token, scopes and subject. If not given: the "
        + "program renews them at the token endpoint."))
}

extension LuaType {
  static let refreshFunction = LuaType.callback(
    [Parameter("ctx", .object("flow context"), "The context of the refresh.")],
    returns: [.init(.table, "The new tokens, as oauth.token returns them.")])
}
