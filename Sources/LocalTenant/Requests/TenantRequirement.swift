/// A feature that the tenant can require of every client, for `tenant.require`.
package enum TenantRequirement: String, Sendable, CaseIterable {
  /// Pushed authorization requests (RFC 9126).
  case par
  /// Signed authorization responses (JARM).
  case jarm
  /// Tokens that are bound to a key (RFC 9449), at the token endpoint and at the task API.
  case dpop
  /// A nonce of the tenant in each proof (RFC 9449, 8 and 9).
  case dpopNonce = "dpop_nonce"
  /// Tokens that are bound to the client's certificate (RFC 8705), at the token endpoint and at the task API.
  case mtls
  /// Authorization requests as signed request objects (RFC 9101).
  case requestObject = "request_object"
  /// Client authentication by `private_key_jwt`.
  case keyJWT = "private_key_jwt"
}

extension LocalTenant {
  /// Requires these features from now on, and no others.
  package func require(_ requirements: Set<TenantRequirement>) throws(TenantError) {
    try withEngine { engine in
      guard !requirements.contains(.mtls) || engine.isSecure else {
        throw TenantError.invalid(
          "requirement", "the tenant serves http, and only https shows certificates (mtls)",
          hint: "start it with --tls: b2c-run --local --tls SCRIPT")
      }
      engine.behavior.requirements = requirements
    }
  }
}
