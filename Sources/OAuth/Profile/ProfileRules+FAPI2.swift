import JSON
import Settings

extension ProfileRules {
  /// The signature algorithms of FAPI 2.0 (5.4.1).
  static let fapi2Algorithms: Set = ["PS256", "ES256", "EdDSA"]

  /// The FAPI 2.0 Security Profile. The lifetime of a code cannot be seen by a client.
  static let fapi2 = ProfileRules(
    title: "FAPI 2.0 Security Profile",
    client: [
      .init(
        "5.3.3.1", "a client must authenticate by private_key_jwt or mutual TLS, and not by a secret",
        hint: "register the application with a key, and put clientKey into the settings"
      ) { $0.hasKey },
      .init(
        "5.3.3.1", "the audience of a client assertion must be the issuer of the provider, as a string",
        hint: "take clientAssertionAudience out of the settings"
      ) { $0.settings.clientAssertionAudience == "issuer" },
      .init(
        "5.3.3.1", "a client must use only the endpoints of the provider's metadata document",
        hint: "put authority into the settings"
      ) { $0.settings.metadataURL(policy: nil) != nil },
    ],
    metadata: [
      .init(
        "5.3.2.2", "the provider must have an endpoint for pushed authorization requests",
        hint:
          "the provider's metadata document names no pushed_authorization_request_endpoint, so the provider does not "
          + "follow the profile"
      ) { $0[.pushedRequest] != nil },
      .init(
        "5.3.2.2", "the provider must support PKCE with S256 (code_challenge_methods_supported)",
        hint: "the provider does not follow the profile"
      ) { $0.lists("S256", in: "code_challenge_methods_supported") },
      .init(
        "5.3.2.2", "the provider must support the response type code (response_types_supported)",
        hint: "the provider does not follow the profile"
      ) { $0.lists("code", in: "response_types_supported") },
      .init(
        "5.3.2.1", "the provider must take private_key_jwt or mutual TLS (token_endpoint_auth_methods_supported)",
        hint: "the provider does not follow the profile"
      ) { !ProfiledClient.methodsWithKeys.isDisjoint(with: $0.authenticationMethods()) },
    ],
    authorization: [
      .init("5.3.2.2", "the response type must be code", hint: "use response_type = \"code\"") {
        $0.request.responseType == "code"
      },
      .init(
        "5.3.3.2", "an authorization request must be pushed to the provider (RFC 9126)",
        hint: "leave out par, or give par = true"
      ) { $0.isPushed },
      .init(
        "5.3.3.2", "a request must have a code_challenge of the method S256 (PKCE)",
        hint: "give pkce = oauth.pkce() to oauth.authorize_url, and its verifier to oauth.token"
      ) { $0.request.requestURI != nil || $0.request.pkce?.method == .s256 },
      .init(
        "5.3.2.2", "a redirect URI must have https; http is for this machine alone",
        hint: "register an https or loopback redirect URI"
      ) { ProfileAddress.isSafe(redirectURI: $0.redirectURI) },
    ],
    pushedRequest: [
      .init(
        "5.3.2.2", "a pushed request must live less than 600 seconds (expires_in)",
        hint: "the provider does not follow the profile"
      ) { $0.expiresIn < 600 }
    ],
    redirect: [
      .init(
        "5.3.3.2", "a response must name the issuer of the provider (iss, RFC 9207)",
        hint: "somebody may have mixed up two providers, or the provider does not follow the profile"
      ) { $0["iss"] != nil || $0["response"] != nil || $0["error"] != nil }
    ],
    tokenRequest: [
      .init("5.3.2.1", "the password grant must not be used", hint: "sign in with the flow authorization_code") {
        $0.request.grantType != "password"
      },
      .init(
        "5.3.3.1", "access tokens must be bound to a key of the client, by DPoP or mutual TLS",
        hint: "leave out dpop, or give dpop = true or a key"
      ) { $0.isBound },
    ])
}

extension ProviderMetadata {
  /// True if a list of the document has the word, or the document has no such list.
  fileprivate func lists(_ word: String, in name: String) -> Bool {
    json[name]?.array.map { $0.contains(.string(word)) } ?? true
  }
}
