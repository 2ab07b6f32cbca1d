package import Core

/// Why nobody can sign in at a protected resource.
package typealias DiscoveryError = DomainError<DiscoveryProblem>

/// The kinds of `DiscoveryError`.
package enum DiscoveryProblem: String, FailureKind {
  /// The address of the resource is not https, or not an address.
  case invalidResource = "invalid_resource"
  /// The resource did not answer, or answers without a sign-in.
  case notProtected = "not_protected"
  /// A document breaks a rule for addresses: https, one host, public, small, fast.
  case unsafeDocument = "unsafe_document"
  /// No place has the document.
  case noDocument = "no_metadata"
  /// A document has not what it must have.
  case malformedDocument = "malformed_metadata"
  /// The document is of another resource.
  case otherResource = "resource_mismatch"
  /// The document is of another issuer.
  case otherIssuer = "issuer_mismatch"
  /// The authorization server does not offer PKCE with S256.
  case noPKCE = "pkce_not_supported"
  /// There is no way to become a client of the authorization server.
  case noClient = "no_client"
  /// The resource has moved to another authorization server since the sign-in.
  case moved = "authorization_server_moved"
}
