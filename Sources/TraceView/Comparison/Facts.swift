import Core
import JSON
import Trace

/// The comparable facts of a step or a token: names and values, in their order.
struct Facts {
  private(set) var list: [(name: String, value: String)] = []

  /// The names of values that are new in each run. They are listed in one line, not as differences.
  static let changing: Set<String> = [
    "state", "nonce", "code", "code_challenge", "code_verifier", "iat", "exp", "nbf", "auth_time", "jti", "sid",
    "at_hash",
    "c_hash", "session_state", "access_token", "id_token", "refresh_token", "id_token_hint", "date", "set-cookie",
    "cookie", "content-length", "x-request-id", "client-request-id", "x-ms-request-id", "x-ms-gateway-requestid",
    "etag",
    "age", "csrf_token", "x-csrf-token", "authorization", "user-agent", "expires", "last-modified", "host",
    "idempotency-key", "correlation_id", "timestamp", "expires_on", "not_before", "device_code", "user_code", "uti",
    "rid", "dpop", "dpop-nonce", "dpop_jkt", "cnf",
    "location", "referer", "origin", "kid", "local_grant", "tx", "request_id", "request_uri", "auth_req_id",
  ]

  /// The last word of a fact's name is the name of the parameter, field or claim.
  static func isChanging(_ name: String) -> Bool { changing.contains(key(name)) }
  /// True if a directory knows users by this fact.
  static func isUserID(_ name: String) -> Bool { ["claim sub", "claim oid"].contains(name) }
  static func key(_ name: String) -> String { String(name.split(separator: " ").last ?? "").lowercased() }

  init(exchange event: TraceEvent) {
    let request = event.json["request"] ?? .null
    for (name, value) in Self.query(request["url"]?.string ?? "") { add("query \(name)", value) }
    for (name, value) in request["body"]?["form"]?.pairs ?? [] { add("form \(name)", value) }
    for (name, value) in request["headers"]?.pairs ?? [] { add("header \(name)", value) }
    add("status", event.json["response"]?["status"]?.plainText ?? "no answer")
    add("error", event.error.map { "\($0.code): \($0.message)" })
    let response = event.json["response"]
    for (name, value) in (response?["headers"]?.pairs ?? []) + (response?["body"]?["form"]?.pairs ?? []) {
      add("answer \(name)", value)
    }
  }

  init(event: TraceEvent) {
    let left: Set = [
      "type", "id", "at", "line", "call", "via", "coroutine", "url", "query", "kind", "took", "label", "checks",
      "error",
    ]
    for (name, value) in (event.json.object ?? [:]).sorted(by: { $0.key < $1.key }) where !left.contains(name) {
      switch name {
      case "claims", "header":
        for claim in Claim.list(value) {
          add("\(name == "claims" ? "claim" : name) \(claim.name)", claim.value.plainText)
        }
      default: add(name, value.plainText)
      }
    }
    for (name, value) in Self.query(event.text("url") ?? "") { add("query \(name)", value) }
    for check in event.json["checks"]?.array ?? [] {
      add("check \(check["name"]?.string ?? "")", check["result"]?.string)
    }
    add("error", event.error.map { "\($0.code): \($0.message)" })
  }

  /// Returns the kind of a value that is new in each run; nil for a value that says nothing about its kind. Another kind in
  /// the other run is a difference: with the method plain, `code_challenge` is the verifier itself.
  static func kind(_ name: String, _ value: String) -> String? {
    let label = value.wholeMatch(of: #/(?:(\w+) )?\[([a-z -]+)(?: #\d+)?\]/#)
    if key(name) == "code_challenge" { return label.map { "the \($0.2) itself" } ?? "SHA-256 of the verifier" }
    if key(name) == "dpop" { return value.split(separator: ";").last.map { "proof (\($0.trimmingPrefix(" "))" } }
    return label.map { match in (match.1.map { "\($0) " } ?? "") + "[\(match.2)]" }
  }

  /// The same with the parameters of a pushed request, which the URL of the request names only.
  func adding(_ parameters: [(name: String, value: String)]) -> Facts {
    var facts = self
    for (name, value) in parameters where !list.contains(where: { $0.name == "query \(name)" }) {
      facts.add("query \(name)", Self.stable(value))
    }
    return facts
  }

  /// An address in a parameter, without the values in it that are new in each run.
  private static func stable(_ value: String) -> String {
    guard value.contains("://"), value.contains("?") else { return value }
    return WebAddress(value).parameters.reduce(into: WebAddress(value).base) { text, parameter in
      let shown = changing.contains(parameter.name.lowercased()) ? "…" : parameter.value
      text += "\(parameter.separator)\(parameter.name)" + (shown.map { "=\($0)" } ?? "")
    }
  }

  /// The same with the names of the parties in place of their addresses.
  func naming(_ addresses: [(url: String, party: String)]) -> Facts {
    var facts = self
    for address in addresses {
      facts.list = facts.list.map { ($0.name, $0.value.replacing(address.url, with: "{\(address.party)}")) }
    }
    return facts
  }

  private mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    // A name may occur several times, as headers do.
    let count = list.count { $0.name == name || $0.name.hasPrefix("\(name) (") }
    list.append((count == 0 ? name : "\(name) (\(count + 1))", value))
  }

  /// The parameters of the query and of the fragment, decoded.
  static func query(_ url: String) -> [(name: String, value: String)] {
    WebAddress(url).parameters.filter { !$0.rawName.isEmpty }.map { ($0.name, stable($0.value ?? "")) }
  }
}
