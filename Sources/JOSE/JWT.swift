package import JSON

/// A JSON Web Token (RFC 7519) taken apart, **not verified**: nothing in it may be believed before `JWS.verify`.
package struct JWT: Sendable {
  package let header: JSON
  package let claims: JSON

  /// - Throws: `malformed_token` when the text is no compact JWS whose header and claims are JSON objects, is longer
  ///   than 256 KiB, or nests more than 32 deep.
  package init(decoding compact: String) throws(JOSEError) {
    let parts = try CompactToken(compact, parts: 3)
    header = try parts.object(0, "header")
    claims = try parts.object(1, "payload")
    _ = try parts.bytes(2, "signature")
  }
}
