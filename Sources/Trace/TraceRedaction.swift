import Core
import HTTPClient
import JOSE
import JSON

/// Takes the secrets out of events. Most are found by their place; secrets that the run knows are taken out everywhere.
struct TraceRedaction {
  /// A JWT that was seen for the first time.
  struct NewToken {
    let label: String
    let kind: String
    let token: JWT
  }

  private var labels = SecretLabels()
  /// The secrets found so far. Other outputs do not use them: a script could have any text taken out of those by sending it
  /// in a request.
  private let own = Redactor()

  /// Takes a secret out of the trace everywhere.
  func hide(_ secret: String) { own.register(secret) }

  /// The tokens that were found since these were last taken.
  private(set) var newTokens: [NewToken] = []

  mutating func takeNewTokens() -> [NewToken] {
    defer { newTokens = [] }
    return newTokens
  }

  /// Returns the label that stands for a secret.
  mutating func label(_ secret: some StringProtocol, _ kind: SecretLabels.Kind) -> String {
    let secret = String(secret)
    let (label, isNew) = labels.label(secret, kind)
    guard isNew else { return label }
    // It may come again in an unexpected place.
    own.register(secret)
    if let token = try? JWT(decoding: secret) {
      newTokens.append(NewToken(label: label, kind: kind.rawValue, token: token))
    }
    return label
  }

  /// The kinds of secrets by names, because the same names come again and again.
  private var kinds: [String: SecretLabels.Kind?] = [:]
  private static let mostKinds = 1000

  private mutating func kind(_ name: String) -> SecretLabels.Kind? {
    if let known = kinds[name] { return known }
    let kind = SecretName.kind(name)
    if kinds.count < Self.mostKinds { kinds.updateValue(kind, forKey: name) }
    return kind
  }

  /// Text of any kind.
  mutating func text(_ text: String) -> String {
    guard !text.isEmpty else { return text }
    var scan = SecretScan(text)
    return own.clean(OutputText(scan.replaced { label($0, $1) }).text)
  }

  /// An address, whose secrets are percent-encoded labels.
  mutating func url(_ url: String) -> String {
    guard let mark = url.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text(url) }
    var result = text(String(url[..<mark]))
    var isFirst = true
    let parts = Self.parts(url[mark...])
    let hasPlainChallenge = Self.hasPlainChallenge(parts.map { ($0.name, $0.value ?? "") })
    for part in parts {
      result += isFirst || part.separator != "&" ? String(part.separator) : "&"
      isFirst = false
      guard let value = part.value else {
        result += text(part.name)
        continue
      }
      let shown = self.value(value, named: part.name, hasPlainChallenge)
      result += part.rawName + "=" + (shown == value ? part.rawValue : URLEncodedForm.percentEncode(shown))
    }
    return result
  }

  /// The parameters of an address's query, or of its fragment.
  mutating func parameters(of url: String, behind mark: Character) -> JSON? {
    guard let start = url.firstIndex(of: mark) else { return nil }
    var text = url[url.index(after: start)...]
    if mark == "?" { text = text.prefix { $0 != "#" } }
    guard text.contains("=") else { return nil }
    return fields(URLEncodedForm.decode(text))
  }

  /// The fields of a form.
  mutating func fields(_ fields: [(String, String)]) -> JSON {
    let hasPlainChallenge = Self.hasPlainChallenge(fields)
    return .array(
      fields.map { .array([.string(text($0.0)), .string(value($0.1, named: $0.0, hasPlainChallenge))]) })
  }

  /// Returns true if the code challenge is the verifier itself (RFC 7636, 4.3).
  private static func hasPlainChallenge(_ fields: [(String, String)]) -> Bool {
    !fields.contains { $0.0 == "code_challenge_method" && $0.1 != "plain" }
  }

  /// The value of a parameter of that name.
  mutating func value(_ value: String, named name: String, _ hasPlainChallenge: Bool = false) -> String {
    if hasPlainChallenge, name == "code_challenge" { return label(value, .verifier) }
    if let kind = kind(name) { return label(value, kind) }
    return value.contains("://") ? url(value) : text(value)
  }

  /// - Parameter name: the name of the member with this value.
  mutating func json(_ value: JSON, named name: String? = nil) -> JSON {
    switch value {
    case .string(let text):
      guard let name, let kind = kind(name), kind != .code || Self.looksSecret(text) else {
        return .string(text.contains("://") ? url(text) : self.text(text))
      }
      return .string(label(text, kind))
    case .array(let elements): return .array(elements.map { json($0, named: name) })
    case .object(let members):
      var result: [String: JSON] = [:]
      for (member, value) in members.sorted(by: { $0.key < $1.key }) {
        result[text(member)] = json(value, named: member)
      }
      return .object(result)
    case .null, .bool, .integer, .number: return value
    }
  }

  /// Tells a code to be redeemed from the code of an error, which is in words.
  private static func looksSecret(_ text: String) -> Bool {
    text.utf8.count >= 20 && text.contains(where: \.isNumber) && !text.contains(" ") && !text.hasPrefix("AADB2C")
  }

  private struct Part {
    let separator: Character
    let rawName: String
    let rawValue: String
    let name: String
    let value: String?
  }

  /// The parameters of a query and of a fragment, with the separator in front of each.
  private static func parts(_ text: Substring) -> [Part] {
    var parts: [Part] = []
    var rest = text
    while let separator = rest.popFirst() {
      let piece = rest.prefix { $0 != "&" && $0 != "#" && !(separator == "#" && $0 == "?") }
      rest = rest.dropFirst(piece.count)
      let sides = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = URLEncodedForm.decode(piece).first
      parts.append(
        Part(
          separator: separator, rawName: sides.first.map(String.init) ?? "",
          rawValue: sides.count > 1 ? String(sides[1]) : "", name: decoded?.0 ?? "",
          value: sides.count > 1 ? decoded?.1 ?? "" : nil))
    }
    return parts
  }
}
