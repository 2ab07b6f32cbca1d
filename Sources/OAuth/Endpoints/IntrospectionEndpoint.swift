package import Core
import HTTPClient
package import HostLoop
package import JSON

/// The endpoint that tells about a token (RFC 7662).
@HostActor
package struct IntrospectionEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Asks the provider about a token.
  /// - Parameters:
  ///   - hint: `access_token` or `refresh_token`; nil to send no hint.
  ///   - isSigned: true to ask for a signed answer (RFC 9701), whose signature, `typ`, `iss`, `aud` and `iat` are checked.
  /// - Returns: the members of the answer; `active` is a boolean.
  /// - Throws: `missing_endpoint`; the provider's error; `malformed_response` for an answer without `active`;
  ///   `unsigned_response` for an answer that is not signed, and the errors of the checks of a signed one.
  package func introspect(
    _ token: Secret, hint: String? = nil, isSigned: Bool = false, policy: String? = nil
  ) async throws(OAuthError) -> JSON {
    let policy = try provider.resolve(policy, .token)
    var request = try await provider.request(
      to: .introspection, "the introspection endpoint", policy, .token,
      fields: [("token", token.reveal())] + (hint.map { [("token_type_hint", $0)] } ?? []),
      hint: "Azure AD B2C and Microsoft Entra have no introspection; check the token with oauth.verify")
    guard isSigned else { return try Self.active(try await request.object().json, request) }
    request.accept = Self.introspectionType
    let response = try await request.send()
    guard response.status == 200 else { throw request.failure(response) }
    guard response.mediaType.lowercased() == Self.introspectionType else {
      let isJSON = response.mediaType.lowercased() == "application/json"
      throw OAuthError(
        "unsigned_response", .token,
        "\(request.name) \(request.url) should have signed its answer, and answered with "
          + (isJSON ? "JSON" : response.mediaType),
        hint: "the provider does not sign answers for this application; leave out jwt", status: response.status)
    }
    let text = String(decoding: response.body, as: UTF8.self)
    let claims = try await IDTokenValidator(provider).validate(idToken: text, policy: policy, use: .introspection)
    return try Self.active(claims["token_introspection"] ?? .null, request)
  }

  private static let introspectionType = "application/token-introspection+jwt"

  private static func active(_ answer: JSON, _ request: EndpointRequest) throws(OAuthError) -> JSON {
    guard answer["active"]?.bool != nil else {
      let actual = answer["active"].map { "active as \($0.displayedKind)" } ?? "no active"
      throw request.malformed(
        "answered with \(actual), which must be true or false (RFC 7662, 2.2)",
        hint: "check introspection_endpoint in the metadata document")
    }
    return answer
  }
}

extension JSON {
  /// The kind of the value, for a message that must not show the value.
  fileprivate var displayedKind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    default: "a number"
    }
  }
}
