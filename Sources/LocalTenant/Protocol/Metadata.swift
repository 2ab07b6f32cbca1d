import JSON
import TenantTexts

/// The discovery document (OpenID Connect Discovery §3). It lists only supported features.
enum Metadata {
  /// - Parameter certificates: nil for a tenant without TLS; else a fault, if there is one.
  static func document(
    _ address: PolicyAddress, issuer: String, algorithm: SigningAlgorithm, _ requirements: Set<TenantRequirement>,
    _ certificates: CertificateFault??
  ) -> JSON {
    let secrets: [ClientMethod] = [.post, .basic, .secretJWT]
    let certificateMethods: [ClientMethod] = certificates == nil ? [] : [.certificate, .selfSignedCertificate]
    let methods = requirements.contains(.keyJWT) ? [.keyJWT] : secrets + [.keyJWT] + certificateMethods + [.none]
    let authentication = JSON.array(methods.map { .string($0.rawValue) })
    let assertions = JSON.array((AssertionCheck.keyAlgorithms + AssertionCheck.secretAlgorithms).map(JSON.string))
    var members: [String: JSON] = [
      "issuer": .string(issuer),
      // Policies without pages have it too, as in B2C, because clients do not start without it.
      "authorization_endpoint": .string(address.url(.authorize)),
      "token_endpoint": .string(address.url(.token)),
      "end_session_endpoint": .string(address.url(.logout)),
      "jwks_uri": .string(address.url(.keys)),
      "revocation_endpoint": .string(address.url(.revoke)),
      "registration_endpoint": .string(address.url(.register)),
      "scopes_supported": .array((["openid", "offline_access"] + Contoso.taskScopes).map(JSON.string)),
      "subject_types_supported": ["public"],
      // The algorithm in use, and RS256, which every provider must list (OpenID Connect Discovery §3).
      "id_token_signing_alg_values_supported": .array(
        (algorithm == .rs256 ? [algorithm] : [algorithm, .rs256]).map { .string($0.rawValue) }),
      "token_endpoint_auth_methods_supported": authentication,
      "token_endpoint_auth_signing_alg_values_supported": assertions,
      "revocation_endpoint_auth_methods_supported": authentication,
      "revocation_endpoint_auth_signing_alg_values_supported": assertions,
      "claims_supported": .array((claims + (address.isExternalID ? externalClaims : policyClaims)).map(JSON.string)),
      "dpop_signing_alg_values_supported": .array(ProofCheck.algorithms.map(JSON.string)),
      "claims_parameter_supported": false,
      "request_parameter_supported": .bool(address.policy.kind != .ropc),
      "request_uri_parameter_supported": false,
      "authorization_response_iss_parameter_supported": true,
    ]
    if let fault = certificates { members.merge(mutualTLS(address, fault)) { $1 } }
    members.merge(tokens(address, algorithm, authentication, assertions)) { first, _ in first }
    if address.policy.kind == .ropc {
      members["grant_types_supported"] = .array(
        grants(address).filter { ![.authorizationCode, .deviceCode, .backchannel].contains($0) }.map {
          .string($0.rawValue)
        })
    } else {
      members.merge(signIn(address)) { first, _ in first }
      members["authorization_signing_alg_values_supported"] = [.string(algorithm.rawValue)]
      members["require_pushed_authorization_requests"] = .bool(requirements.contains(.par))
      members["require_signed_request_object"] = .bool(requirements.contains(.requestObject))
    }
    return .object(members)
  }

  private static func mutualTLS(_ address: PolicyAddress, _ fault: CertificateFault?) -> [String: JSON] {
    var token = address.url(.token)
    if fault == .aliasHost { token = "https://mtls.contoso.example/token" }
    if fault == .aliasHTTP { token = "http" + token.dropFirst("https".count) }
    return [
      "tls_client_certificate_bound_access_tokens": true,
      "mtls_endpoint_aliases": [
        "token_endpoint": .string(token), "revocation_endpoint": .string(address.url(.revoke)),
      ],
    ]
  }

  private static func grants(_ address: PolicyAddress) -> [GrantType] {
    GrantType.allCases.filter { $0 != .assertion || address.isExternalID }
  }

  /// The endpoints about tokens after the sign-in.
  private static func tokens(
    _ address: PolicyAddress, _ algorithm: SigningAlgorithm, _ authentication: JSON, _ assertions: JSON
  ) -> [String: JSON] {
    [
      "introspection_endpoint": .string(address.url(.introspection)),
      "introspection_endpoint_auth_methods_supported": authentication,
      "introspection_endpoint_auth_signing_alg_values_supported": assertions,
      "introspection_signing_alg_values_supported": [.string(algorithm.rawValue)],
      "userinfo_endpoint": .string(address.url(.userinfo)),
      "userinfo_signing_alg_values_supported": [.string(algorithm.rawValue)],
    ]
  }

  private static func signIn(_ address: PolicyAddress) -> [String: JSON] {
    [
      "device_authorization_endpoint": .string(address.url(.deviceCode)),
      "pushed_authorization_request_endpoint": .string(address.url(.par)),
      "backchannel_authentication_endpoint": .string(address.url(.backchannel)),
      "backchannel_token_delivery_modes_supported": ["poll"],
      "backchannel_user_code_parameter_supported": false,
      "response_modes_supported": [
        "query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt",
      ],
      "response_types_supported": [
        "code", "code id_token", "code token", "code id_token token", "id_token", "id_token token", "token",
        "token id_token",
      ],
      "grant_types_supported": .array(
        grants(address).filter { $0 != .password }.map { .string($0.rawValue) } + ["implicit"]
          + (address.isExternalID ? nativeGrants : [])),
      "code_challenge_methods_supported": ["S256", "plain"],
      "request_object_signing_alg_values_supported": .array(RequestObjectCheck.algorithms.map(JSON.string)),
      "request_object_encryption_alg_values_supported": .array(EncryptionKey.algorithms.map(JSON.string)),
      "request_object_encryption_enc_values_supported": .array(EncryptionKey.contents.map(JSON.string)),
      "authorization_details_types_supported": .array(RichDetails.types.map(JSON.string)),
      "prompt_values_supported": .array(AuthorizationRequest.promptValues.map(JSON.string)),
      "acr_values_supported": [.string(TokenIssuer.secondFactorClass)],
      "ui_locales_supported": .array(Texts.languages.map(JSON.string)),
      "frontchannel_logout_supported": true,
      "frontchannel_logout_session_supported": true,
    ]
  }

  private static let claims = [
    "iss", "aud", "exp", "nbf", "iat", "auth_time", "sub", "oid", "name", "nonce", "azp", "scp", "ver",
    "at_hash", "c_hash", "jti", "roles", "acr", "sid",
  ]

  private static let policyClaims = ["emails", "tfp", "idp"]
  private static let externalClaims = ["preferred_username", "email", "tid"]
  /// Native authentication; its other endpoints have no names in metadata.
  private static let nativeGrants: [JSON] = ["password", "oob", "continuation_token"]
}
