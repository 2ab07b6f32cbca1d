import Crypto
import JSON
import OAuth

/// The values of a sign-in that has begun. All of them come from a cookie of the browser and a key of this server, so that
/// sign-ins that never end take no memory.
struct SignInStart {
  /// Seconds that a person has to sign in.
  private static let lifetime: Int64 = 1800
  let cookie: String
  /// The path and query to show after the sign-in.
  let target: String
  private let key: [UInt8]

  /// A new sign-in. `now` is in seconds since 1970.
  init(to target: String, _ key: [UInt8], now: Int64) {
    self.key = key
    self.target = Self.isLocal(target) ? target : "/"
    let text = "\(SecureRandom.token()).\(now).\(Base64URL.encode(Array(self.target.utf8)))"
    cookie = "\(text).\(Self.derive("cookie", text, key))"
  }

  /// The sign-in of the cookie; nil if this server has not made it, or long ago.
  init?(cookie: String?, _ key: [UInt8], now: Int64) {
    guard let cookie, let end = cookie.lastIndex(of: ".") else { return nil }
    let text = String(cookie[..<end])
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard HMAC.areEqual(Array(cookie[end...].dropFirst().utf8), Array(Self.derive("cookie", text, key).utf8)),
      parts.count == 3, let time = Int64(parts[1]), time <= now, now - time < Self.lifetime,
      let target = Base64URL.decode(String(parts[2]))
    else { return nil }
    self.cookie = cookie
    self.target = String(decoding: target, as: UTF8.self)
    self.key = key
  }

  var state: String { Self.derive("state", cookie, key) }
  var nonce: String { Self.derive("nonce", cookie, key) }
  var pkce: PKCE { PKCE(verifier: Self.derive("verifier", cookie, key)) }

  /// 43 characters that only this server can compute.
  private static func derive(_ use: String, _ text: String, _ key: [UInt8]) -> String {
    Base64URL.encode(HMAC.sha256(key: key, Array("\(use):\(text)".utf8)))
  }

  /// True for a path and query of this server, and no address of another one (`//host`, `/\host`).
  private static func isLocal(_ target: String) -> Bool {
    target.hasPrefix("/") && !target.hasPrefix("//") && target.utf8.count < 1000
      && target.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
  }
}
