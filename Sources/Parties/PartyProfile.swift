package import Core
import JSON

/// The habits of a real provider or client, as a file of `scripts/profiles` describes them.
package struct PartyProfile: Sendable {
  package enum Role: String, Sendable, CaseIterable {
    case provider, client

    /// The folder of the profiles of this role.
    var folder: String { "\(rawValue)s" }
  }

  package let role: Role
  /// The name of the file, without its ending: `entra`.
  package let name: String
  package let title: String
  /// The version of a client that was read; nil for a service.
  package let version: String?
  /// The patterns of its addresses: `*.ciamlogin.com`, `*/realms/*`. Empty for a client.
  package let hosts: [String]
  /// The kind of directory that the local tenant is beneath the habits: `b2c` or `external_id`.
  package let kind: String?
  /// The registration of an application; nil for a client.
  package let registration: Registration?
  package let habits: [Habit]
}

extension PartyProfile {
  /// A deed that standards leave to a party, or that they forbid.
  package struct Habit: Sendable {
    package let name: String
    /// One sentence about the party.
    package let text: String
    /// The page or the file where it can be read.
    package let source: String
    /// The day of the source: `2025-03-01`.
    package let date: String
    /// The section of a standard that the habit breaks; nil if the party may do it.
    package let breaks: String?
    package let effects: [Effect]
  }

  /// The registration of an application, by the names of the provider's own pages, and the settings that follow.
  package struct Registration: Sendable {
    package let steps: [String]
    package let redirectURL: String
    /// The scopes of a first sign-in; empty for those of the settings.
    package let scopes: String
    /// Parameters of the authorization request: `access_type=offline`.
    package let parameters: [String: String]
    package let source: String
    package let date: String
  }
}

/// The reason why a profile cannot be used.
package typealias ProfileError = DomainError<ProfileProblem>

package enum ProfileProblem: String, FailureKind {
  case unknown = "unknown_profile"
  case unreadable = "unreadable_profile"
  case malformed = "malformed_profile"
}

extension PartyProfile {
  /// The changes of each authorization request of a client; nil takes a parameter out.
  package var authorizationChanges: [String: String?] {
    var all: [String: String?] = [:]
    for case .authorize(let changes) in habits.flatMap(\.effects) {
      for (name, value) in changes { all[name] = .some(value.string) }
    }
    return all
  }
}
