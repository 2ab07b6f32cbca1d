package import Core
package import HTTPClient
import HostLoop
import TaskAPI

extension Session {
  /// Sends a request with an access token of an account, and once more with a fresh one after a 401.
  /// - Parameters:
  ///   - request: gets the header fields and the certificate that were sent.
  ///   - token: the token that the account has just given.
  package func send(_ request: inout HTTPRequest, as tokens: AccountTokens, _ token: Secret) async throws
    -> HTTPResponse
  {
    // Read behind the token: an account whose tokens this script may not use has been refused by then.
    let type = try await accounts.tokenType(of: tokens.account)
    var latest = request
    latest.certificate = tokens.certificate
    let send: @HostActor (Secret) async throws -> HTTPResponse = { [http] token in
      latest.headers["Authorization"] = "\(type) \(token.reveal())"
      return try await tokens.sending(latest.method, latest.url, token) { try await http.send(latest.with(proof: $0)) }
    }
    let answer = try await tokens.renewing(token, after: try await send(token), send)
    request = latest
    return answer.response
  }
}

extension HTTPRequest {
  /// The request with a proof. It follows no redirects, because a proof is for one address.
  package func with(proof: HTTPHeaders.Field?) -> HTTPRequest {
    guard let proof else { return self }
    var request = self
    request.headers[proof.name] = proof.value
    request.followsRedirects = false
    return request
  }
}
