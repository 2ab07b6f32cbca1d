package import JSON

/// The claims of an ID token that was validated (OpenID Connect Core, 2; B2C's own).
package struct IDTokenClaims: Sendable {
  package let json: JSON

  init(_ json: JSON) { self.json = json }

  package var issuer: String { json["iss"]?.string ?? "" }
  /// The user's ID at this issuer.
  package var subject: String { json["sub"]?.string ?? "" }
  /// The user's ID in the directory.
  package var objectID: String? { json["oid"]?.string }
  package var name: String? { json["name"]?.string }
  /// B2C's `emails`, else the standard's `email`.
  package var emails: [String] {
    json["emails"]?.array?.compactMap(\.string) ?? json["email"]?.string.map { [$0] } ?? []
  }
  /// The policy that issued it: `tfp`, or `acr` in older tokens.
  package var policy: String? {
    json["tfp"]?.string ?? json["acr"]?.string.flatMap { $0.lowercased().hasPrefix("b2c_1") ? $0 : nil }
  }
  /// Seconds since 1970.
  package var expiresAt: Double { json["exp"]?.seconds ?? 0 }
  /// When the user last signed in, in seconds since 1970.
  package var authenticatedAt: Double? { json["auth_time"]?.seconds }
  package var identityProvider: String? { json["idp"]?.string }
}

extension JSON {
  /// A NumericDate (RFC 7519, 2), also one written as a string.
  var seconds: Double? {
    if case .number(let value) = self { return value }
    return lenientInteger.map(Double.init)
  }
}
