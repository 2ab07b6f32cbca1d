import Core
import Crypto
import JOSE
import JSON

/// Compares a request of a replay with that of the recorded run.
struct RequestComparison {
  /// A part of both requests that is not the same, in texts without secrets.
  struct Difference: Equatable {
    let what: String
    let expected: String
    let got: String
  }

  /// Fields that belong to the program or to the connection, not to the script.
  private static let ignored: Set = ["user-agent", "content-length", "traceparent", "tracestate", "host"]
  /// Times within tokens may be that much apart, in seconds: the script computes in no time in a replay.
  private static let clockTolerance = 30.0

  /// The first difference; nil for requests that are the same.
  static func difference(_ expected: KeptExchange, _ got: KeptExchange) -> Difference? {
    let (one, other) = (WebAddress(expected.url), WebAddress(got.url))
    if expected.method != got.method || one.base != other.base {
      return Difference(what: "another request", expected: expected.title, got: got.title)
    }
    return fields("the parameter", one.fields, other.fields)
      ?? fields("the header field", Self.headers(expected), Self.headers(got)) ?? body(expected, got)
  }

  private static func headers(_ exchange: KeptExchange) -> [(name: String, value: String)] {
    exchange.headers.map { (name: $0[0].lowercased(), value: $0[1]) }.filter { !ignored.contains($0.name) }
  }

  /// The order of fields with other names means nothing: a script may build them of a table.
  private static func fields(
    _ kind: String, _ expected: [(name: String, value: String)], _ got: [(name: String, value: String)]
  ) -> Difference? {
    var rest = got
    for field in expected {
      guard let index = rest.firstIndex(where: { $0.name == field.name }) else {
        return Difference(
          what: "\(kind) '\(field.name)' is missing", expected: shown(field.name, field.value), got: "nothing")
      }
      let value = rest.remove(at: index).value
      guard areSame(field.value, value) else {
        return difference("\(kind) '\(field.name)' differs", field.name, field.value, value)
      }
    }
    return rest.first.map { field in
      Difference(what: "\(kind) '\(field.name)' is new", expected: "nothing", got: shown(field.name, field.value))
    }
  }

  private static func body(_ expected: KeptExchange, _ got: KeptExchange) -> Difference? {
    guard let one = expected.body, let other = got.body else {
      guard expected.digest != got.digest || (expected.body == nil) != (got.body == nil) else { return nil }
      return Difference(what: "the body differs", expected: "another long body", got: "this one")
    }
    if one == other { return nil }
    let type = headers(expected).first { $0.name == "content-type" }?.value.lowercased() ?? ""
    let (text, otherText) = (String(decoding: one, as: UTF8.self), String(decoding: other, as: UTF8.self))
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return fields("the parameter", pairs(text), pairs(otherText))
    }
    if let json = try? JSON(parsing: one), let otherJSON = try? JSON(parsing: other) {
      return difference("the body", nil, json, otherJSON)
    }
    return difference("the body differs", "", text, otherText)
  }

  private static func pairs(_ form: String) -> [(name: String, value: String)] {
    URLEncodedForm.decode(form).map { (name: $0.0, value: $0.1) }
  }

  private static func difference(_ place: String, _ name: String?, _ expected: JSON, _ got: JSON) -> Difference? {
    if case (.object(let one), .object(let other)) = (expected, got) {
      for member in Set(one.keys).union(other.keys).sorted() where one[member] != other[member] {
        return difference(
          "\(place == "the body" ? "the member" : place) '\(member)'", member, one[member] ?? .null,
          other[member] ?? .null)
      }
      return nil
    }
    if case (.string(let one), .string(let other)) = (expected, got), areSame(one, other) { return nil }
    if expected == got { return nil }
    return difference("\(place) differs", name ?? "", text(expected), text(got))
  }

  private static func text(_ json: JSON) -> String { json == .null ? "nothing" : json.string ?? json.encoded() }

  private static func difference(_ what: String, _ name: String, _ expected: String, _ got: String) -> Difference {
    let (one, other) = (shown(name, expected), shown(name, got))
    return Difference(what: what, expected: one, got: one == other ? "another one" : other)
  }

  /// Without secrets: those that are known by the name, by the form, or to this program.
  private static func shown(_ name: String, _ value: String) -> String {
    let looksSecret = SecretName.kind(name) != nil || isToken(value)
    let text =
      looksSecret ? Redaction.placeholder : OutputText(value.contains("://") ? WebAddress(value).redacted : value).text
    return text.count > 200 ? "\(text.prefix(199))…" : text
  }

  private static func isToken(_ value: String) -> Bool {
    value.split(separator: " ").contains { $0.hasPrefix("eyJ") && $0.contains(".") }
  }

  // MARK: Values

  /// True for equal values, and for tokens that say the same: signatures and times are new each time.
  static func areSame(_ one: String, _ other: String) -> Bool {
    if one == other { return true }
    let (words, others) = (one.split(separator: " "), other.split(separator: " "))
    guard words.count == others.count, !words.isEmpty else { return false }
    return zip(words, others).allSatisfy { $0 == $1 || areSameTokens(String($0), String($1)) }
  }

  private static func areSameTokens(_ one: String, _ other: String) -> Bool {
    // Nobody but the receiver can look into an encrypted token.
    if isEncrypted(one), isEncrypted(other) { return true }
    guard let token = try? JWT(decoding: one), let otherToken = try? JWT(decoding: other) else { return false }
    return areSame(token.header, otherToken.header) && areSame(token.claims, otherToken.claims)
  }

  private static func isEncrypted(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, let header = Base64URL.decode(parts[0]) else { return false }
    return (try? JSON(parsing: header))?["enc"] != nil
  }

  private static let times: Set = ["iat", "nbf", "exp", "auth_time"]

  private static func areSame(_ one: JSON, _ other: JSON) -> Bool {
    guard case (.object(let members), .object(let others)) = (one, other), members.count == others.count else {
      return one == other
    }
    return members.allSatisfy { name, value in
      guard let otherValue = others[name] else { return false }
      if value == otherValue { return true }
      guard times.contains(name), let time = value.anyNumber, let otherTime = otherValue.anyNumber else { return false }
      return abs(time - otherTime) <= clockTolerance
    }
  }
}

extension KeptExchange {
  /// `POST http://127.0.0.1:8910/api/tasks`, without secrets and parameters.
  var title: String { "\(method) \(WebAddress(url).shown)" }
}
