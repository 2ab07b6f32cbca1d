package import JSON

/// The effect of a habit on a message, or its demand on one.
package enum Effect: Sendable {
  // Effects of a provider.
  /// The metadata document has these members; null takes one out.
  case metadata([String: JSON])
  /// The parameters of these names are not read.
  case ignores(Set<String>)
  /// The scope loses the words, and gets others.
  case scope(Condition, drops: Set<String>, adds: [String])
  /// Requests that meet the condition end with the error.
  case refuses(Condition, Refusal)
  /// The authorization response has these fields; null takes one out.
  case callback([String: JSON])
  /// Token responses have these members; null takes one out.
  case token(Condition, [String: JSON])
  /// ID tokens have these claims; null takes one out.
  case claims([String: JSON])
  /// The responses of userinfo have these members; null takes one out.
  case userinfo([String: JSON])
  /// Token responses are forms, not JSON.
  case formEncoded(Condition)
  /// Errors of these codes look different.
  case errors([String: Refusal])

  // Effects of a client.
  /// The parameters of the authorization request; null takes one out.
  case authorize([String: JSON])
  /// The parameters of token requests.
  case tokenRequest(Condition, [String: JSON])
  /// The authentication at the token endpoint: `none`, `client_secret_basic` or `client_secret_post`.
  case authentication(String)
  /// The client does not read the metadata document.
  case skipsMetadata
  /// The members must equal the texts. `*` stands for any value, `number` for a number, `same` for the value that the client
  /// has sent or read before, and `same?` for the same if the member is there.
  case requires(MessagePart, [String: String])
  /// The client asks userinfo, and needs an answer.
  case asksUserinfo
  /// The client refreshes, and needs a new access token.
  case refreshes
}

/// The messages that a client reads.
package enum MessagePart: String, Sendable, CaseIterable {
  case metadata, callback, token, claims, userinfo, refresh

  package var noun: String {
    switch self {
    case .metadata: "the metadata document"
    case .callback: "the authorization response"
    case .token: "the token response"
    case .claims: "the ID token"
    case .userinfo: "the response of userinfo"
    case .refresh: "the response to a refresh"
    }
  }
}

/// The requests that an effect is about.
package struct Condition: Sendable {
  /// `authorize`, `token` or `userinfo`; nil for all.
  package let endpoint: String?
  /// The value of each parameter; `*` stands for any.
  package let has: [String: String]
  package let lacks: Set<String>

  package init(endpoint: String?, has: [String: String], lacks: Set<String>) {
    self.endpoint = endpoint
    self.has = has
    self.lacks = lacks
  }

  package func holds(_ fields: [(String, String)], at endpoint: String) -> Bool {
    guard self.endpoint == nil || self.endpoint == endpoint else { return false }
    let given = Dictionary(fields.filter { !$0.1.isEmpty }) { first, _ in first }
    return has.allSatisfy { name, value in
      guard let text = given[name] else { return false }
      return value == "*" || value == text || text.split(separator: " ").contains { $0 == value }
    } && lacks.allSatisfy { given[$0] == nil }
  }
}

/// An error of a provider.
package struct Refusal: Sendable {
  package let error: String
  package let description: String?
  package let status: Int?
  /// Further members of the response: `error_codes`.
  package let members: [String: JSON]
}
