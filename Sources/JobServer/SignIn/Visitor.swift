import Core
import Crypto
import HostLoop

/// A person at the pages, or a program at the API.
struct Visitor: Sendable {
  /// The name of the session; empty for a visitor without one.
  var session = ""
  /// The name as the provider told it; nil where nobody signs in.
  var name: String?
}

/// The sessions of those who have signed in at the pages. They end with the server, or after half a day.
@HostActor
struct Visitors {
  /// Seconds.
  private static let lifetime = 12.0 * 3600
  private static let limit = 1000
  private var known: [String: (visitor: Visitor, until: Double)] = [:]

  nonisolated init() {}

  /// The value of the new session's cookie. Only its hash is kept.
  mutating func add(_ name: String) -> String {
    let now = HostLoop.uptime
    known = known.filter { $0.value.until > now }
    if known.count >= Self.limit, let oldest = known.min(by: { $0.value.until < $1.value.until }) {
      known[oldest.key] = nil
    }
    let cookie = SecureRandom.token()
    let session = Self.session(cookie)
    known[session] = (Visitor(session: session, name: name), now + Self.lifetime)
    return cookie
  }

  func visitor(_ cookie: String?) -> Visitor? {
    guard let cookie, let entry = known[Self.session(cookie)], entry.until > HostLoop.uptime else { return nil }
    return entry.visitor
  }

  mutating func remove(_ visitor: Visitor) { known[visitor.session] = nil }

  private static func session(_ cookie: String) -> String { SHA256.hash(cookie.utf8).hexadecimal }
}
