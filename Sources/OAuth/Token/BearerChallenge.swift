import HTTPClient

/// The reason of a resource server for its refusal: the parameters of `WWW-Authenticate` (RFC 6750, 3; RFC 9449, 7.1).
struct BearerChallenge {
  private(set) var parameters: [String: String] = [:]

  /// Nil without an error in a challenge of the scheme Bearer or DPoP.
  init?(_ response: HTTPResponse) {
    for field in response.headers.all("WWW-Authenticate") {
      let parameters = Self.parameters(of: field)
      guard parameters["error"] != nil else { continue }
      self.parameters = parameters
      return
    }
    return nil
  }

  /// The parameters `name=value` and `name="value"` of a header field.
  private static func parameters(of field: String) -> [String: String] {
    var parameters: [String: String] = [:]
    for match in field.matches(of: #/([A-Za-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/#) {
      let value = match.output.2.map { String($0.replacing(#/\\(.)/#) { $0.output.1 }) } ?? String(match.output.3 ?? "")
      parameters[match.output.1.lowercased()] = value
    }
    return parameters
  }
}
