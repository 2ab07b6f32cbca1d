import Core
import HTTPServer
import JOSE

/// Identifies the client that calls the token endpoint and checks its secret, if it has one (RFC 6749 §2.3).
enum ClientAuthentication {
  static func client(_ request: ServerRequest, _ form: Parameters) throws(ProtocolError) -> Application {
    let basic = try basic(request)
    let status = basic == nil ? 400 : 401
    guard let id = basic?.id ?? form["client_id"] else { throw ProtocolError(90008) }
    guard let client = Contoso.application(id) else { throw .unknownClient(id, status: status) }
    let given = basic?.secret ?? form["client_secret"] ?? ""
    switch client.secret {
    case nil where !given.isEmpty: throw ProtocolError(90084)
    case .some where given.isEmpty: throw ProtocolError(90079, status: status)
    case .some(let secret) where secret != given: throw ProtocolError(90081, status: status)
    default: return client
    }
  }

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
