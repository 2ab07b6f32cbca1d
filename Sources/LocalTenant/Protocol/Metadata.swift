import JOSE

/// The discovery document (OpenID Connect Discovery §3): what works, and nothing else.
enum Metadata {
  static func document(_ address: PolicyAddress, issuerForm: TenantConfiguration.IssuerForm) -> JSON {
    [
      "issuer": .string(address.issuer(issuerForm)),
      "authorization_endpoint": .string(address.authorize),
      "token_endpoint": .string(address.token),
      "end_session_endpoint": .string(address.logout),
      "jwks_uri": .string(address.keys),
      "response_modes_supported": ["query", "fragment", "form_post"],
      "response_types_supported": ["code", "code id_token", "id_token"],
      "grant_types_supported": ["authorization_code", "implicit", "refresh_token"],
      "scopes_supported": .array(
        (["openid", "offline_access"] + Contoso.taskScopes.map { Contoso.taskScopePrefix + $0 }).map(JSON.string)),
      "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["RS256"],
      "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic", "none"],
      "code_challenge_methods_supported": ["S256", "plain"],
      "prompt_values_supported": ["none", "login", "select_account", "consent"],
      "claims_supported": .array(claims.map(JSON.string)),
      "claims_parameter_supported": false,
      "request_parameter_supported": false,
      "request_uri_parameter_supported": false,
    ]
  }

  private static let claims = [
    "iss", "aud", "exp", "nbf", "iat", "auth_time", "sub", "oid", "name", "emails", "tfp", "nonce", "azp", "scp", "ver",
    "at_hash", "c_hash", "jti", "idp",
  ]
}
