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

  /// The subject of a valid access token: its signature, issuer, audience, times and kind.
  package func subject(of token: String) async throws(Refusal) -> String {
    let claims: JSON
    do { claims = try await IDTokenValidator(provider).validate(accessToken: token) } catch { throw .invalid }
    guard let subject = claims["sub"]?.string else { throw .invalid }
    guard subjects.contains(subject) else { throw .notNamed(subject) }
    return subject
  }
}
