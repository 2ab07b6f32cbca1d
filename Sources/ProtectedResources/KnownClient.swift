package import Core
package import JSON

/// An application that an authorization server registered earlier.
package struct KnownClient: Sendable {
  /// The settings that the account keeps (`Settings.provider`).
  package let provider: JSON
  package let secret: Secret?

  package init(provider: JSON, secret: Secret?) {
    self.provider = provider
    self.secret = secret
  }
}
