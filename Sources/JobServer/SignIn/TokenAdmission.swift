package import HostLoop
import JSON
package import OAuth

/// The check of access tokens for a server of this program: by the keys of the provider, for its own application and for the named
/// subjects.
@HostActor
package struct TokenAdmission {
  /// The reason to refuse a token.
  package enum Refusal: Error, Equatable {
    case invalid
    /// A valid token of somebody who is not named.
    case notNamed(String)
  }

  package let provider: Provider
  private let subjects: Set<String>

  /// - Parameter provider: its settings name the application that tokens have to be for.
  package init(_ provider: Provider, subjects: Set<String>) {
    self.provider = provider
    self.subjects = subjects
  }

  /// The subject of a valid token: its signature, issuer, audience and times.
  package func subject(of token: String) async throws(Refusal) -> String {
    let claims: JSON
    do { claims = try await IDTokenValidator(provider).validate(idToken: token, use: .jwt) } catch { throw .invalid }
    guard Self.areOfAccessToken(claims), let subject = claims["sub"]?.string else { throw .invalid }
    guard subjects.contains(subject) else { throw .notNamed(subject) }
    return subject
  }

  /// An ID token and a logout token are for this application, too, and anybody who saw one could send it. An ID token of a
  /// refresh has no nonce, and at some providers no hash either: a claim about the client or its rights is necessary
  /// (RFC 9068, 2.2; `scp`, `roles` and `azp` of Microsoft's platforms). A token that is bound to a key (`cnf`) is of no use without
  /// the proof of the key, which a `Bearer` does not bring (RFC 9449, 7.2; RFC 8705, 3).
  private static func areOfAccessToken(_ claims: JSON) -> Bool {
    ["nonce", "at_hash", "c_hash", "s_hash", "events", "cnf"].allSatisfy { claims[$0] == nil }
      && claims["typ"]?.string != "ID"
      && ["scope", "scp", "roles", "client_id", "azp", "appid", "cid"].contains { claims[$0] != nil }
  }
}
