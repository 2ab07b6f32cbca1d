package import Core
import Crypto
import JSON

/// The ways in which services sign the requests that they send.
package enum WebhookScheme: String, Sendable, CaseIterable {
  /// Standard Webhooks 1.0.0: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
  case standard
  /// GitHub: `X-Hub-Signature-256`.
  case github
  /// Stripe: `Stripe-Signature`.
  case stripe
  /// Nobody signs.
  case none
}

/// Checks the signature of a received request. It stores nothing.
package struct WebhookCheck: Sendable {
  /// The seconds by which the time of a request may differ from the clock, in both directions.
  package static let tolerance: Int64 = 300
  /// The most signatures of one request. Standard Webhooks sends one for each secret during a rotation.
  private static let mostSignatures = 50

  private let scheme: WebhookScheme
  private let keys: [[UInt8]]

  /// - Parameter secret: each line of it is a secret, so that a secret can be changed without a lost request.
  /// - Throws: `bad_secret` if a line cannot be the secret of such a sender.
  package init(_ scheme: WebhookScheme, secret: Secret) throws(WebhookError) {
    self.scheme = scheme
    var keys: [[UInt8]] = []
    for line in secret.reveal().split(whereSeparator: \.isNewline) {
      guard scheme == .standard else {
        keys.append(Array(line.utf8))
        continue
      }
      keys += try Self.standardKeys(line)
    }
    // Everybody knows an empty key.
    self.keys = keys.filter { !$0.isEmpty }
    guard scheme == .none || !self.keys.isEmpty else { throw WebhookError(.badSecret, "the secret is empty") }
  }

  /// The least bytes of a key in a text that may be Base64 or the key itself. Fewer can be guessed.
  private static let leastKey = 16

  /// The keys that a line may stand for. Senders show their secrets as `whsec_` and Base64, as `v1,whsec_` and Base64, as
  /// Base64 alone, and as the key itself.
  private static func standardKeys(_ line: Substring) throws(WebhookError) -> [[UInt8]] {
    let line = Substring(line.filter { $0 != " " && $0 != "\t" })
    let text = line.hasPrefix("v1,") ? line.dropFirst(3) : line
    guard !text.hasPrefix("whpk_"), !line.hasPrefix("v1a,") else {
      throw WebhookError(
        .badSecret, "the secret is a public key (whpk_), which is not supported",
        hint: "let the sender sign with a shared secret, whsec_…")
    }
    if text.hasPrefix("whsec_") {
      guard let key = base64(text.dropFirst("whsec_".count)), !key.isEmpty else {
        throw WebhookError(
          .badSecret, "the secret has no Base64 behind whsec_", hint: "copy it from the sender's page again")
      }
      return [key]
    }
    let decoded = base64(text).flatMap { $0.count >= leastKey ? $0 : nil }
    return [Array(line.utf8)] + [decoded].compactMap(\.self)
  }

  /// Checks a request, and gives the IDs by which a repetition of it is known; none for the scheme `none`.
  /// - Parameter now: in seconds since 1970.
  package func check(_ headers: [(String, String)], _ body: [UInt8], now: Int64) throws(WebhookError) -> [String] {
    let fields = HeaderFields(headers)
    switch scheme {
    case .none: return []
    case .standard: return try checkStandard(fields, body, now)
    case .github: return try checkGitHub(fields, body)
    case .stripe: return try checkStripe(fields, body, now)
    }
  }

  private func checkStandard(_ fields: HeaderFields, _ body: [UInt8], _ now: Int64) throws(WebhookError) -> [String] {
    // Svix, by which many services send, has its own names for the same headers.
    let names = fields.has("svix-id") && !fields.has("webhook-id") ? "svix" : "webhook"
    let id = try fields.one("\(names)-id")
    let time = try fields.one("\(names)-timestamp")
    let given = try fields.one("\(names)-signature").split(separator: " ")
    // The ID and the time are signed with a dot between them.
    guard !id.contains(".") else { throw WebhookError(.badHeader, "\(names)-id: expected an ID without a dot") }
    try checkTime(time, "\(names)-timestamp", now)
    guard given.count <= Self.mostSignatures else { throw tooMany("\(names)-signature") }
    let signatures = given.compactMap { word in word.hasPrefix("v1,") ? Self.base64(word.dropFirst(3)) : nil }
    guard !signatures.isEmpty else {
      throw WebhookError(.badHeader, "\(names)-signature: expected v1, and Base64 behind it")
    }
    try compare(signatures, Array("\(id).\(time).".utf8) + body, "\(names)-signature")
    return [id]
  }

  private func checkGitHub(_ fields: HeaderFields, _ body: [UInt8]) throws(WebhookError) -> [String] {
    // Bitbucket has the same signature in the header that GitHub has for another one.
    let isBitbucket = !fields.has("X-Hub-Signature-256") && fields.has("X-Request-UUID")
    let header = isBitbucket ? "X-Hub-Signature" : "X-Hub-Signature-256"
    let given = try fields.one(header)
    guard given.hasPrefix("sha256="), let signature = Self.hexadecimal(given.dropFirst(7)) else {
      throw WebhookError(.badHeader, "\(header): expected sha256= and 64 hexadecimal digits")
    }
    try compare([signature], body, header)
    // The delivery is not signed, so whoever has seen a request could send it again under another one.
    return try [fields.one(isBitbucket ? "X-Request-UUID" : "X-GitHub-Delivery"), "sha256=\(signature.hexadecimal)"]
  }

  private func checkStripe(_ fields: HeaderFields, _ body: [UInt8], _ now: Int64) throws(WebhookError) -> [String] {
    let header = "Stripe-Signature"
    var time: String?
    var signatures: [[UInt8]] = []
    let parts = try fields.one(header).split(separator: ",")
    guard parts.count <= Self.mostSignatures else { throw tooMany(header) }
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { throw WebhookError(.badHeader, "\(header): expected t=…,v1=…") }
      if pair[0] == "t" {
        guard time == nil else { throw WebhookError(.badHeader, "\(header): expected one t") }
        time = pair[1]
      } else if pair[0] == "v1", let signature = Self.hexadecimal(pair[1][...]) {
        signatures.append(signature)
      }
    }
    guard let time, !signatures.isEmpty else { throw WebhookError(.badHeader, "\(header): expected t=…,v1=…") }
    try checkTime(time, header, now)
    try compare(signatures, Array("\(time).".utf8) + body, header)
    // The ID is part of what is signed.
    guard let id = (try? JSON(parsing: body))?["id"]?.string else { return ["\(time).\(signatures[0].hexadecimal)"] }
    return [id]
  }

  private static let leastMilliseconds: Int64 = 100_000_000_000

  private func checkTime(_ text: String, _ header: String, _ now: Int64) throws(WebhookError) {
    guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), var time = Int64(text) else {
      throw WebhookError(.badHeader, "\(header): expected a time in seconds since 1970")
    }
    // Some senders sign a time in milliseconds. In seconds, it would be later than the year 5000.
    if time >= Self.leastMilliseconds { time /= 1000 }
    if now - time > Self.tolerance {
      throw WebhookError(.oldTimestamp, "\(header): the request is \(now - time) s old, more than \(Self.tolerance) s")
    }
    if time - now > Self.tolerance {
      throw WebhookError(
        .futureTimestamp, "\(header): the request is from \(time - now) s in the future, more than \(Self.tolerance) s")
    }
  }

  /// Throws unless one of the signatures is the one of a secret.
  private func compare(_ signatures: [[UInt8]], _ message: [UInt8], _ header: String) throws(WebhookError) {
    var isRight = false
    for key in keys {
      let right = HMAC.sha256(key: key, message)
      for signature in signatures where HMAC.areEqual(right, signature) { isRight = true }
    }
    guard isRight else {
      throw WebhookError(.badSignature, "\(header): the signature is not that of the secret and this body")
    }
  }

  private func tooMany(_ header: String) -> WebhookError {
    WebhookError(.badHeader, "\(header): more than \(Self.mostSignatures) signatures")
  }

  private static func base64(_ text: Substring) -> [UInt8]? {
    var text = text
    while text.last == "=" { text.removeLast() }
    return Base64URL.decode(text.replacing("+", with: "-").replacing("/", with: "_"))
  }

  private static func hexadecimal(_ text: Substring) -> [UInt8]? {
    guard text.utf8.count == 64 else { return nil }
    var bytes: [UInt8] = []
    var rest = text[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16), rest.prefix(2).allSatisfy(\.isHexDigit) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}

/// The header fields of a request.
private struct HeaderFields {
  private let fields: [(String, String)]

  init(_ fields: [(String, String)]) { self.fields = fields.map { ($0.0.lowercased(), $0.1) } }

  func has(_ name: String) -> Bool { fields.contains { $0.0 == name.lowercased() } }

  /// The value of a field that must be there once.
  func one(_ name: String) throws(WebhookError) -> String {
    let found = fields.filter { $0.0 == name.lowercased() }
    guard let first = found.first, !first.1.isEmpty else {
      throw WebhookError(.noSignature, "the header \(name) is missing")
    }
    guard found.count == 1 else { throw WebhookError(.badHeader, "the header \(name) is there \(found.count) times") }
    return first.1
  }
}
