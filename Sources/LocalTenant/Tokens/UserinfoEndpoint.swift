import Crypto
import HTTPServer
import JOSE
import JSON

/// `…/userinfo` (OpenID Connect Core §5.3): the claims of the user of an access token. The answer is a signed JWT if the
/// application was registered with `userinfo_signed_response_alg`.
struct UserinfoEndpoint {
  let bearer: BearerCheck
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let clients: ClientRegistry

  func answer(
    _ request: ServerRequest, _ address: PolicyAddress, fault: UserinfoFault?
  ) throws -> ServerResponse {
    guard ["GET", "POST"].contains(request.method) else {
      return .error(
        405, "method_not_allowed", "the userinfo endpoint takes GET and POST, not \(request.method)",
        headers: [("Allow", "GET, POST")])
    }
    do {
      let owner = try bearer.owner(request, permission: nil)
      guard let user = try directory.user(id: owner) else {
        throw TaskRefusal(401, "invalid_token", "the access token is not the token of a user")
      }
      let claims = claims(of: user, address, fault)
      if fault == .unsigned {
        let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        return Self.token("\(header).\(Base64URL.encode(Array(JSON.object(claims).encoded().utf8))).")
      }
      guard let client = client(request), client.metadata["userinfo_signed_response_alg"]?.string != nil else {
        return .json(200, .object(claims), headers: ServerResponse.notStored)
      }
      let own: [String: JSON] = ["iss": .string(issuer.issuer(of: address)), "aud": .string(client.id)]
      return Self.token(try issuer.sign(claims.merging(own) { $1 }))
    } catch let refusal as TaskRefusal {
      // A quoted string cannot have quotes or backslashes here (RFC 6750 §3).
      let reason = refusal.message.filter { $0 != "\"" && $0 != "\\" && $0.isASCII }
      let headers = refusal.challenges(request, realm: Contoso.domain, reason: ", error_description=\"\(reason)\"")
      return .error(refusal.status, refusal.code ?? "unauthorized", refusal.message, headers: headers)
    }
  }

  private func claims(of user: User, _ address: PolicyAddress, _ fault: UserinfoFault?) -> [String: JSON] {
    [
      "sub": .string(fault == .otherUser ? GUID.random() : user.id), "name": .string(user.displayName),
      "email": .string(user.email), "preferred_username": .string(user.username),
    ]
  }

  /// The application that the access token was issued to. The token has been verified.
  private func client(_ request: ServerRequest) -> Application? {
    let token = request.header("Authorization")?.split(separator: " ").last.map(String.init) ?? ""
    return (try? JWT(decoding: token))?.claims["azp"]?.string.flatMap(clients.application)
  }

  private static func token(_ text: String) -> ServerResponse {
    ServerResponse(status: 200, headers: ServerResponse.notStored, text: text, type: "application/jwt")
  }
}
