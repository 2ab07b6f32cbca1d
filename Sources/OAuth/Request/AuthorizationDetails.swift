package import JSON

/// A detailed description of what a client asks for (RFC 9396, 2): objects, each with a type.
package struct AuthorizationDetails: Sendable {
  package let json: JSON

  /// The value of the parameter.
  var text: String { json.encoded() }

  /// - Returns: nil for JSON that `problem` complains about.
  package init?(_ json: JSON) {
    guard Self.problem(with: json) == nil else { return nil }
    self.json = json
  }

  /// The reason why the JSON is no description; nil for a good one.
  package static func problem(with json: JSON) -> String? {
    let form = "expected a list of objects with a type (RFC 9396, 2), got"
    guard let elements = json.array else { return "\(form) \(json.object == nil ? "no list" : "one object")" }
    guard !elements.isEmpty else { return "\(form) an empty list" }
    for (index, element) in elements.enumerated() {
      guard element.object != nil else { return "\(form) \(element.encoded()) as element \(index + 1)" }
      guard element["type"]?.string?.isEmpty == false else { return "element \(index + 1) has no type (RFC 9396, 2)" }
    }
    return nil
  }

  /// The grants that exceed this description, in words. A provider may add members; it may not add types, nor values to a
  /// list that the description has.
  func excess(in granted: AuthorizationDetails) -> [String] {
    let asked = json.array ?? []
    return (granted.json.array ?? []).compactMap { element in
      let type = element["type"]?.string ?? ""
      let alike = asked.filter { $0["type"]?.string == type }
      guard !alike.isEmpty else { return "the type \"\(type)\"" }
      let more = alike.map { Self.more(element, than: $0) }
      return more.contains(where: \.isEmpty) ? nil : more[0].first.map { "\($0) of the type \"\(type)\"" }
    }
  }

  private static func more(_ granted: JSON, than asked: JSON) -> [String] {
    (asked.object ?? [:]).sorted { $0.key < $1.key }.compactMap { name, value in
      guard let values = value.array, let given = granted[name]?.array else { return nil }
      let added = given.filter { !values.contains($0) }
      return added.isEmpty ? nil : "\(name) \(added.map { $0.string ?? $0.encoded() }.joined(separator: ", "))"
    }
  }
}

extension AuthorizationDetails {
  /// Compares the description that was asked for with the granted one (RFC 9396, 7).
  /// - Returns: warnings about what the provider did not do as it was asked.
  /// - Throws: `missing_authorization_details` for an answer without them, unless it answers a refresh, whose tokens would
  ///   be lost; `malformed_response`.
  func compare(with tokens: TokenSet, _ stage: OAuthError.Stage) throws(OAuthError) -> [String] {
    guard tokens.accessToken != nil else { return [] }
    guard let json = tokens.others["authorization_details"], json != .null else {
      let message = "the provider gave an access token without authorization_details, which the request had"
      guard stage != .refresh else { return ["\(message) (RFC 9396, 7)"] }
      throw OAuthError(
        "missing_authorization_details", stage, "\(message) (RFC 9396, 7)",
        hint: "the provider may not know them: look for authorization_details_types_supported in its metadata document")
    }
    guard let granted = AuthorizationDetails(json) else {
      throw OAuthError(
        "malformed_response", stage,
        "authorization_details in the token response: \(AuthorizationDetails.problem(with: json) ?? "")")
    }
    let excess = excess(in: granted)
    return excess.isEmpty ? [] : ["the provider granted more than the request asked: \(excess.joined(separator: "; "))"]
  }
}
