import Core
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
  /// Other outputs do not use these: a script could have any text taken out by sending it in a request.
  private let own = Redactor()

  /// Takes a secret out of the trace everywhere.
  func hide(_ secret: String) { own.register(secret) }

  /// The tokens that were found since these were last taken.
  private(set) var newTokens: [NewToken] = []

  mutating func takeNewTokens() -> [NewToken] {
    defer { newTokens = [] }
    return newTokens
  }

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

  mutating func text(_ text: String) -> String {
    guard !text.isEmpty else { return text }
    var scan = SecretScan(text)
    return own.clean(OutputText(scan.replaced { label($0, $1) }).text)
  }

  /// An address, whose secrets are percent-encoded labels.
  mutating func url(_ url: String) -> String {
    let address = WebAddress(url)
    let parameters = address.parameters
    let hasPlainChallenge = Self.hasPlainChallenge(parameters.map { ($0.name, $0.value ?? "") })
    var result = text(address.base)
    for parameter in parameters {
      result.append(parameter.separator)
      guard let value = parameter.value, let raw = parameter.rawValue else {
        result += text(parameter.name)
        continue
      }
      let shown = self.value(value, named: parameter.name, hasPlainChallenge)
      result += "\(parameter.rawName)=\(shown == value ? raw : URLEncodedForm.percentEncode(shown))"
    }
    return result
  }

  /// The parameters of an address's query, or of its fragment; nil if there are none.
  mutating func parameters(_ text: String?) -> JSON? {
    guard let text, text.contains("=") else { return nil }
    return fields(URLEncodedForm.decode(text))
  }

  /// The claims of a DPoP proof in words, without the signature: nobody can use the proof again (RFC 9449, 4.2).
  mutating func proof(_ jwt: String) -> String {
    guard let claims = try? JWT(decoding: jwt).claims else { return label(jwt, .credentials) }
    func has(_ name: String) -> String { "\(claims[name] == nil ? "without" : "with") \(name)" }
    let words = ["htm", "jti", "iat"].map { name in
      "\(name) \(text(claims[name]?.string ?? claims[name]?.encoded() ?? "none"))"
    }
    return
      "proof (\(words.joined(separator: ", ")), htu \(url(claims["htu"]?.string ?? "none")); \(has("ath")), \(has("nonce")))"
  }

  mutating func fields(_ fields: [(String, String)]) -> JSON {
    let hasPlainChallenge = Self.hasPlainChallenge(fields)
    return .array(fields.map { .array([.string(text($0.0)), .string(value($0.1, named: $0.0, hasPlainChallenge))]) })
  }

  /// Returns true if the code challenge is the verifier itself (RFC 7636, 4.3).
  private static func hasPlainChallenge(_ fields: [(String, String)]) -> Bool {
    !fields.contains { $0.0 == "code_challenge_method" && $0.1 != "plain" }
  }

  mutating func value(_ value: String, named name: String, _ hasPlainChallenge: Bool = false) -> String {
    if hasPlainChallenge, name == "code_challenge" { return label(value, .verifier) }
    if let kind = kind(name) { return label(value, kind) }
    return value.contains("://") ? url(value) : text(value)
  }

  /// - Parameter name: the name of the member with this value.
  mutating func json(_ value: JSON, named name: String? = nil) -> JSON {
    switch value {
    case .string(let text):
      guard let name, let kind = kind(name), kind != .code || SecretScan.looksSecret(text.utf8) else {
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
}
