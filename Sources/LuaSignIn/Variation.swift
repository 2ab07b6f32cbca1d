import Core
package import HostLoop
import Lua
import LuaKit
import OAuth
import Settings

/// Values that a run uses in place of its script's own: those of one combination of `b2c-run experiment`.
@HostActor
package struct Variation: Sendable {
  /// Options by name. An option that is nil is left out.
  private var options: [String: LuaValue] = [:]
  private var pkce: String?

  nonisolated static let pkceMethods = ["S256", "plain", "none"]

  nonisolated package init() {}

  /// The variation of these options.
  /// - Throws: an error with code `usage` for an unknown name, or a value that the option does not take.
  package init(_ values: [(name: String, text: String)]) throws {
    for (name, text) in values {
      guard name != "pkce" else {
        guard Self.pkceMethods.contains(text) else { throw Self.wrong(name, text, LuaType.choice(Self.pkceMethods)) }
        pkce = text
        continue
      }
      guard let parameter = Self.parameters.first(where: { $0.name == name }) else {
        let known = Self.parameters.map(\.name) + ["pkce"] + SettingsKey.names
        throw LuaError.usage(
          "experiment --vary: there is no option or setting '\(name)'",
          hint: nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
            ?? "an option of accounts.sign_in or oauth.authorize_url, pkce, or a setting")
      }
      guard let value = Self.value(text, of: parameter) else { throw Self.wrong(name, text, parameter.type) }
      options[name] = value
    }
  }

  /// True if the name is one of an option, not only of a setting.
  package static func isOption(_ name: String) -> Bool { name == "pkce" || parameters.contains { $0.name == name } }

  /// True if the name is one of a setting that may be varied: secrets do not belong on a command line.
  package static func isSetting(_ name: String) -> Bool {
    let key = SettingsKey(name: name.split(separator: ".").first.map(String.init) ?? "")
    return key != nil && key != .clientSecret
  }

  /// The options of `keys` with the values of this variation.
  func applied(to given: [String: LuaValue], _ keys: [Parameter]) -> [String: LuaValue] {
    var result = given
    for key in keys {
      guard let value = options[key.name] else { continue }
      result[key.name] = value.isNil ? nil : value
    }
    return result
  }

  /// The options of `oauth.authorize_url`. A flow without PKCE stays without.
  func applied(toAuthorization given: [String: LuaValue], _ state: LuaState) -> [String: LuaValue] {
    var result = applied(to: given, AuthorizeOptions.keys)
    if pkce == "none" { result["pkce"] = nil }
    if let pkce, let verifier = result["pkce"]?.table?["verifier"] {
      result["pkce"] = .table(state.makeTable([("verifier", verifier), ("method", .string(pkce))]))
    }
    return result
  }

  /// The table of `oauth.token`.
  func applied(toToken request: LuaTable?, _ state: LuaState) -> LuaTable? {
    guard pkce == "none", let request else { return request }
    return state.makeTable(LuaValue.table(request).fields.filter { $0.name != "code_verifier" })
  }

  var isEmpty: Bool { options.isEmpty && pkce == nil }

  private static let parameters: [Parameter] = {
    let options = SignInOptions.keys.filter { !SignInOptions.secrets.contains($0.name) }
    let names = Set(options.map(\.name))
    let all = options + AuthorizeOptions.keys.filter { $0.name != "id_token_hint" && !names.contains($0.name) }
    return all.filter { value("1", of: $0) != nil || value("no", of: $0) != nil || !$0.type.knownWords.isEmpty }
  }()

  private static func value(_ text: String, of parameter: Parameter) -> LuaValue? {
    if text.isEmpty { return .nil }
    var candidates: [LuaValue] = []
    if let flag = ["yes": true, "true": true, "no": false, "false": false][text] { candidates.append(.boolean(flag)) }
    if let number = Int64(text) { candidates.append(.integer(number)) }
    candidates.append(.string(text))
    return candidates.first { parameter.type.accepts($0) && parameter.problem(with: $0) == nil }
  }

  private static func wrong(_ name: String, _ text: String, _ type: LuaType) -> LuaError {
    .usage("experiment --vary: \(name): expected \(type.phrase), got '\(text)'")
  }
}
