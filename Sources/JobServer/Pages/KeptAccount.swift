import JSON
import Jobs

/// An account that jobs use, as the pages show it.
package struct KeptAccount: Sendable {
  package var name: String
  package var policy: String?
  /// The end of its access token, in seconds since 1970; nil if nobody knows.
  package var expires: Int64?
  /// True if runs get new tokens without a person.
  package var renews: Bool
  /// The command that signs in again.
  package var command: String

  package init(name: String, policy: String?, expires: Int64?, renews: Bool, command: String) {
    self.name = name
    self.policy = policy
    self.expires = expires
    self.renews = renews
    self.command = command
  }

  var json: JSON {
    var members: [String: JSON] = ["name": .string(name), "renews": .bool(renews), "command": .string(command)]
    members["policy"] = policy.map { .string($0) }
    members["expires"] = expires.map { .instant($0 * 1000) }
    return .object(members)
  }
}
