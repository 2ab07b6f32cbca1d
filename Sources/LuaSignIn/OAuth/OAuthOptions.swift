import Core
import HostLoop
import Lua
import LuaKit
import OAuth

/// Options of several functions of the module.
extension OptionField {
  static func policy(_ property: WritableKeyPath<Options, String?>) -> OptionField {
    OptionField(
      "policy", property,
      "A policy, or its name in settings.policies. If not given: in a flow, the policy of the sign-in; else signIn.")
  }

  /// The option `dpop`: `true`, `false` or a key.
  static func dpop(_ property: WritableKeyPath<Options, LuaValue>, _ doc: String) -> OptionField {
    OptionField("dpop", property, .either([.boolean, .object("key")]), doc) { value, _ in value }
  }

  /// The option `resource` (RFC 8707, 2): a URI, or a list of them.
  static func resource(_ property: WritableKeyPath<Options, [String]>, _ doc: String) -> OptionField {
    OptionField("resource", property, .words, doc) { try $1.arguments.resources($0) }
  }

  /// The option `authorization_details` (RFC 9396, 2).
  static func details(_ property: WritableKeyPath<Options, LuaValue>, _ doc: String) -> OptionField {
    OptionField("authorization_details", property, .either([.string, .list(of: .map(of: .any))]), doc) { value, _ in
      value
    }
  }
}

/// The options of functions that have no others.
struct PolicyOptions: LuaOptions {
  var policy: String?
  static let fields = [Field.policy(\.policy)]
}
