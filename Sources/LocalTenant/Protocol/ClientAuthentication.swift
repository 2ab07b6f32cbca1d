import Core
import Crypto
import HTTPServer
import JOSE
import JSON

/// Identifies the client that calls the token endpoint and checks its secret, if it has one (RFC 6749 §2.3).
enum ClientAuthentication {
  /// - Parameter audiences: the values of `aud` that are accepted in a client assertion.
  static func client(
    _ request: ServerRequest, _ form: Parameters, _ clients: ClientRegistry, audiences: [String]
  ) throws(ProtocolError) -> Application {
    let basic = try basic(request)
    let status = basic == nil ? 400 : 401
    let assertion = form["client_assertion"]
    // RFC 6749 §2.3
    guard [basic != nil, form["client_secret"] != nil, assertion != nil].count(where: { $0 }) <= 1 else {
      throw ProtocolError("invalid_request", "The request has more than one method of client authentication.")
    }
    if let basic, let id = form["client_id"], id.lowercased() != basic.id.lowercased() {
      throw ProtocolError("invalid_request", "The client_id is not the ID of the authenticated client.")
    }
    guard let id = basic?.id ?? form["client_id"] ?? assertion.flatMap(issuer) else { throw ProtocolError(90008) }
    guard let client = clients.application(id) else { throw .unknownClient(id, status: status) }
    if client.method?.isCertificate == true {
      guard assertion == nil, basic == nil, form["client_secret"] == nil else {
        throw ProtocolError("invalid_request", "The request has more than one method of client authentication.")
      }
      try CertificateCheck(client: client, clock: clients.clock).verify(request.certificate)
      return client
    }
    if assertion != nil || client.method?.isAssertion == true {
      guard client.method?.isAssertion == true, let assertion,
        form["client_assertion_type"] == AssertionCheck.type
      else {
        throw ProtocolError(
          "invalid_client",
          "The client must authenticate by \(client.method?.rawValue ?? "its secret or its ID alone").")
      }
      try AssertionCheck(client: client, audiences: audiences, registry: clients).verify(assertion)
      return client
    }
    if let method = client.method, method != .none, (basic == nil) == (method == .basic) {
      throw ProtocolError("invalid_client", "The client must authenticate by \(method.rawValue).", status: status)
    }
    let given = basic?.secret ?? form["client_secret"] ?? ""
    switch client.secret {
    case nil where !given.isEmpty: throw ProtocolError(90084)
    case .some where given.isEmpty: throw ProtocolError(90079, status: status)
    case .some(let secret) where secret != given: throw ProtocolError(90081, status: status)
    default: return client
    }
  }

  /// The client that an assertion names, not verified.
  private static func issuer(_ assertion: String) -> String? { (try? JWT(decoding: assertion))?.claims["iss"]?.string }

  /// ID and secret are form-encoded before they are joined (RFC 6749 §2.3.1), but may be plain without a `%` or `+`.
  private static func basic(_ request: ServerRequest) throws(ProtocolError) -> (id: String, secret: String)? {
    guard let header = request.header("Authorization"), header.lowercased().hasPrefix("basic ") else { return nil }
    let encoded = header.dropFirst(6).filter { $0 != " " && $0 != "=" }
    guard let bytes = Base64URL.decode(encoded.replacing("+", with: "-").replacing("/", with: "_")),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { throw ProtocolError("invalid_request", "The Authorization header is not well-formed.") }
    return (URLEncodedForm.unescape(bytes[..<colon]), URLEncodedForm.unescape(bytes[(colon + 1)...]))
  }
}
