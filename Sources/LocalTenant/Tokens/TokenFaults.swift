/// A wrong answer of the introspection endpoint, for `tenant.fault { introspection = … }`.
package enum IntrospectionFault: String, Sendable, CaseIterable {
  /// A signed answer for another application.
  case otherAudience = "other_audience"
  /// JSON in place of a signed answer.
  case json
  /// An answer without `active`.
  case noActive = "no_active"
}

/// A wrong answer of the userinfo endpoint, for `tenant.fault { userinfo = … }`.
package enum UserinfoFault: String, Sendable, CaseIterable {
  /// The claims of another user.
  case otherUser = "other_user"
  /// A JWT with `alg: none`.
  case unsigned
}

/// A wrong answer to a token exchange, for `tenant.fault { exchange = … }`.
package enum ExchangeFault: String, Sendable, CaseIterable {
  /// An answer without `issued_token_type`.
  case noIssuedType = "no_issued_type"
}
