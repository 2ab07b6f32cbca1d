/// A challenge of the header field `WWW-Authenticate` (RFC 9110, 11.6.1).
package struct AuthenticationChallenge: Sendable, Equatable {
  /// In lower case: `bearer`.
  package let scheme: String
  /// By their names in lower case.
  package let parameters: [String: String]

  package init(scheme: String, parameters: [String: String]) {
    self.scheme = scheme
    self.parameters = parameters
  }
}

extension HTTPResponse {
  /// The challenges of the response. A part that follows no syntax ends the list.
  package var challenges: [AuthenticationChallenge] {
    var reader = ChallengeReader(headers.all("WWW-Authenticate").joined(separator: ", "))
    return reader.challenges()
  }

  /// The demand of a resource for another sign-in; nil if the response has none.
  package var stepUp: StepUpDemand? {
    guard status == 401 else { return nil }
    return challenges.first { $0.parameters["error"] == StepUpDemand.code }.map(StepUpDemand.init)
  }
}

/// The demand for a sign-in of another kind, or a newer one (RFC 9470, 3). Another token of the same sign-in does not help.
package struct StepUpDemand: Sendable, Equatable {
  package static let code = "insufficient_user_authentication"

  /// The advice for scripts.
  package static let hint = "accounts.sign_in { account = …, for_challenge = ERROR } signs in as the server demands"

  /// The accepted kinds of sign-in, in order of preference, with spaces between; nil for any.
  package let acrValues: String?
  /// The maximum seconds since the sign-in, as sent; nil for any.
  package let maxAge: String?

  fileprivate init(_ challenge: AuthenticationChallenge) {
    acrValues = challenge.parameters["acr_values"]
    maxAge = challenge.parameters["max_age"]
  }

  /// The demand by the names of its parameters, for the details of an error.
  package var details: [String: String] {
    var details: [String: String] = [:]
    details["acr_values"] = acrValues
    details["max_age"] = maxAge
    return details
  }

  /// The demand in words: ` (acr_values mfa, max_age 300)`; empty for a demand without parameters.
  package var words: String {
    let parts = details.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}

private struct ChallengeReader {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  mutating func challenges() -> [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    var scheme: String?
    var parameters: [String: String] = [:]
    func end() { if let scheme { found.append(.init(scheme: scheme, parameters: parameters)) } }
    while true {
      skip { $0 == "," || $0.isWhitespace }
      let name = token()
      guard !name.isEmpty else { break }
      skip(\.isWhitespace)
      if take("=") {
        skip(\.isWhitespace)
        guard let value = rest.first == "\"" ? quoted() : token() else { break }
        parameters[name.lowercased()] = value
      } else {
        end()
        (scheme, parameters) = (name.lowercased(), [:])
      }
    }
    end()
    return found
  }

  private mutating func skip(_ isSkipped: (Character) -> Bool) { rest = rest.drop(while: isSkipped) }

  private mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func token() -> String {
    let token = rest.prefix { !$0.isWhitespace && !",=\"".contains($0) }
    rest = rest.dropFirst(token.count)
    return String(token)
  }

  /// The text between quotes, without the backslashes that quote characters; nil if it does not end.
  private mutating func quoted() -> String? {
    _ = take("\"")
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return text }
      guard character == "\\" else {
        text.append(character)
        continue
      }
      guard let next = rest.popFirst() else { return nil }
      text.append(next)
    }
    return nil
  }
}
