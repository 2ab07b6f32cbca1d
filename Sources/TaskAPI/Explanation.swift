import Core
import HTTPClient
import JSON

/// A server's explanation of a refusal: in `WWW-Authenticate` (RFC 6750, 3), in a JSON body, or in text.
struct Explanation {
  /// One line for the message.
  var reason: String?
  /// The reason in parts, and `www_authenticate` unchanged.
  var details: [String: String] = [:]

  private static let longest = 200

  init(_ response: HTTPResponse) {
    // A server may offer several schemes: the challenge with an error is about the request.
    let challenges = response.headers.all("WWW-Authenticate")
    if let challenge = challenges.first(where: { Self.parameter("error", of: $0) != nil }) ?? challenges.first {
      details["www_authenticate"] = challenge
      for (name, detail) in [("error", "api_code"), ("error_description", "api_message")] {
        details[detail] = Self.parameter(name, of: challenge)
      }
    }
    if let body = try? JSON(parsing: response.body), body.object != nil {
      // Names of restify, ASP.NET Web API, OAuth and RFC 9457, in this order.
      let code = ["code", "Code", "error"].lazy.compactMap { body[$0]?.string }.first
      let names = ["message", "Message", "ExceptionMessage", "error_description", "detail", "title"]
      let message = names.lazy.compactMap { body[$0]?.string }.first
      details["api_code"] = details["api_code"] ?? code
      details["api_message"] = details["api_message"] ?? message
    } else if details["api_message"] == nil, Self.isText(response) {
      let text = Self.excerpt(response.body)
      if !text.isEmpty { details["api_message"] = text }
    }
    let parts = [details["api_code"], details["api_message"]].compactMap { $0 }
      .map { String(Redaction.forScripts($0).prefix(Self.longest)) }
    reason = parts.isEmpty ? nil : parts.joined(separator: ": ")
  }

  /// The beginning of a body on one line, without control characters.
  static func excerpt(_ body: [UInt8]) -> String {
    let text = Redaction.forScripts(beginningOf: body).prefix(longest)
    let words = text.split { $0.isWhitespace || ($0.unicodeScalars.first?.value ?? 0) < 0x20 }
    return String(words.joined(separator: " ").prefix(80))
  }

  private static func isText(_ response: HTTPResponse) -> Bool {
    response.headers["Content-Type"]?.lowercased().hasPrefix("text/plain") ?? false
  }

  /// A quoted or bare parameter of a challenge.
  private static func parameter(_ name: String, of challenge: String) -> String? {
    var rest = Substring(challenge)
    while let found = rest.firstRange(of: name) {
      let before = rest[..<found.lowerBound].last
      var value = rest[found.upperBound...]
      rest = value
      guard before == nil || before == " " || before == ",", value.popFirst() == "=" else { continue }
      guard value.first == "\"" else { return String(value.prefix { $0 != "," && $0 != " " }) }
      return quotedString(value.dropFirst())
    }
    return nil
  }

  /// Up to the closing quote, `\x` being x (RFC 9110, 5.6.4).
  private static func quotedString(_ text: Substring) -> String {
    var (result, rest) = ("", text)
    while let character = rest.popFirst(), character != "\"" {
      if let literal = character == "\\" ? rest.popFirst() : character { result.append(literal) }
    }
    return result
  }
}
