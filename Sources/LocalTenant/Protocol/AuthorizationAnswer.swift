import Core
import HTTPServer
import TenantTexts

enum AuthorizationAnswer {
  static func make(
    _ request: AuthorizationRequest, _ fields: [(String, String)], by issuer: TokenIssuer, isBrowser: Bool,
    headers: [(String, String)] = []
  ) throws -> ServerResponse {
    var fields = fields
    if let state = request.state { fields.append(("state", state)) }
    // Errors also have `iss`, so that a client of several providers can tell which provider answered (RFC 9207).
    if request.issuerFault != .missing {
      fields.append(("iss", request.issuerFault == .other ? IssuerFault.otherIssuer : request.issuer))
    }
    if request.isSigned {
      fields = try SignedAnswer(issuer: issuer, fault: request.signedFault).fields(fields, for: request)
    }
    if request.responseMode == .formPost {
      return Page.formPost(request.texts, to: request.redirectURI, fields: fields).response(headers: headers)
    }
    let url =
      request.responseMode == .query
      ? appending(fields, to: request.redirectURI) : "\(request.redirectURI)#\(encode(fields))"
    // A browser cannot open `urn:…`, so the page shows the code to copy.
    if isBrowser, url.hasPrefix("urn:") {
      return Page.outOfBand(request.texts, url: url, fields: fields).response(headers: headers)
    }
    return redirect(to: url, headers: headers)
  }

  static func redirect(to location: String, headers: [(String, String)] = []) -> ServerResponse {
    let fields = [
      ("Location", location), ("Cache-Control", "no-store"), ("Pragma", "no-cache"), ("Referrer-Policy", "no-referrer"),
    ]
    return ServerResponse(status: 302, headers: fields + headers)
  }

  static func appending(_ fields: [(String, String)], to url: String) -> String {
    guard !fields.isEmpty else { return url }
    let separator = url.contains("?") ? (url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&") : "?"
    return url + separator + encode(fields)
  }

  /// Encodes all characters except the unreserved ones of RFC 3986, so that every decoder restores the same value.
  private static func encode(_ fields: [(String, String)]) -> String {
    fields.map { "\(URLEncodedForm.percentEncode($0.0))=\(URLEncodedForm.percentEncode($0.1))" }
      .joined(separator: "&")
  }
}
