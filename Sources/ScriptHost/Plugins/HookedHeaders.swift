import Core
import HTTPClient
import HostLoop
import Lua
import LuaKit

/// Header fields and addresses as hooks see them, without secrets, and the changes that hooks make.
@HostActor
enum HookedHeaders {
  /// Credentials by their nature (RFC 9110, 11; RFC 6265).
  private static let credentials: Set<String> = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
  /// The fields that decide where a request goes or how it is sent; no hook may change them.
  private static let hosts: Set<String> = [
    "host", "connection", "content-length", "transfer-encoding", "upgrade", "expect", "te", "trailer",
  ]
  /// The fields with addresses, which are shown without their secrets.
  private static let addresses: Set<String> = ["location", "content-location", "referer"]
  /// By name in lower case, as in responses.
  static func value(_ headers: HTTPHeaders) -> LuaValue {
    var texts: [(name: String, text: String)] = []
    for field in headers.fields {
      let name = field.name.lowercased()
      if let index = texts.firstIndex(where: { $0.name == name }) {
        texts[index].text += ", \(field.value)"
      } else {
        texts.append((name, field.value))
      }
    }
    // All texts are searched at once: mostly there is no secret.
    let all = texts.filter { !credentials.contains($0.name) }.map(\.text).joined(separator: "\n")
    let mayHoldSecrets = Redaction.forScripts(all) != all
    return .record(
      texts.map { name, text in
        let isSecret = credentials.contains(name) || mayHoldSecrets && isSecret(name, text)
        return (name, isSecret ? .object(SealedSecret()) : .string(shown(name, text)))
      })
  }

  /// Applies the result of a hook: texts and numbers are set, false takes a field away.
  static func changed(_ headers: HTTPHeaders, by answer: LuaValue) throws(LuaError) -> HTTPHeaders? {
    if answer.isNil { return nil }
    guard let table = answer.table else {
      throw failure("it returned a \(answer.typeName), expected header fields by name, or nothing")
    }
    let changes = try table.pairs
    guard changes.count <= HTTPHeaders.most else {
      throw failure("it returned \(changes.count) header fields, more than \(HTTPHeaders.most)")
    }
    var headers = headers
    for pair in changes {
      guard let name = pair.key.string else {
        throw failure("it returned a \(pair.key.typeName) as a name of a header")
      }
      let before = headers.all(name).joined(separator: ", ")
      // The hook returned the secret unchanged.
      if case .object(let object) = pair.value, object is SealedSecret, !before.isEmpty { continue }
      guard !hosts.contains(name.lowercased()) else {
        throw failure("it returned \(name), which says where or how a request is sent, and is not a hook's to change")
      }
      guard before.isEmpty || !isSecret(name.lowercased(), before) else {
        throw failure("it returned another \(name), which holds a secret and is not a hook's to change")
      }
      switch pair.value {
      case .boolean(false): headers[name] = nil
      case .bytes, .integer, .number:
        let text = pair.value.string ?? pair.value.integer.map(String.init) ?? LuaNumber.text(pair.value.number ?? 0)
        if text == shown(name, before) { continue }
        do { try RequestCheck.field(.init(name: name, value: text)) } catch { throw failure(error.message) }
        headers[name] = text
      default: throw failure("it returned a \(pair.value.typeName) for \(name), expected a text, or false")
      }
    }
    return headers
  }

  /// An address without the secrets in its parameters.
  static func shown(url: String) -> String { Redaction.forScripts(WebAddress(url).redacted) }

  private static func shown(_ name: String, _ value: String) -> String {
    addresses.contains(name.lowercased()) ? shown(url: value) : value
  }

  private static func isSecret(_ name: String, _ value: String) -> Bool {
    credentials.contains(name) || !addresses.contains(name) && Redaction.forScripts(value) != value
  }

  private static func failure(_ message: String) -> LuaError {
    LuaError(code: "invalid_argument", message: message, hint: "for example return { [\"x-request-id\"] = \"4711\" }")
  }
}
