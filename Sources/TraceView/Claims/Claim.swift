import Core
import JOSE
import JSON
import Pages

struct Claim {
  let name: String
  let value: JSON

  /// The claims of an object, the known ones first, in the order in which one asks for them.
  static func list(_ json: JSON) -> [Claim] {
    let order = known.map(\.name)
    return (json.object ?? [:]).map { Claim(name: $0.key, value: $0.value) }.sorted { one, other in
      let places = (order.firstIndex(of: one.name) ?? order.count, order.firstIndex(of: other.name) ?? order.count)
      return (places.0, one.name) < (places.1, other.name)
    }
  }

  var meaning: String? { Self.known.first { $0.name == name }?.meaning }

  /// `expires in 59 min, at 14:03:10`; nil for a claim that is no time. `now` is when the token was seen.
  func time(seenAt now: UnixTime) -> String? {
    guard let verbs = Self.times[name], let seconds = value.seconds else { return nil }
    let time = UnixTime(seconds)
    let verb = seconds > now.seconds ? verbs.before : verbs.after
    return "\(verb) \(time.distance(from: now)), \(time.moment(seenAt: now))"
  }

  /// The verbs for a time to come and for a past time.
  private static let times: [String: (before: String, after: String)] = [
    "exp": ("expires", "expired"), "iat": ("issued", "issued"), "nbf": ("valid", "valid from"),
    "auth_time": ("signs in", "signed in"), "updated_at": ("updated", "updated"), "pwd_exp": ("ends", "ended"),
  ]

  /// RFC 7519 (4.1), OpenID Connect Core (2, 5.1), RFC 7515 (4.1), and what Azure AD B2C adds.
  private static let known: [(name: String, meaning: String)] = [
    ("alg", "how it is signed"), ("kid", "which key signed it"), ("typ", "what it is"),
    ("x5t", "the key's certificate"),
    ("iss", "who issued it"), ("aud", "which application it is for"), ("azp", "which application it was given to"),
    ("sub", "who the user is, at this issuer"), ("oid", "the user's ID in the directory"), ("name", "the user's name"),
    ("given_name", "first name"), ("family_name", "last name"), ("emails", "the user's addresses"),
    ("email", "the user's address"), ("exp", "when it ends"), ("iat", "when it was issued"),
    ("nbf", "from when on it is valid"), ("auth_time", "when the user signed in"),
    ("tfp", "the policy"), ("acr", "the policy, in older tokens"), ("scp", "what it allows"),
    ("scope", "what it allows"),
    ("nonce", "ties it to the request"), ("at_hash", "ties it to the access token"), ("c_hash", "ties it to the code"),
    ("idp", "who knows the user"), ("amr", "how the user signed in"), ("ver", "the version of the token"),
    ("newUser", "whether the user signed up just now"), ("jti", "the ID of the token"), ("sid", "the session"),
  ]
}

extension JSON {
  /// A time in seconds since 1970.
  var seconds: Double? {
    if case .number(let value) = self { return value }
    return lenientInteger.map(Double.init)
  }
}

/// A JWT of the run, and what came of its validation.
struct SeenToken {
  /// `[id token #1]`
  let label: String
  let kind: String
  let header: JSON
  let claims: JSON
  let event: TraceEvent
  let validations: [TraceEvent]

  static func all(_ trace: RecordedTrace) -> [SeenToken] {
    let validations = Dictionary(grouping: trace.events.filter { $0.type == "validation" }) { $0.text("token") ?? "" }
    return trace.events.filter { $0.type == "token" }.map { event in
      let label = event.text("label") ?? "[token]"
      return SeenToken(
        label: label, kind: event.text("kind") ?? "token", header: event.json["header"] ?? .null,
        claims: event.json["claims"] ?? .null, event: event, validations: validations[label] ?? [])
    }
  }

  func moment(_ trace: RecordedTrace) -> UnixTime {
    UnixTime((UnixTime(iso: trace.started)?.seconds ?? 0) + Double(event.at) / 1e6)
  }
}
