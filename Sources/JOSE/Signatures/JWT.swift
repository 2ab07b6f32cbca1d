package import JSON

/// The parts of a JSON Web Token (RFC 7519), **not verified**. Trust nothing in it before `JWS.verify`.
package struct JWT: Sendable {
  package let header: JSON
  package let claims: JSON

  /// - Throws: `malformed_token` for a text that is no compact JWS with JSON objects as header and claims, is longer than
  ///   256 KiB, or nests more than 32 deep.
  package init(decoding compact: String) throws(JOSEError) {
    let parts = try CompactToken(compact, parts: 3)
    header = try parts.object(0, "header")
    claims = try parts.object(1, "payload")
    _ = try parts.bytes(2, "signature")
  }
}
