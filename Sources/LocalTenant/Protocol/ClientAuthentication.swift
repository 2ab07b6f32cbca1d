import HTTPServer
import JOSE

/// Identifies the client that calls the token endpoint and checks its secret, if it has one (RFC 6749 §2.3).
enum ClientAuthentication {
  static func client(_ request: ServerRequest, _ form: Parameters) throws(ProtocolError) -> Application {
    let basic = try basic(request)
    guard let id = basic?.id ?? form["client_id"] else { throw .noClientID }
    guard let client = Contoso.application(id) else {
      throw ProtocolError(
        "invalid_client", "90018",
        "The client identifier '\(id)' provided in the request is not registered in tenant '\(Contoso.domain)'.",
        status: basic == nil ? 400 : 401)
    }
    let given = basic?.secret ?? form["client_secret"] ?? ""
    switch client.secret {
    case nil where !given.isEmpty:
      throw ProtocolError(
        "invalid_request", "90084",
        "Public clients should not send a client_secret when redeeming a publicly acquired grant.")
    case .some where given.isEmpty:
      throw ProtocolError(
        "invalid_client", "90079", "Clients must send a client_secret when redeeming a confidential grant.",
        status: basic == nil ? 400 : 401)
    case .some(let secret) where secret != given:
      throw ProtocolError(
        "invalid_client", "90081",
        "The specified client_secret does not match the expected value for this client. Please correct the client_secret "
          + "and try again.", status: basic == nil ? 400 : 401)
    default:
      return client
    }
  }

  /// Reads Basic authentication, whose ID and secret are form-encoded before they are joined (RFC 6749 §2.3.1). Clients
  /// that do not encode them are understood too if neither has a `%` or `+`.
  private static func basic(_ request: ServerRequest) throws(ProtocolError) -> (id: String, secret: String)? {
    guard let header = request.header("Authorization"), header.lowercased().hasPrefix("basic ") else { return nil }
    let encoded = header.dropFirst(6).filter { $0 != " " && $0 != "=" }
    guard let bytes = Base64URL.decode(encoded.replacing("+", with: "-").replacing("/", with: "_")),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else {
      throw ProtocolError("invalid_request", nil, "The Authorization header is not well-formed.")
    }
    // Decodes a part of a form. The query of a request is decoded the same way.
    func decode(_ part: some Sequence<UInt8>) -> String {
      let text = String(decoding: Array(part), as: UTF8.self)
      return ServerRequest(method: "GET", target: "/?\(text.replacing("&", with: "%26").replacing("=", with: "%3D"))")
        .query.first?.0 ?? ""
    }
    return (decode(bytes[..<colon]), decode(bytes[(colon + 1)...]))
  }
}
