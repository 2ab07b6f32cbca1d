import Core

/// The response that came with the redirect.
package struct AuthorizationResponse: Sendable {
  /// Every parameter by name, percent-decoded.
  package let parameters: [String: String]

  /// Throws the provider's error if the redirect brings one.
  /// - Parameters:
  ///   - parameters: those of the redirect.
  ///   - state: that of the request; nil when it had none.
  ///   - issuer: compared with the parameter `iss` (RFC 9207) where there is one; nil to take any.
  ///   - requiresIssuer: refuses a redirect without `iss`.
  ///   - isStrict: true to refuse an error without `iss`, too, and to tell nothing of it.
  init(
    parameters: [String: String], state: String?, issuer: String? = nil, requiresIssuer: Bool = false,
    isStrict: Bool = false
  ) throws(OAuthError) {
    self.parameters = parameters
    // An error that came without the state is still worth telling; one with another state belongs to someone else.
    if let state, parameters["state"] != state, parameters["state"] != nil || parameters["error"] == nil {
      throw .mismatch(
        "state_mismatch", .authorize, "the redirect's state is not the one that was sent", expected: "\"\(state)\"",
        actual: parameters["state"].map { "\"\($0)\"" } ?? "none",
        hint: "the answer belongs to another sign-in, or somebody forged it; sign in again")
    }
    // Some providers promise the issuer and leave it out of errors. An error redeems nothing, so it is told as it is.
    let lacksIssuer = requiresIssuer && parameters["iss"] == nil
    if lacksIssuer, !isStrict, parameters["error"] != nil {
      var error = OAuthError(provider: parameters, stage: .authorize)
      error.details["missing_parameter"] = "iss"
      let warning = "the redirect lacks the issuer (iss) that the provider promises, so it may be another provider's"
      error.hint = error.hint.map { "\($0); \(warning)" } ?? warning
      throw error
    }
    if let issuer, parameters["iss"] != issuer, parameters["iss"] != nil || requiresIssuer {
      throw .mismatch(
        "issuer_mismatch", .authorize, "the redirect comes from another provider (iss)", expected: "\"\(issuer)\"",
        actual: parameters["iss"].map { "\"\($0)\"" } ?? "none",
        hint: "somebody may have mixed up two providers to get at the code; sign in again")
    }
    if parameters["error"] != nil { throw OAuthError(provider: parameters, stage: .authorize) }
    guard ["code", "id_token", "access_token"].contains(where: { parameters[$0]?.isEmpty == false }) else {
      let names = parameters.keys.sorted().joined(separator: ", ")
      throw OAuthError(
        "malformed_redirect", .authorize,
        "the redirect has neither a code nor an error; its parameters are \(names.isEmpty ? "none" : names.trimmedLines)"
      )
    }
  }

  /// The parameters of a redirect, from its query or its fragment. They may be those of anybody.
  /// - Parameter expectedRedirectURI: must be the same but for the letter case of scheme and host; nil to take any.
  static func parameters(of url: String, expectedRedirectURI: String?) throws(OAuthError) -> [String: String] {
    let actual = WebAddress(url)
    if let expectedRedirectURI { try Self.compare(actual, with: WebAddress(expectedRedirectURI)) }
    var fields = actual.fields
    let marks: Set<String> = ["code", "error", "id_token", "access_token", "state", "response"]
    if !fields.contains(where: { marks.contains($0.name) }), let fragment = actual.fragment {
      fields += URLEncodedForm.decode(fragment).map { (name: $0.0, value: $0.1) }
    }
    var parameters: [String: String] = [:]
    for field in fields {
      guard parameters.updateValue(field.value, forKey: field.name) == nil else {
        throw OAuthError("malformed_redirect", .authorize, "the redirect has the parameter \"\(field.name)\" twice")
      }
    }
    return parameters
  }

  private static func compare(_ actual: WebAddress, with expected: WebAddress) throws(OAuthError) {
    let isSame = normalized(actual.base) == normalized(expected.base)
    let keepsQuery = expected.fields.allSatisfy { field in actual.fields.contains { $0 == field } }
    guard isSame, keepsQuery else {
      throw .mismatch(
        "redirect_mismatch", .authorize, "the redirect does not match the redirect URI",
        expected: "\"\(expected.text)\"",
        actual: "\"\(actual.base)\"", hint: "redirectURL in the settings must be exactly the registered redirect URI")
    }
  }

  /// Scheme and host in lower case, the scheme's own port left out, an empty path as `/`; everything else as it is.
  private static func normalized(_ url: String) -> String {
    guard let colon = url.firstIndex(of: ":") else { return url }
    let scheme = url[..<colon].lowercased()
    let rest = url[url.index(after: colon)...]
    guard rest.hasPrefix("//") else { return "\(scheme):\(rest)" }
    let afterSlashes = rest.dropFirst(2)
    let authority = afterSlashes.prefix { $0 != "/" }
    let path = afterSlashes.dropFirst(authority.count)
    var host = authority.lowercased()
    if scheme == "http", host.hasSuffix(":80") { host.removeLast(3) }
    if scheme == "https", host.hasSuffix(":443") { host.removeLast(4) }
    let isWeb = scheme == "http" || scheme == "https"
    return "\(scheme)://\(host)\(path.isEmpty && isWeb ? "/" : path)"
  }
}
